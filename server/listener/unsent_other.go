//go:build !linux

package listener

// boundUnsent does nothing: other systems keep their own bounds.
func boundUnsent(uintptr, int) {}
