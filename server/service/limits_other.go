//go:build !(linux || darwin)

package service

// processLimits returns no limits: this system has none that the server can read.
func processLimits() []Bound { return nil }
