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

func ServeCommand(games game.List, environ []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Answer over HTTP, from the tables embedded in the program or from table files.
A table file that is missing, damaged or of no known ruleset stops the start.
/readyz turns 200 when every table has been verified.

A table file that is replaced, or written to, is verified and then served instead:
after it was seen to have changed, or at once on SIGHUP. One that is no good is
refused, and the table before goes on serving.

With --tables, the files in a directory are served, and those that are missing are made
there in the background, each in 2 GB of memory, while the embedded tables answer. What
cannot be made or served is told in the log, and the embedded table answers on.

Each flag can be given in the environment instead: --log-level as SOLVED_LOG_LEVEL.
SOLVED_TABLE holds files as PATH holds folders; other lists are separated by commas.
Flags win. A variable SOLVED_… that belongs to no flag stops the start.`,
		Args: noArguments,
	}
	serving(c, games, environ)
	return c
}

// serving makes a command serve, with all the flags of that.
func serving(c *cobra.Command, games game.List, environ []string) {
	var how service.Config
	how.Flags(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		from, err := flags.Bind(c.Flags(), environ)
		if err != nil {
			return &flags.UsageError{Err: err, Command: c.CommandPath()}
		}
		// A log whose reader has gone is no reason to end: writing it fails instead. This
		// holds for SIGPIPE ignored at the start as well.
		broken := make(chan os.Signal, 1)
		signal.Notify(broken, syscall.SIGPIPE)
		defer signal.Stop(broken)
		lines := service.NewLogWriter(c.ErrOrStderr(), how.DroppedLines)
		defer lines.Close()
		log := how.NewLogger(lines)
		log.LogAttrs(c.Context(), slog.LevelInfo, "configuration", flags.Attrs(c.Flags(), from)...)
		how.Collect = !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
		if err := service.Run(c.Context(), games, how, log, lines); err != nil {
			tell(lines, err) // not past the log, where it might wait for ever
			return reportedError{err}
		}
		return nil
	}
}
