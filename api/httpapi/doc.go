// Package httpapi serves the contract of package api over HTTP. [New] makes a handler of
// one api.Prober for each ruleset; [NewOperational] makes one of the addresses for the
// operator alone.
//
// Values never change under a digest, so every good answer to a question has an
// ETag that is made of the question and the table's content digest (caching.go).
// A client that names it is answered 304 without the table being read. All other
// good answers are named by their own text; answers about tables have to be asked for
// again each time.
//
// The published explorer's own contract is answered at /api/probe (explorer.go).
//
// The contract's own document, at /openapi.json, is made of the list of operations
// that the routes are made of (operations.go, openapi.go), and every test of this
// package holds the answers it gets against it (package apitest). The answers that
// the document shows are recorded ones, in the folder examples; the program that serves
// real tables holds them against its own.
//
// An error that is no problem of the contract, a panic included, becomes an internal
// error with the request's id. Its text goes to [Config].Observe only.
//
// # Concurrency
//
// The handler is safe for concurrent use, as every Prober must be.
//
// # Trust
//
// Nothing that a client sends is trusted. Addresses are bounded by api.MaxURI, and the
// number of requests in flight by [Config].InFlight.
//
// The resources of a request are bounded, too. Requests that can take long, or have large
// answers, have turns of their own, about one a processor (gate.go), a budget of look-ups
// (api.Work) and of time ([Config].WorkTime). Their memory comes from one budget,
// [Config].Memory (memory.go), and is taken before it is used. An answer is whole
// in memory before its first byte is written. An answer that does not fit is refused with
// a status, and the rest of a batch position by position.
package httpapi
