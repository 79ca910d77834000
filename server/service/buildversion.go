package service

import "runtime/debug"

// BuildVersion returns the version of the main module as the go command stamped it,
// "unknown" without a stamp.
func BuildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
