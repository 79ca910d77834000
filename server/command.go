package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"solved/api"
	"solved/tablebase"
)

// The exit codes.
const (
	exitFine    = 0
	exitInput   = 1  // the input is wrong, or the system did not let us
	exitDamaged = 3  // a file is damaged, or has wrong entries, or a claim does not hold
	exitUsage   = 64 // the command line is wrong: EX_USAGE of sysexits(3). 2 is Go's own, for fatal errors
)

// usageError is an error in the command line itself.
type usageError struct {
	err     error
	command string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// reportedError is an error that has been told already; only its exit code is
// left to give.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// run is the whole program but for the process around it. The environment is
// written as os.Environ does. The context may end with a [signalError] for its cause.
func run(ctx context.Context, games gameList, args, environ []string, in io.Reader, out, errs io.Writer) int {
	stdout := &checkedWriter{w: out}
	root := newCommand(games, environ)
	root.SetArgs(args)
	root.SetIn(&interruptibleReader{ctx: ctx, r: in})
	root.SetOut(stdout)
	root.SetErr(errs)
	strictHelp(root)
	err := root.ExecuteContext(ctx)
	lost := stdout.err
	if lost != nil {
		lost = fmt.Errorf("writing the output: %w", lost)
	}
	if lost != nil && (err == nil || errors.Is(err, stdout.err) && exitCode(err) == exitInput) {
		err, lost = lost, nil
	}
	code := tell(errs, err)
	var ended *signalError
	if code == exitInput && errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &ended) {
		code = ended.code()
	}
	if lost != nil {
		tell(errs, lost)
	}
	return code
}

// tell tells an error in one line, and returns its exit code.
func tell(w io.Writer, err error) int {
	if err == nil {
		return exitFine
	}
	var told reportedError
	if !errors.As(err, &told) {
		fmt.Fprintln(w, "solved:", printable(oneLine(message(err))))
	}
	var usage *usageError
	if errors.As(err, &usage) && !errors.As(err, &told) {
		fmt.Fprintf(w, "Run '%s --help' for usage.\n", usage.command)
	}
	return exitCode(err)
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var usage *usageError
	var damage *tablebase.DamageError
	var fault *tablebase.FaultError
	var wrong *wrongTableError
	var other *digestError
	var claims *falseClaimError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, tablebase.LongWindow):
		return exitInput // nothing is damaged
	case errors.As(err, &damage), errors.As(err, &fault), errors.As(err, &wrong), errors.As(err, &other), errors.As(err, &claims),
		errors.Is(err, errRefuted), errors.Is(err, api.ErrUnavailable):
		return exitDamaged
	}
	return exitInput
}

// message is the text of an error for people: what the contract would say, where
// the error is one of the contract's, for else it would be "internal".
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

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }

// newCommand builds the command with all its subcommands.
func newCommand(games gameList, environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "solved",
		Short: "Serve solved games, and solve them",
		Long: `solved serves exact values of solved games, and makes the tables it serves from.
Without a subcommand it serves, with the flags of 'solved serve', each of which can
be given in the environment instead: --log-level as SOLVED_LOG_LEVEL.

RULES is a ruleset's name or tag. POSITION is a position string, in which
underscores may stand for the spaces, or a key.

Exit codes: 0 fine; 1 the input is wrong, or the system refused something; 3 a file
is damaged or has wrong entries, or a claim does not hold; 64 wrong usage; 130 after
Ctrl-C and 143 after SIGTERM, except for 'solved serve', which then ends well.`,
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		// Else each manual page ends with the day on which it was made.
		DisableAutoGenTag: true,
	}
	root.Version = versionText(buildInfo())
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print the version, its commit and how the program was built")
	serving(root, games, environ)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &usageError{err, c.CommandPath()} })
	root.AddCommand(serveCommand(games, environ), healthCommand(), probeCommand(games), lineCommand(games), solveCommand(games), expandCommand(games),
		verifyCommand(games), auditCommand(games), reachCommand(games), reportCommand(games), proveCommand(games), infoCommand(games), convertCommand(games),
		playCommand(games), manCommand(root))
	return root
}

// strictHelp has the commands that cobra makes refuse what they do not know. Where
// output goes must have been set.
func strictHelp(root *cobra.Command) {
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
				return &usageError{err, c.CommandPath()}
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

// unknownCommand says that a command has no subcommand of a name.
func unknownCommand(of *cobra.Command, name string) error {
	text := fmt.Sprintf("there is no command %q", name)
	if like := of.SuggestionsFor(name); len(like) > 0 {
		text += fmt.Sprintf("; did you mean %q?", like[0])
	}
	return &usageError{errors.New(text), of.CommandPath()}
}

// noArguments refuses arguments. On a command with subcommands they are meant to be
// one of those.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	return &usageError{fmt.Errorf("%s takes no arguments", c.Name()), c.CommandPath()}
}

// arguments demands a number of arguments: exactly least, or that many and more.
func arguments(least int, more bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == least || more && len(args) > least {
			return nil
		}
		return &usageError{fmt.Errorf("usage: %s", c.UseLine()), c.CommandPath()}
	}
}

// completeRules completes the first argument with the names of the rulesets,
// and the others with files if files is set.
func completeRules(games gameList, files bool) cobra.CompletionFunc {
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
