package cli

import (
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
	"solved/server/service"
)

// ServeCommand returns the command that runs the HTTP server.
func ServeCommand(games game.List, environ []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Answer over HTTP, from the tables embedded in the program or from table files. The
server does not start if a table file is missing, damaged or of an unknown ruleset.
/readyz answers 200 when every table is verified.

If another program replaces a table file or writes to it, the server verifies the new
contents and then answers from them. It looks at the files regularly, and at once on
SIGHUP. It refuses a bad file, and goes on with the table before.

With --tables, the server answers from the files in a directory. It makes missing ones
there in the background, each in 2 GB of memory; the embedded tables answer meanwhile.
If it cannot make or use a file, it logs the reason, and the embedded table goes on.

Each flag has an environment variable: SOLVED_LOG_LEVEL for --log-level. SOLVED_TABLE
holds files as PATH holds folders; commas separate other lists. A flag overrides its
variable. The server does not start if a variable SOLVED_… belongs to no flag.`,
		Args: noArguments,
	}
	serving(c, games, environ)
	return c
}

// serving makes a command run the HTTP server, and declares the flags of its configuration.
func serving(c *cobra.Command, games game.List, environ []string) {
	var cfg service.Config
	cfg.Flags(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		from, err := flags.Bind(c.Flags(), environ)
		if err != nil {
			return &flags.UsageError{Err: err, Command: c.CommandPath()}
		}
		// If the reader of the log has gone, writing fails and the server goes on. This holds
		// even if SIGPIPE was ignored at the start.
		broken := make(chan os.Signal, 1)
		signal.Notify(broken, syscall.SIGPIPE)
		defer signal.Stop(broken)
		lines := service.NewLogWriter(c.ErrOrStderr(), cfg.DroppedLines)
		defer lines.Close()
		log := cfg.NewLogger(lines)
		log.LogAttrs(c.Context(), slog.LevelInfo, "configuration", flags.Attrs(c.Flags(), from)...)
		cfg.Collect = !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
		if err := service.Run(c.Context(), games, cfg, log, lines); err != nil {
			tell(lines, err) // through the log writer, which never waits for its reader
			return reportedError{err}
		}
		return nil
	}
}
