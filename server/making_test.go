package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"solved/api"
	"solved/server/game"
	"solved/server/service"
	"solved/server/tables"
)

// makingService is a service that makes tables in a directory, and its log. Those that take
// long are left out.
func makingService(t *testing.T, dir string) (*service.Service, *lockedBuilder) {
	t.Helper()
	log := new(lockedBuilder)
	how := standard()
	how.TablesDir, how.TablePoll = dir, 10*time.Millisecond
	s, err := service.New(allGames(), how, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.MakeMemory = func(g game.Game) uint64 { return min(service.ExpandMemory(g), 1) << 62 } // more than there is
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, log
}

// followingTables lets a service follow its files until the test ends or end is called, which waits for it.
func followingTables(t *testing.T, s *service.Service) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Follow(ctx)
	}()
	end = func() { stop(); <-ended }
	t.Cleanup(func() {
		end()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return end
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool, log fmt.Stringer) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not %s: %s", what, log)
		}
	}
}

// stands says how the table of a ruleset stands: its source and its state.
func stands(s *service.Service, name string) string {
	for _, p := range s.Probers {
		if p.ID().Name == name {
			now := p.Slot().Table.Load()
			return now.Wire.Source + " " + now.State
		}
	}
	return "no such ruleset"
}

// TestMakeTables follows tables through their life: they are made, served, found at the next
// start, refused when they are damaged, and made again when they are removed.
func TestMakeTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	games := map[string]string{"tic-tac-toe": "tic-tac-toe.ttb", "pig": "pig.prob"}
	all := func(s *service.Service, want string) func() bool {
		return func() bool {
			for name := range games {
				if stands(s, name) != want {
					return false
				}
			}
			return true
		}
	}
	const mapped, embedded, degraded = api.SourceMapped + " " + api.StateReady, api.SourceEmbedded + " " + api.StateReady, api.SourceEmbedded + " " + api.StateDegraded

	s, log := makingService(t, dir)
	if !all(s, embedded)() || !s.Readiness().Ready {
		t.Errorf("before they are made: %+v", s.Readiness())
	}
	left := filepath.Join(dir, ".pig.prob.0123456789abcdef.solved.tmp")
	if err := os.WriteFile(left, []byte("left over"), 0o600); err != nil {
		t.Fatal(err)
	}
	end := followingTables(t, s)
	eventually(t, "made", all(s, mapped), log)
	eventually(t, "left out", func() bool { return strings.Count(log.String(), "a table is not made") == 3 }, log)
	end()
	if !strings.Contains(log.String(), "file="+filepath.Join(dir, "tic-tac-chec.ttb")+` error="making it takes 4611686018427 MB of memory, and `) {
		t.Errorf("not told why not: %s", log)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what was left over is still there")
	}
	for name, file := range games {
		if _, err := allGames().Catalog().VerifyFile(t.Context(), filepath.Join(dir, file), false, 1, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	// They are there from the beginning now.
	s, log = makingService(t, dir)
	if !all(s, mapped)() || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("at the next start: %+v, %s", s.Readiness(), log)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	// Damaged, they are refused, and stay as they are until they are removed.
	for _, file := range games {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, log = makingService(t, dir)
	if !all(s, degraded)() || !s.Readiness().Ready || strings.Count(log.String(), "a table file is no good") != 2 {
		t.Errorf("damaged: %+v, %s", s.Readiness(), log)
	}
	end = followingTables(t, s)
	eventually(t, "left out", func() bool { return strings.Count(log.String(), "a table is not made") == 3 }, log)
	for _, file := range games {
		if text, err := os.ReadFile(filepath.Join(dir, file)); string(text) != "damaged" {
			t.Errorf("overwritten, %v", err)
		}
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "made again", all(s, mapped), log)
	end()
}

// TestMakeTablesOnce checks that of two servers only one makes tables in a directory, and that
// the other one serves them.
func TestMakeTablesOnce(t *testing.T) {
	dir := t.TempDir()
	lock, busy, err := service.LockDirectory(dir)
	if err != nil || busy {
		t.Fatal(busy, err)
	}
	s, log := makingService(t, dir)
	followingTables(t, s)
	eventually(t, "waiting", func() bool { return strings.Contains(log.String(), "another process makes tables") }, log)
	if strings.Contains(log.String(), "making a table") {
		t.Errorf("both make them: %s", log)
	}
	pig, err := allGames().Find("pig")
	if err != nil {
		t.Fatal(err)
	}
	if err := pig.(game.Expander).Expand(t.Context(), []tables.Artifact{{Path: filepath.Join(dir, "pig.prob"), Format: tables.FormatProbability{}}}, 1, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "served", func() bool { return stands(s, "pig") == "mapped ready" }, log)
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "made", func() bool { return stands(s, "tic-tac-toe") == "mapped ready" }, log)
	if strings.Count(log.String(), "another process makes tables") != 1 || strings.Contains(log.String(), "making a table in the background\" rules=pig") {
		t.Errorf("the log: %s", log)
	}
}

// TestMakeTablesEnds checks that the end of the server is the end of making a table, at once and
// without a trace.
func TestMakeTablesEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	s, log := makingService(t, dir)
	s.MakeMemory = func(game.Game) uint64 { return 0 } // it is ended long before it takes much
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Follow(ctx)
	}()
	eventually(t, "making", func() bool {
		return strings.Contains(log.String(), `msg="making a table in the background" rules=tic-tac-chec `)
	}, log)
	if err := os.WriteFile(filepath.Join(dir, ".tic-tac-chec.ttb.0123456789abcdef.solved.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop()
	<-ended
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if strings.Contains(log.String(), "is not made") {
		t.Errorf("the log: %s", log)
	}
}

// TestTablesDirectory checks what --tables refuses and leaves out.
func TestTablesDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	how := standard()
	how.TablesDir = file
	if _, err := service.New(allGames(), how, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "it is not a directory") {
		t.Errorf("a file: %v", err)
	}
	// Where nothing can be made, the embedded tables answer.
	s, log := makingService(t, filepath.Join(file, "below"))
	followingTables(t, s)
	eventually(t, "left out", func() bool { return strings.Count(log.String(), "a table is not made") == 5 }, log)
	if got := s.Readiness(); !got.Ready || stands(s, "pig") != "embedded ready" {
		t.Errorf("%+v", got)
	}
}

// TestLastLine checks that of what is written only the end is kept.
func TestLastLine(t *testing.T) {
	var l service.LastLine
	for _, step := range []struct{ text, want string }{
		{"one", "one"}, {" and two\n", "one and two"}, {"three\nfour\n", "four"}, {"", "four"}, {"five", "five"}, {"\n", "five"},
		{strings.Repeat("x", 2*service.MostKept), strings.Repeat("x", service.MostKept)}, {"y", strings.Repeat("x", service.MostKept)}, {"\nz\n", "z"},
	} {
		if n, err := l.Write([]byte(step.text)); n != len(step.text) || err != nil {
			t.Errorf("%q: %d, %v", step.text, n, err)
		}
		if got := l.String(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.text, got, step.want)
		}
	}
}
