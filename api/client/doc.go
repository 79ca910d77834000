// Package client asks a service that speaks the contract of package api.
//
//	c, err := client.New("https://solved.example")
//	probe, err := c.Probe(ctx, 0x54544303, client.At("Pb2/n1R1/2rp/N3 w dd m"))
//
// Answers about positions are of the kind of their ruleset: *api.PiecesProbe,
// *api.MarksProbe and so on. One of a kind that this package does not know is a
// failure.
//
// # Rules
//
// Every question about a position states the tag of the rules that the position
// was written for. The tag is the address, it is sent as an assertion besides, and
// what comes back must hold for it: an answer for other rules is a
// [*MismatchError], whoever mixed them up. [Client.Ruleset] finds the tag of a
// name.
//
// # Failures
//
// Every failure is an [*Error]. Behind it, for errors.As, is the *api.Problem that
// the service answered with, whose Kind tells what is wrong; a [*MismatchError]; an
// [*AnswerError] for what is no answer of the contract; or what went wrong on the
// way, the context's error included.
//
// # Asking again
//
// An answer of 429 or 503 says that the same question may be answered later. It is
// asked again when the answer's Retry-After is over, and a little more, so that
// clients that were turned away together do not come back together. How often and
// for how long altogether is bounded by [WithTries] and [WithTime]; a wait that
// would not be over before that, or before the context's deadline, is not begun.
// Every question may be asked twice without harm, batches too. Nothing else is
// repeated.
//
// # Concurrency and trust
//
// A Client may be used from many goroutines. Nothing that a service answers is
// trusted: its length is bounded by [WithLargest], also where it comes
// compressed, and it is checked for the rules. Redirections are not followed unless
// [WithHTTPClient] gives a client that does.
package client
