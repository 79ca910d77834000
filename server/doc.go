// Command solved serves exact values of solved games over HTTP, answers on the
// command line, and makes and checks the tables it answers from.
//
//	solved serve   [--listen 127.0.0.1:8080] [--tables DIR] [--table FILE]… [--table-mode mmap|memory] …
//	solved health  [URL]
//	solved probe   RULES POSITION|-  [--table FILE] [--json]
//	solved line    RULES POSITION    [--table FILE] [--json]
//	solved solve   RULES -o FILE…    [--threads N]
//	solved expand  RULES -o FILE…    [--threads N]
//	solved verify  FILE…
//	solved audit   FILE              [--sample N] [--seed S] [--threads N]
//	solved info    FILE
//	solved convert IN OUT
//
// Without a subcommand it serves. Exit codes: 0 fine, 1 the input is wrong,
// 2 the command line is wrong, 3 a file is damaged or has wrong entries.
//
// This package ties the others together, none of which knows the others: a
// prober for each ruleset implements api.Prober by asking the game for moves and
// an entries for values, be that a table file or the table that the program
// carries. games is the list of what there is.
//
// # Concurrency
//
// A prober holds its table behind an atomic pointer, and a table is replaced as
// a whole, never changed. Evaluating a position uses memory of its own from a
// pool, and allocates nothing.
//
// # Trust
//
// What comes over HTTP or standard input is not trusted. A table file is not
// trusted before it is verified: until then its ruleset answers that it is not
// available. It is not trusted to stay as it was, either: while it is mapped, it is
// looked at with every answer (stamp). Nor is it enough that it is well-formed: its
// digest has to be that of the right table (heldAgainst).
package main
