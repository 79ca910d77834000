// Package service runs the HTTP server of the program solved: configuration, start and
// shutdown, tables and their replacement, limits, metrics, log and traces.
//
// [Config] declares a flag for each setting (config.go). [Run] starts the server (serve.go). A
// [Service] holds a prober for each game and the table files that the operator named
// (service.go). It follows the table files and swaps a changed one in, at once on SIGHUP
// (reload.go). It makes missing tables in a child process (making.go). [Limiter] holds the rate
// limit of each client (limits.go). Package httpapi turns requests into questions and answers
// into JSON; this package gives it the probers.
//
// # Imports
//
// service may import game, tables, listener and flags, and below them api, api/httpapi,
// tablebase and rules. It knows no game by name. Package cli imports it.
//
// # Concurrency
//
// A Service serves requests, follows files and makes tables at the same time. Each prober holds
// its table in a tables.Slot, so that a new table takes the old one's place as a whole.
//
// # Trust
//
// Requests are not trusted: package httpapi checks them, and package listener bounds
// connections and headers. A table file is not trusted until it is verified, and the server
// compares its digest with that of the right table.
package service
