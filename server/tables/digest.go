package tables

import (
	"context"
	"crypto/sha256"
	"fmt"

	"solved/rules"
	"solved/tablebase"
)

// DigestError is the error of a well-formed table that is not the right one of its ruleset.
type DigestError struct {
	Path         string
	Ruleset      rules.Ruleset
	Found, Right [sha256.Size]byte // SHA-256 of the .ttb or .prob with these contents
}

func (e *DigestError) Error() string {
	return fmt.Sprintf("%s: well-formed, but not the table of %s: the SHA-256 of its contents is %x, that of the right ones %x; --any-digest accepts it all the same",
		e.Path, Describe(e.Ruleset), e.Found, e.Right)
}

// CheckDigest compares the digest of a file's contents with that of the right table of its ruleset. Other
// contents are an error. If anyDigest is set, CheckDigest returns them as other, without an error.
func (c Catalog) CheckDigest(path string, rs rules.Ruleset, content tablebase.Digest, anyDigest bool) (other *DigestError, err error) {
	k, err := c.find(rs.Tag)
	if err != nil {
		return nil, err
	}
	right, err := k.Right()
	if err != nil {
		return nil, err
	}
	if content.SHA256 == right.SHA256 {
		return nil, nil
	}
	other = &DigestError{path, rs, content.SHA256, right.SHA256}
	if !anyDigest {
		return nil, other
	}
	return other, nil
}

// Verified is the result of verifying a file.
type Verified struct {
	Path    string
	Ruleset rules.Ruleset
	Digest  tablebase.Digest // of the file
	// Other says that its contents are not those of the right table; nil if they are.
	Other *DigestError
}

// VerifyFile checks everything about a file of any format. Other contents than those of the right table
// are an error unless anyDigest is set.
func (c Catalog) VerifyFile(ctx context.Context, path string, anyDigest bool, threads int, p ProgressFunc) (Verified, error) {
	in, err := c.OpenInput(ctx, path, tablebase.Mapped)
	if err != nil {
		return Verified{}, err
	}
	defer in.Close()
	d, err := in.Verify(ctx, threads, p.Positions("reading "+path, in.Ruleset()))
	if err != nil {
		return Verified{}, err
	}
	other, err := c.CheckDigest(path, in.Ruleset(), d.Contents, anyDigest)
	return Verified{path, in.Ruleset(), d.File, other}, err
}

// Convert writes the table in the file at path as another file. It refuses a damaged file. It refuses
// other contents than those of the right table unless anyDigest is set.
func (c Catalog) Convert(ctx context.Context, path string, out Artifact, threads int, anyDigest bool, p ProgressFunc) error {
	// The table is read into memory, so that the verified bytes are the bytes that are written.
	in, err := c.OpenInput(ctx, path, tablebase.Memory)
	if err != nil {
		return err
	}
	defer in.Close()
	rs := in.Ruleset()
	kind, err := c.find(rs.Tag)
	if err != nil {
		return err
	}
	if err := kind.Check(out); err != nil {
		return err
	}
	if err := CheckOutputs(rs, in.Decisive(), out); err != nil {
		return err
	}
	d, err := in.Verify(ctx, threads, p.Positions("reading "+path, rs))
	if err != nil {
		return err
	}
	if _, err := c.CheckDigest(path, rs, d.Contents, anyDigest); err != nil {
		return err
	}
	return in.Rewrite(ctx, out, d, threads, p)
}
