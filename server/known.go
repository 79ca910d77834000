package main

import (
	"context"
	"crypto/sha256"
	"fmt"

	"solved/rules"
	"solved/tablebase"
)

// digestError says that a file is a well-formed table, but not the right one of its ruleset.
type digestError struct {
	path         string
	ruleset      rules.Ruleset
	found, right [sha256.Size]byte // SHA-256 of the .ttb or .prob with these contents
}

func (e *digestError) Error() string {
	return fmt.Sprintf("%s: well-formed, but not the table of %s: the SHA-256 of its contents is %x, that of the right ones %x; --any-digest accepts it all the same",
		e.path, describe(e.ruleset), e.found, e.right)
}

// checkDigest holds the digest of a file's contents against that of the only right table of its
// ruleset. Other contents are an error, unless any will do: then it only returns how they differ.
func (c catalog) checkDigest(path string, rs rules.Ruleset, content tablebase.Digest, anyDigest bool) (other *digestError, err error) {
	k, err := c.find(rs.Tag)
	if err != nil {
		return nil, err
	}
	right, err := k.right()
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

// verified is what is known of a file that was checked in full.
type verified struct {
	path    string
	ruleset rules.Ruleset
	digest  tablebase.Digest // of the file
	// other says that its contents are not those of the right table; nil if they are.
	other *digestError
}

// verifyFile checks everything about a file of any format. Contents other than those of
// the right table are an error unless any will do.
func (c catalog) verifyFile(ctx context.Context, path string, anyDigest bool, threads int, p progressFunc) (verified, error) {
	in, err := c.openInput(ctx, path, tablebase.Mapped)
	if err != nil {
		return verified{}, err
	}
	defer in.Close()
	d, err := in.verify(ctx, threads, p.positions("reading "+path, in.Ruleset()))
	if err != nil {
		return verified{}, err
	}
	other, err := c.checkDigest(path, in.Ruleset(), d.contents, anyDigest)
	return verified{path, in.Ruleset(), d.file, other}, err
}

// convert writes the table in the file at path as another file. A damaged file, or one with
// other contents than those of the right table unless any will do, is not converted.
func (c catalog) convert(ctx context.Context, path string, out artifact, threads int, anyDigest bool, p progressFunc) error {
	// In memory of our own, so that what is verified is what is written.
	in, err := c.openInput(ctx, path, tablebase.Memory)
	if err != nil {
		return err
	}
	defer in.Close()
	rs := in.Ruleset()
	kind, err := c.find(rs.Tag)
	if err != nil {
		return err
	}
	if err := kind.check(out); err != nil {
		return err
	}
	if err := checkOutputs(rs, in.decisive(), out); err != nil {
		return err
	}
	d, err := in.verify(ctx, threads, p.positions("reading "+path, rs))
	if err != nil {
		return err
	}
	if _, err := c.checkDigest(path, rs, d.contents, anyDigest); err != nil {
		return err
	}
	return in.rewrite(ctx, out, d, threads, p)
}
