// Package tablebase reads and writes the files that hold the values of a solved game: the
// compact table TTCCMP01 (.ttb), which is looked up by index where it lies, and the
// byte-per-position table TTCTB001 (.tb), which is a stream to convert from and to. FORMAT.md
// describes both, byte by byte. It knows no game: a rules.Ruleset gives the fields that a file must agree
// with, and indices are numbers.
//
// # Opening, verifying, looking up
//
// Open checks the header and the length of a compact table, and is instant; OpenFile does so for
// a file that is open already. Verify reads it all and checks everything else; call it once before
// answers are relied on. Lookup and LookupMany then give entries by index. A file compressed by
// zstd is told by its contents and opens in the same way, into memory.
//
// # Writing
//
// Write and WriteBytes write a table from a Source: a solver, an open Table, or a ByteReader. Create
// gives them a file that appears under its name whole or not at all.
//
// # Concurrency
//
// A Table may be used by many goroutines at once, except for Close, which must come after all
// else. Verify and the writers run on as many threads as they are told. A ByteReader is for one
// goroutine. Nothing goes on in the background after a call returns, but for a ByteReader of a
// compressed file, until it is closed.
//
// # Trust
//
// Files are not trusted. Nothing is allocated on the word of a header before it agrees with a
// known ruleset and the file is as long as it says; a zstd frame's demands are bounded. Any bytes
// give a table or an error, never a panic. Damage is a *DamageError with its place in the file. A
// mapped file that is cut short while it is open turns look-ups into errors (*FaultError) rather
// than killing the process. A look-up checks what it reads, so damage that comes after
// verification is an error where it leads outside the table or to an impossible distance; other
// changes to a mapped file cannot be seen from a look-up, and are for the caller to exclude. The checksum finds accidents, not
// malice: against that, compare a Digest's SHA-256.
package tablebase
