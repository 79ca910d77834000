package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// VersionText returns the output of --version: version, commit and date of the source, Go
// version, and the build settings that shape the program.
func VersionText(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "unknown"
	}
	commit, modified, date := "unknown", "", "unknown"
	var settings []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.time":
			date = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with uncommitted changes"
		case strings.HasPrefix(s.Key, "vcs"):
		default:
			if strings.Contains(s.Value, " ") {
				s.Value = strconv.Quote(s.Value)
			}
			if s.Value != "" {
				settings = append(settings, s.Key+"="+s.Value)
			}
		}
	}
	if len(settings) == 0 {
		settings = []string{"not stamped"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "solved %s\n", version)
	fmt.Fprintf(&b, "commit: %s%s\n", commit, modified)
	fmt.Fprintf(&b, "date:   %s\n", date)
	fmt.Fprintf(&b, "go:     %s %s/%s\n", info.GoVersion, runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "build:  %s\n", strings.Join(settings, " "))
	return b.String()
}

// BuildInfo returns the build information that the go command stamped into the program. A
// program built by other means has the Go version only.
func BuildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{GoVersion: runtime.Version()}
}
