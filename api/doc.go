// Package api is the HTTP contract: its addresses, the JSON of its answers, and
// its failures as problem details (RFC 9457). It knows no game and sees no
// file. What it needs from whoever does is the interface [Prober], one for each
// ruleset; [New] makes a handler of them.
//
// What positions are worth differs from game to game, and so do the answers: there is a
// type of probe and of line for each [Kind], in a file of its own (pieces.go, marks.go,
// grundy.go, chance.go), and every answer says its kind.
//
// The wire types stand apart from the games' own types, so that a change of one
// cannot silently be a change of the other. The order of their fields is part
// of the contract and pinned by the files in testdata/golden.
//
// One table, in problem.go, says for each kind of failure which status, title
// and log level it has. Whatever is neither in that table nor foreseen, a panic
// included, becomes an internal error with the request's id and no word of what
// happened; [Config].Observe is told the rest.
//
// Values never change under a digest, so every good answer to a question has an
// ETag that is made of the question and the table's content digest (caching.go),
// and a client that names it is answered 304 without the table being read. All other
// good answers are named by their own text; what is said of tables has to be asked for
// again each time.
//
// Beside the contract stands the published explorer's own, /api/probe (explorer.go),
// for pages made for it. A [Prober] that is an [Explorer] answers it.
//
// The contract's own document, at /openapi.json, is made of the list of operations
// that the routes are made of (operations.go, openapi.go), and every test of this
// package holds the answers it gets against it (package apitest). The answers that
// the document shows are recorded ones; the program that serves real tables holds
// them against its own.
//
// # Concurrency
//
// The handler is safe for concurrent use, as every Prober must be.
//
// # Trust
//
// Nothing that a client sends is trusted. Addresses are bounded by [MaxURI],
// moves by [MaxMoves], lines by [MaxPlies], batches by [MaxBatch] and [MaxBody],
// and what is in flight by [Config].InFlight; queries and bodies are parsed
// strictly, and what is echoed is escaped by the JSON encoder alone. A Prober is trusted to answer,
// not to keep its errors presentable.
//
// What a request takes is bounded, too. Requests that can take long, or have large
// answers, have turns of their own, about one a processor (gate.go), a budget of look-ups
// ([Work]) and of time ([Config].WorkTime). What they take of memory comes from one
// budget, [Config].Memory (memory.go), and is taken before it is used. An answer is whole
// in memory before its first byte is written: what does not fit is refused with a status,
// and the rest of a batch position by position.
package api
