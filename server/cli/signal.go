package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"solved/server/game"
)

// Main runs the program with the arguments, the environment and the streams of the process, until it
// is done or a signal ends it. It returns the exit code.
func Main(games game.List) int {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // else the program is to outlive its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		end(endedBy(<-signals))
		os.Exit(endedBy(<-signals).code()) // the second time there is no patience
	}()
	return Run(ctx, games, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
}

// signalError says that a signal has told the program to end.
type signalError struct{ signal os.Signal }

func endedBy(s os.Signal) *signalError { return &signalError{s} }

func (e *signalError) Error() string { return "interrupted: " + e.signal.String() }

// Unwrap says that this is the end of a context like any other.
func (e *signalError) Unwrap() error { return context.Canceled }

// code is the exit code of a program that a signal has ended, as shells have it.
func (e *signalError) code() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return ExitInput
}
