package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"solved/api"
	"solved/rules"
	"solved/server/game"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/service"
	"solved/server/tables"
	"solved/tablebase"
)

// TestWatch checks when a file counts as another one: when it is not what was
// opened, and has been the same for two looks.
func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	next := 0
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(content string) {
		t.Helper()
		next++
		must(os.WriteFile(path+".new", []byte(content), 0o644))
		// Times of their own, however fast this is.
		at := time.Unix(int64(next), 0)
		must(os.Chtimes(path+".new", at, at))
		must(os.Rename(path+".new", path))
	}
	put("one")
	w := service.NewWatch(path, service.LookAt(path))
	for _, step := range []struct {
		name string
		does func()
		want string // of each look that follows, y or n
	}{
		{"nothing", func() {}, "nnn"},
		{"replaced by one as long", func() { put("two") }, "nynn"},
		{"replaced twice between looks", func() { put("three"); put("four") }, "nyn"},
		{"growing", func() { put("five") }, "n"},
		{"grown", func() { put("five and six") }, "nyn"},
		{"removed", func() { must(os.Remove(path)) }, "nyn"},
		{"there again", func() { put("seven") }, "nyn"},
		{"gone for a look", func() { must(os.Rename(path, path+".away")) }, "n"},
		{"as it was", func() { must(os.Rename(path+".away", path)) }, "nyn"},
		{"written to", func() { must(os.WriteFile(path, []byte("eight"), 0o644)) }, "nyn"},
		{"another who may read", func() { must(os.Chmod(path, 0o600)) }, "nyn"},
		{"replaced, and opened at once", func() { put("nine"); w.Taken(service.LookAt(path)) }, "nn"},
		{"a link", func() { must(os.Rename(path, path+".1")); must(os.Symlink(path+".1", path)) }, "nyn"},
		{"a link to another", func() {
			must(os.WriteFile(path+".2", []byte("ten"), 0o644))
			must(os.Symlink(path+".2", path+".new"))
			must(os.Rename(path+".new", path))
		}, "nyn"},
	} {
		step.does()
		got := ""
		for range step.want {
			if w.Changed(service.LookAt(path)) {
				got += "y"
			} else {
				got += "n"
			}
		}
		if got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// servedFile makes a service of one canonical table file that has been verified.
func servedFile(t *testing.T, mode tablebase.Mode) (s *service.Service, p game.Prober, path string, log *lockedBuilder) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "served.ttb")
	tag := allGames().Catalog().Rulesets(tables.FormatCompact{})[0].Tag
	if err := writeDrawTable(path, tag, false); err != nil {
		t.Fatal(err)
	}
	log = new(lockedBuilder)
	how := standard()
	how.Tables, how.TableMode, how.AnyDigest = []string{path}, mode, true
	s, err := service.New(allGames(), how, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, s.Probers[0], path, log
}

// lockedBuilder is a log that is written and read at the same time.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func reloads(s *service.Service, p game.Prober) (success, failure float64) {
	return testutil.ToFloat64(s.Metrics.Reloads.WithLabelValues(p.ID().Name, service.ReloadSuccess)),
		testutil.ToFloat64(s.Metrics.Reloads.WithLabelValues(p.ID().Name, service.ReloadFailure))
}

// TestReload checks what becomes of the table before and of the new one.
func TestReload(t *testing.T) {
	for _, mode := range []tablebase.Mode{tablebase.Mapped, tablebase.Memory} {
		t.Run(mode.String(), func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			s, p, path, log := servedFile(t, mode)
			first := p.Slot().Table.Load()

			// There is no time any more: neither served nor refused, and closed.
			ended, stop := context.WithCancel(t.Context())
			stop()
			s.Reload(ended, p, path)
			if p.Slot().Table.Load() != first || log.String() == "" || strings.Contains(log.String(), "refused") {
				t.Errorf("reloaded when there was no time: %s", log)
			}
			if success, failure := reloads(s, p); success != 0 || failure != 0 {
				t.Errorf("%v and %v counted when there was no time", success, failure)
			}

			// Refused.
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			s.Reload(t.Context(), p, path)
			if success, failure := reloads(s, p); success != 0 || failure != 1 || p.Slot().Table.Load().Lease != first.Lease || p.Slot().Degraded() {
				t.Errorf("%v and %v counted when there was no file", success, failure)
			}
			if answer, err := tictacchectest.Probe(t.Context(), p, api.Question{}); err != nil || answer.Value != "draw" {
				t.Errorf("%+v, %v", answer, err)
			}

			// Served, and the one before closed.
			if err := writeDrawTable(path, p.Game().About().Tag, true); err != nil {
				t.Fatal(err)
			}
			s.Reload(t.Context(), p, path)
			if success, failure := reloads(s, p); success != 1 || failure != 1 {
				t.Errorf("%v and %v counted after a good one: %s", success, failure, log)
			}
			if answer, err := tictacchectest.Probe(t.Context(), p, api.Question{}); err != nil || answer.Value != "win" {
				t.Errorf("%+v, %v", answer, err)
			}
			closedNow(t, first)
			second := p.Slot().Table.Load()

			// At the end that one is closed, too, and nothing answers.
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			closedNow(t, second)
			if _, err := tictacchectest.Probe(t.Context(), p, api.Question{}); !errors.Is(err, api.ErrUnavailable) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// closedNow checks that a table of a file is closed.
func closedNow(t *testing.T, l *tables.Loaded) {
	t.Helper()
	select {
	case <-l.Lease.Done:
	default:
		t.Fatal("the table is not closed")
	}
	if _, err := l.Contents.(tables.CompactStore).Lookup(rules.Main, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("look-up after closing: %v", err)
	}
}

// TestReloadNotices checks that a refused file that is the one being served, since
// it was written to, makes the table fall back, though nobody asks.
func TestReloadNotices(t *testing.T) {
	s, p, path, _ := servedFile(t, tablebase.Mapped)
	first := p.Slot().Table.Load()
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	s.Reload(t.Context(), p, path)
	state := s.Readiness()
	if got := state.Tables[0]; !state.Ready || got.State != api.StateDegraded || got.Reason == nil {
		t.Errorf("readiness is %+v", state)
	}
	closedNow(t, first)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestFollowEnds checks that following ends with its context, at whatever point of
// loading it is, and that what it has opened is closed.
func TestFollowEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, p, _, log := servedFile(t, tablebase.Mapped)
	first := p.Slot().Table.Load()
	hangups := make(chan os.Signal)
	s.Hangups, s.How.TablePoll = hangups, time.Millisecond
	for range 5 {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			s.Follow(ctx)
			close(ended)
		}()
		hangups <- syscall.SIGHUP
		stop()
		<-ended
	}
	if n := strings.Count(log.String(), "asked to load"); n != 5 {
		t.Errorf("asked %d times", n)
	}
	if _, failure := reloads(s, p); failure != 0 {
		t.Errorf("%v failures counted", failure)
	}
	last := p.Slot().Table.Load()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	closedNow(t, first)
	closedNow(t, last)
}

// TestNoPipe checks that something that is not a file is refused rather than
// waited for.
func TestNoPipe(t *testing.T) {
	if _, err := allGames().Catalog().OpenTable(t.Context(), t.TempDir(), tablebase.Mapped); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := allGames().Catalog().OpenTable(t.Context(), os.DevNull, tablebase.Memory); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a device: %v", err)
	}
}
