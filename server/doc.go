// Command solved serves exact values of solved games over HTTP, answers on the
// command line, and makes and checks the tables it answers from.
//
//	solved serve   [--listen 127.0.0.1:8080] [--tables DIR] [--table FILE]… [--table-mode mmap|memory] …
//	solved health  [URL]
//	solved probe   RULES POSITION|-  [--table FILE] [--json]
//	solved line    RULES POSITION    [--table FILE] [--json]
//	solved play    RULES [POSITION]
//	solved solve   RULES -o FILE…    [--threads N]
//	solved expand  RULES -o FILE…    [--threads N]
//	solved verify  FILE…
//	solved audit   FILE              [--sample N] [--seed S] [--threads N]
//	solved prove   [RULES…]
//	solved report  FILE -o DIR
//	solved reach   RULES
//	solved info    FILE
//	solved convert IN OUT
//	solved man     DIR
//
// Without a subcommand it serves. Exit codes: 0 success; 1 wrong input; 3 a damaged file, a wrong
// entry, or a claim that does not hold; 64 wrong usage; 130 or 143 after Ctrl-C or SIGTERM.
//
// This package holds main and the list of games, allGames. It is the only one that knows the
// games by name. Package server/cli holds the commands, server/service the HTTP server,
// server/game the answers to questions about any game, server/games/<game> one game each, and
// server/tables the table files. The tests here drive the program as a whole.
package main
