//go:build whole

package tictacchec

// whole tells whether the tests go through all that they are about, as the build tag whole asks for.
const whole = true
