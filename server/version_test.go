package main

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"solved/server/cli"
)

func TestVersionText(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, c := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"nothing stamped", debug.BuildInfo{GoVersion: "go1.26.1"}, `solved unknown
commit: unknown
date:   unknown
go:     go1.26.1 ` + runtime.GOOS + "/" + runtime.GOARCH + `
build:  not stamped
`},
		{"a clean commit", debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
			setting("-trimpath", "true"), setting("-ldflags", "-s -w"), setting("CGO_CFLAGS", ""), setting("CGO_ENABLED", "0"),
			setting("vcs", "git"), setting("vcs.revision", "0123abc"), setting("vcs.time", "2026-11-30T01:02:03Z"), setting("vcs.modified", "false"),
		}}, `solved v1.2.3
commit: 0123abc
date:   2026-11-30T01:02:03Z
go:     go1.26.1 ` + runtime.GOOS + "/" + runtime.GOARCH + `
build:  -trimpath=true -ldflags="-s -w" CGO_ENABLED=0
`},
		{"changed since", debug.BuildInfo{Settings: []debug.BuildSetting{
			setting("vcs.modified", "true"), setting("vcs.revision", "0123abc"),
		}}, "commit: 0123abc with uncommitted changes\n"},
	} {
		if got := cli.VersionText(&c.info); got != c.want && (c.name != "changed since" || !strings.Contains(got, c.want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestVersionFlag: the flag prints the text of this very program, no variable sets it, and
// the subcommands have none.
func TestVersionFlag(t *testing.T) {
	runs := func(environ []string, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = cli.Run(context.Background(), allGames(), args, environ, strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	if code, out, errs := runs(nil, "--version"); code != cli.ExitFine || out != cli.VersionText(cli.BuildInfo()) || errs != "" {
		t.Errorf("--version: exit code %d\n%s\n%s", code, out, errs)
	}
	if code, _, errs := runs([]string{"SOLVED_VERSION=true"}); code != cli.ExitUsage || !strings.Contains(errs, "unknown environment variable SOLVED_VERSION") {
		t.Errorf("SOLVED_VERSION: exit code %d, %s", code, errs)
	}
	if code, _, errs := runs(nil, "serve", "--version"); code != cli.ExitUsage || !strings.Contains(errs, "unknown flag: --version") {
		t.Errorf("serve --version: exit code %d, %s", code, errs)
	}
}
