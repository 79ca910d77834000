//go:build !whole

package tictacchec

// whole tells whether the tests go through all that they are about. Without the build tag
// whole they take a part of it.
const whole = false
