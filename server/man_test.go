package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"solved/server/cli"
	"solved/server/listener"
)

// TestManPages: there is a page for each command that the help lists, it names each of the
// command's flags, and two runs write the same.
func TestManPages(t *testing.T) {
	write := func(dir string) (code int, errs string) {
		var e bytes.Buffer
		code = cli.Run(context.Background(), allGames(), []string{"man", dir}, nil, strings.NewReader(""), &e, &e)
		return code, e.String()
	}
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if code, errs := write(dir); code != cli.ExitFine || errs != "" {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	var wanted []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		wanted = append(wanted, name)
		page, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Error(err)
			return
		}
		again, err := os.ReadFile(filepath.Join(second, name))
		if err != nil || !bytes.Equal(page, again) {
			t.Errorf("%s differs from run to run: %v", name, err)
		}
		plain := strings.ReplaceAll(string(page), `\-`, "-")
		for line := range strings.Lines(c.LocalFlags().FlagUsages()) {
			for _, word := range strings.Fields(line) {
				if strings.HasPrefix(word, "--") {
					if !strings.Contains(plain, word) {
						t.Errorf("%s does not name %s", name, word)
					}
					break
				}
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				visit(sub)
			}
		}
	}
	root := cli.NewCommand(allGames(), nil)
	cli.StrictHelp(root)
	visit(root)
	entries, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) || len(got) < 15 {
		t.Errorf("pages %q, want %q", got, wanted)
	}

	file := filepath.Join(first, "solved.1")
	for where, complaint := range map[string]string{file: "is not a directory", filepath.Join(first, "none"): "no such file"} {
		if code, errs := write(where); code != cli.ExitInput || !strings.Contains(errs, complaint) {
			t.Errorf("%s: exit code %d, %s", where, code, errs)
		}
	}
}

// TestOtherPort: the hint at a taken port names one that can be had.
func TestOtherPort(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "--listen 127.0.0.1:8081 or SOLVED_LISTEN=127.0.0.1:8081",
		":80":            "--listen :81 or SOLVED_LISTEN=:81",
		"[::1]:65535":    "--listen [::1]:8081 or SOLVED_LISTEN=[::1]:8081",
		"localhost:http": "--listen localhost:8081 or SOLVED_LISTEN=localhost:8081",
	} {
		if got := listener.OtherPort("listen", address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
