//go:build !(linux || darwin)

package service

// processLimits knows of none here.
func processLimits() []Bound { return nil }
