// Package tables holds table files in use: it opens, verifies, converts and writes them, and lets
// the server replace a table while clients read it.
//
// A [Format] is a file format of tables, and a [Catalog] the formats and rulesets of all games
// (formats.go). [Catalog.VerifyFile] and [Catalog.Convert] are the work of the commands of these
// names (digest.go). A [Slot] holds the table that answers the questions about one ruleset, and
// falls back on the embedded table when a read fails (slot.go). A lease keeps a replaced table
// open until its last reader is done (lease.go). A [Stamp] tells whether a file has changed since
// it was verified (stamp.go). The embedded tables are files that a game carries (embedded.go).
//
// # Imports
//
// tables may import api, tablebase, tablebase/probability and rules. It knows no game by name and
// no HTTP. A game gives it formats of its own.
//
// # Trust
//
// A file is not trusted until it is verified in full and its digest is that of the right table.
// A mapped file can change later: its stamp is compared after each read.
package tables
