package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
)

var errNoKernel = errors.New("kernel tables are not known to this build")

// embeds says whether the program carries a table of a ruleset.
func embeds(*tictacchec.Rules) bool { return false }

// embeddedTable loads the table that the program carries.
func embeddedTable(r *tictacchec.Rules) (*loadedTable, error) {
	return nil, fmt.Errorf("no table of %s is embedded; name one with --table", describe(r.Ruleset()))
}

func isKernel(string) bool { return false }

func writeKernel(context.Context, io.Writer, rules.Ruleset, tablebase.Source, int, func(uint64)) error {
	return errNoKernel
}

func verifyKernel(context.Context, string, []rules.Ruleset) (rules.Ruleset, tablebase.Digest, error) {
	return rules.Ruleset{}, tablebase.Digest{}, errNoKernel
}

func kernelInfo(io.Writer, string) error { return errNoKernel }

func expandFile(context.Context, string, artifact, int, *progress) error { return errNoKernel }

func expandEmbedded(context.Context, *tictacchec.Rules, []artifact, int, *progress) error {
	return errNoKernel
}
