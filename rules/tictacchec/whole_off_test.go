//go:build !whole

package tictacchec

// Without the build tag whole the tests take a part of what they are about.
const (
	whole = false
	oneIn = 5 // of the random positions of the longest tests, one in so many is taken
)
