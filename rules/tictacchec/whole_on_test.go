//go:build whole

package tictacchec

// With the build tag whole the tests go through all that they are about.
const (
	whole = true
	oneIn = 1 // of the random positions of the longest tests, one in so many is taken
)
