package main

import (
	"crypto/sha256"
	"fmt"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/tablebase"
)

// digestError says that a file is a well-formed table, and not the right one of its ruleset.
type digestError struct {
	path         string
	ruleset      rules.Ruleset
	found, right [sha256.Size]byte // SHA-256 of the .ttb or .prob with these contents
}

func (e *digestError) Error() string {
	return fmt.Sprintf("%s: well-formed, but not the table of %s: the SHA-256 of its contents is %x, that of the right ones %x; --any-digest accepts it all the same",
		e.path, describe(e.ruleset), e.found, e.right)
}

// heldAgainst holds the contents of a file against those of the only right table of its
// ruleset, by their digests. Others are an error, unless any will do: then they are only told.
func heldAgainst(path string, rs rules.Ruleset, content tablebase.Digest, anyDigest bool) (other *digestError, err error) {
	g, err := findGame(rs.Tag.String())
	if err != nil {
		return nil, err
	}
	right, err := g.carried()
	if err != nil {
		return nil, err
	}
	if content.SHA256 == right.SHA256 {
		return nil, nil
	}
	other = &digestError{path, rs, content.SHA256, right.SHA256}
	if !anyDigest {
		return nil, other
	}
	return other, nil
}

// anyDigestFlag lets a command accept tables that are not the right ones.
func anyDigestFlag(c *cobra.Command, anyDigest *bool) {
	c.Flags().BoolVar(anyDigest, "any-digest", false, anyDigestUsage)
}

const anyDigestUsage = "accept well-formed tables whose contents are not the right ones of their ruleset"
