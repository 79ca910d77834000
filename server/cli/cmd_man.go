package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"solved/server/service"
)

// manCommand returns the command that writes the manual pages. It is for packagers, and hidden
// from the list of commands.
func manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Hidden: true,
		Short:  "Write the manual pages into a directory",
		Long: `Write the manual pages into a directory, one for each command: solved.1,
solved-serve.1 and so on. Once they are in a directory such as
/usr/local/share/man/man1, 'man solved' shows them.`,
		Args: arguments(1, false),
		RunE: func(_ *cobra.Command, args []string) error {
			at, err := os.Stat(args[0])
			if err == nil && !at.IsDir() {
				err = fmt.Errorf("%s is not a directory", args[0])
			}
			if err != nil {
				return fmt.Errorf("the manual pages need a directory that exists: %w", err)
			}
			return doc.GenManTree(root, &doc.GenManHeader{
				Section: "1", Source: "solved " + service.BuildVersion(), Manual: "solved", Date: sourceDate(),
			}, args[0])
		},
	}
}

// sourceDate returns the date of the commit that the program was built from, so that one
// program always writes the same pages. Without a stamp it returns nil, which means today.
func sourceDate() *time.Time {
	for _, s := range BuildInfo().Settings {
		if s.Key == "vcs.time" {
			if date, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return &date
			}
		}
	}
	return nil
}
