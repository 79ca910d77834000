// Package flags gives command-line flags types and environment variables.
//
// [NewValue] and [NewList] make a flag of one value and of several, from a function that parses
// a value, such as [ParseDuration] or [ParseNetwork] (flagvalue.go). Each flag of the server can
// be set by an environment variable too, --log-level by SOLVED_LOG_LEVEL (environment.go).
// [UsageError] is a wrong command line.
//
// flags imports no other package of this module.
package flags
