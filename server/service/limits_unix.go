//go:build linux || darwin

package service

import "golang.org/x/sys/unix"

// processLimits returns the memory limits that a child process inherits.
func processLimits() (bounds []Bound) {
	for _, limit := range []struct {
		resource int
		name     string
	}{{unix.RLIMIT_AS, "RLIMIT_AS"}, {unix.RLIMIT_DATA, "RLIMIT_DATA"}} {
		var r unix.Rlimit
		if unix.Getrlimit(limit.resource, &r) == nil {
			bounds = append(bounds, Bound{uint64(r.Cur), limit.name})
		}
	}
	return bounds
}
