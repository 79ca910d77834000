// Package notakto makes the game of Notakto, from the misère quotient in rules/notakto.
//
// It has an encoder of its own, as it is the only game of its kind. It may import rules/notakto, and
// package game and those below it. Only package main imports it.
package notakto
