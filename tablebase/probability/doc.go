// Package probability reads and writes tables for games of chance with two actions in a
// position: the probability that the side to move wins, in 16 bits, and which action is
// best, in one. FORMAT.md describes the file byte by byte. The package knows no game: a
// rules.Ruleset says what a file must agree with, and indices are numbers.
//
// # Opening, verifying, looking up
//
// Open checks the header and the length of a table, and is instant. Verify reads it all and
// checks everything else; call it once before answers are relied on. Lookup then gives
// entries by index. A file compressed by zstd is told by its contents and opens in the same
// way, into memory; so do bytes (OpenBytes).
//
// # Writing
//
// Write writes a table from a function. tablebase.Create gives it a file that appears under
// its name whole or not at all, and compresses it if the name ends in ".zst".
//
// # Concurrency
//
// A Table may be used by many goroutines at once, except for Close, which must come after all
// else. Nothing goes on in the background.
//
// # Trust
//
// Files are not trusted. Nothing is allocated on the word of a header before it agrees with a
// known ruleset, and what is unpacked is bounded by the longest table that could be wanted.
// Any bytes give a table or an error, never a panic. Damage is a *tablebase.DamageError with
// its place. A mapped file that is cut short while it is open turns look-ups into errors
// (*tablebase.FaultError) rather than killing the process; other changes to a mapped file
// cannot be seen from a look-up. Every 16 bits are a probability, so that damage to them shows
// only in the checksum, which finds accidents, not malice: against that, compare a Digest's
// SHA-256.
package probability
