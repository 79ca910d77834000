//go:build !(linux || darwin)

package main

// processLimits knows of none here.
func processLimits() []bound { return nil }
