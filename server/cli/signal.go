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
	if !signal.Ignored(syscall.SIGHUP) { // ignored means that the program must outlive its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		end(endedBy(<-signals))
		os.Exit(endedBy(<-signals).code()) // a second signal ends the program at once
	}()
	return Run(ctx, games, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

// endedBy returns the error of a signal.
func endedBy(s os.Signal) *signalError { return &signalError{s} }

func (e *signalError) Error() string { return "interrupted: " + e.signal.String() }

// Unwrap makes errors.Is(err, context.Canceled) true.
func (e *signalError) Unwrap() error { return context.Canceled }

// code returns the exit code of a program that a signal ended, by the convention of shells.
func (e *signalError) code() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return ExitInput
}
