package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"solved/api"
	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
)

// The exit codes.
const (
	ExitFine    = 0
	ExitInput   = 1  // the input is wrong, or the system refused something
	ExitDamaged = 3  // a file is damaged, or has wrong entries, or a claim does not hold
	ExitUsage   = 64 // the command line is wrong: EX_USAGE of sysexits(3). 2 is Go's own, for fatal errors
)

// reportedError is an error that the program has printed already. It only decides the exit code.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// Run runs the program with the given arguments, environment and streams, and returns its exit
// code. The environment has the form of os.Environ. The cause of the context's end may be a
// [signalError].
func Run(ctx context.Context, games game.List, args, environ []string, in io.Reader, out, errs io.Writer) int {
	stdout := &checkedWriter{w: out}
	root := NewCommand(games, environ)
	root.SetArgs(args)
	root.SetIn(&interruptibleReader{ctx: ctx, r: in})
	root.SetOut(stdout)
	root.SetErr(errs)
	StrictHelp(root)
	err := root.ExecuteContext(ctx)
	lost := stdout.err
	if lost != nil {
		lost = fmt.Errorf("writing the output: %w", lost)
	}
	if lost != nil && (err == nil || errors.Is(err, stdout.err) && exitCode(err) == ExitInput) {
		err, lost = lost, nil
	}
	code := tell(errs, err)
	var ended *signalError
	if code == ExitInput && errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &ended) {
		code = ended.code()
	}
	if lost != nil {
		tell(errs, lost)
	}
	return code
}

// tell prints an error in one line, and returns its exit code.
func tell(w io.Writer, err error) int {
	if err == nil {
		return ExitFine
	}
	var told reportedError
	if !errors.As(err, &told) {
		fmt.Fprintln(w, "solved:", game.Printable(oneLine(message(err))))
	}
	var usage *flags.UsageError
	if errors.As(err, &usage) && !errors.As(err, &told) {
		fmt.Fprintf(w, "Run '%s --help' for usage.\n", usage.Command)
	}
	return exitCode(err)
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var usage *flags.UsageError
	var damage *tablebase.DamageError
	var fault *tablebase.FaultError
	var wrong *wrongTableError
	var other *tables.DigestError
	var claims *falseClaimError
	switch {
	case err == nil:
		return ExitFine
	case errors.As(err, &usage):
		return ExitUsage
	case errors.Is(err, tablebase.LongWindow):
		return ExitInput // nothing is damaged
	case errors.As(err, &damage), errors.As(err, &fault), errors.As(err, &wrong), errors.As(err, &other), errors.As(err, &claims),
		errors.Is(err, game.ErrRefuted), errors.Is(err, api.ErrUnavailable):
		return ExitDamaged
	}
	return ExitInput
}

// message returns the text of an error for people. If the error is a problem of the contract
// about the question, that is the problem's detail.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if p := api.ProblemOf(err); p.Kind() != api.Internal && p.Kind() != api.TableUnavailable && p.Kind() != api.Overloaded {
		if p.Kind() != api.UnknownRules {
			return p.Detail
		}
		names := make([]string, len(p.Known))
		for i, k := range p.Known {
			names[i] = k.Name
		}
		return p.Detail + " Known are: " + strings.Join(names, ", ") + "."
	}
	return err.Error()
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }

// NewCommand builds the command with all its subcommands.
func NewCommand(games game.List, environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "solved",
		Short: "Serve solved games, and solve them",
		Long: `solved serves exact values of solved games, and makes the tables it serves from.
Without a subcommand it serves, with the flags of 'solved serve'. Each of them has an
environment variable: SOLVED_LOG_LEVEL for --log-level.

RULES is a ruleset's name or tag. POSITION is a position string or a key; it may have
underscores in place of spaces.

Exit codes: 0 success; 1 the input is wrong, or the system refused something; 3 a file
is damaged or has wrong entries, or a claim does not hold; 64 wrong usage; 130 after
Ctrl-C and 143 after SIGTERM, except for 'solved serve', which then ends with 0.`,
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		// Without this, each manual page would end with the day on which it was made.
		DisableAutoGenTag: true,
	}
	root.Version = VersionText(BuildInfo())
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print the version, its commit and the build settings")
	serving(root, games, environ)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &flags.UsageError{Err: err, Command: c.CommandPath()} })
	root.AddCommand(ServeCommand(games, environ), healthCommand(), probeCommand(games), lineCommand(games), SolveCommand(games), ExpandCommand(games),
		verifyCommand(games), AuditCommand(games), ReachCommand(games), ReportCommand(games), proveCommand(games), infoCommand(games), convertCommand(games),
		playCommand(games), manCommand(root))
	return root
}

// StrictHelp makes the commands that cobra adds refuse unknown arguments. Call it after setting
// the output of root.
func StrictHelp(root *cobra.Command) {
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if of, _, err := root.Find(args); err == nil {
				for _, sub := range of.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			if err != nil {
				return &flags.UsageError{Err: err, Command: c.CommandPath()}
			}
			if len(rest) > 0 {
				return unknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = noArguments
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		for _, shell := range c.Commands() {
			shell.Args = noArguments
		}
	}
}

// unknownCommand returns the error of a name that is not a subcommand.
func unknownCommand(of *cobra.Command, name string) error {
	text := fmt.Sprintf("there is no command %q", name)
	if like := of.SuggestionsFor(name); len(like) > 0 {
		text += fmt.Sprintf("; did you mean %q?", like[0])
	}
	return &flags.UsageError{Err: errors.New(text), Command: of.CommandPath()}
}

// noArguments refuses arguments. On a command with subcommands, it takes an argument for the name
// of one.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	return &flags.UsageError{Err: fmt.Errorf("%s takes no arguments", c.Name()), Command: c.CommandPath()}
}

// arguments demands exactly least arguments, or at least that many if more is set.
func arguments(least int, more bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == least || more && len(args) > least {
			return nil
		}
		return &flags.UsageError{Err: fmt.Errorf("usage: %s", c.UseLine()), Command: c.CommandPath()}
	}
}

// completeRules completes the first argument with the names of the rulesets,
// and the others with files if files is set.
func completeRules(games game.List, files bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			var names []string
			for _, g := range games {
				names = append(names, cobra.CompletionWithDesc(g.About().Name, g.About().Title))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		case files:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
