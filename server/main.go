package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"solved/rules/inversetreblecross"
	"solved/rules/nim"
	"solved/rules/pig"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
)

func main() {
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
	os.Exit(run(ctx, allGames(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// allGames lists the games in the order in which they are shown everywhere.
func allGames() (list gameList) {
	for _, r := range tictacchec.Rulesets() {
		list = append(list, newTicTacChec(r))
	}
	for _, r := range tictactoe.Rulesets() {
		list = append(list, newTicTacToe(r))
	}
	for _, r := range nim.Rulesets() {
		list = append(list, newNim(r))
	}
	for _, r := range inversetreblecross.Rulesets() {
		list = append(list, newInverseTreblecross(r))
	}
	for _, r := range pig.Rulesets() {
		list = append(list, newPig(r))
	}
	return list
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
	return exitInput
}
