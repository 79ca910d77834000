// Package api is the contract without its transport: the JSON of questions and answers,
// how questions are read, and failures as problem details (RFC 9457). It knows no game,
// sees no file and opens no socket. The interface [Prober] connects it with the games:
// there is one for each ruleset. Package httpapi makes an HTTP handler of them.
//
// Values differ from game to game, and so do the answers: there is a type of probe and of
// line for each [Kind], in a file of its own (pieces.go, marks.go, grundy.go, misere.go,
// chance.go), and every answer says its kind.
//
// The wire types stand apart from the games' own types, so that a change of one
// cannot silently be a change of the other. The order of their fields is part
// of the contract and pinned by the files in httpapi/testdata/golden.
//
// One table, in problem.go, says for each kind of failure which status, title
// and log level it has. [ProblemOf] turns an error that is neither in that table nor
// foreseen into an internal error, whose text the client does not see.
//
// Beside the contract stands the published explorer's own (explorer.go), for pages made
// for it. A [Prober] that is an [Explorer] answers it.
//
// # Trust
//
// Nothing that a client sends is trusted. Moves are bounded by [MaxMoves], lines by
// [MaxPlies], batches by [MaxBatch] and [MaxBody], and the look-ups of a request by its
// [Work]. Queries and bodies are parsed strictly, and the JSON encoder alone escapes text
// that is echoed. A Prober is trusted to answer, not to keep its errors presentable.
package api
