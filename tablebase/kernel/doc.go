// Package kernel reads and writes the losses-only table of a solved game: the kernel,
// which with a short search gives every value that the whole table holds, in a few
// thousandths of its size. FORMAT.md describes the file byte by byte, and says what is
// left out and why that is enough. The package knows no game: a rules.Ruleset says what
// a file must agree with, indices are numbers, and a search is known by its version.
//
// # Reading and writing
//
// A Table holds the contents of a file. Encode gives the file, the same bytes every time; Decode
// and ReadFile give the table, checked. A program that answers from it gives its losses to the
// search whose version it states. No look-up is done in the file itself.
//
// # Concurrency
//
// All functions may be called at once. A Table is plain data: many may read it, and
// Encode it, as long as no goroutine changes it. Nothing goes on in the background.
//
// # Trust
//
// Files are not trusted. Any bytes give a table or an error, never a panic, and damage is
// a *tablebase.DamageError with its place. Sizes are bounded before they are allocated
// (MaxBody, MaxFrame), and what is unpacked is bounded, too. What a decoded table claims
// is possible, but it need not be true: that its losses are the right ones shows only
// when all positions are searched and the table that comes of it has the SHA-256 in
// Equal. The checksum finds accidents, not malice.
package kernel
