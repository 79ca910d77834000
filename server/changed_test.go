package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"solved/api"
	"solved/rules"
	"solved/rules/tictactoe"
	"solved/server/cli"
	"solved/server/game"
	"solved/server/service"
	"solved/server/tables"
	"solved/tablebase"
)

// otherToe is tic-tac-toe with as many decisive positions, and wrong distances.
type otherToe struct{ tablebase.Source }

func (o otherToe) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	if err := o.Source.Codes(s, lo, dst); err != nil {
		return err
	}
	for i, code := range dst {
		if code == 1 {
			dst[i] = 3
		}
	}
	return nil
}

// toeTable is the right table of tic-tac-toe, or another one, as well-formed and as long.
func toeTable(t *testing.T, right bool) []byte {
	t.Helper()
	var source tablebase.Source = tictactoe.Solve()
	if !right {
		source = otherToe{source}
	}
	var b bytes.Buffer
	if _, err := tablebase.Write(t.Context(), &b, tictactoe.Rulesets()[0].Ruleset(), source, 1, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// servedToe makes a service of one table of tic-tac-toe that has been verified.
func servedToe(t *testing.T, anyDigest bool) (s *service.Service, p game.Prober, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "served.ttb")
	writeFile(t, path, toeTable(t, true))
	how := standard()
	how.Tables, how.AnyDigest, how.TablePoll = []string{path}, anyDigest, 0
	s, err := service.New(allGames(), how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, p = range s.Probers {
		if s.Files[p.Game().About().Tag] != nil {
			break
		}
	}
	ready, err := s.Load(t.Context(), p.Game())
	if err != nil {
		t.Fatal(err)
	}
	p.Slot().Replace(ready)
	return s, p, path
}

// standing says how a table stands: its state, and where it is.
func standing(p game.Prober) string {
	t := p.Slot().Table.Load()
	return t.State + " " + t.Wire.Source
}

// askToe asks for the start, and holds the answer against the right one.
func askToe(t *testing.T, p game.Prober) {
	t.Helper()
	answer, err := game.ProbeOne(t.Context(), p, api.Question{})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.(*api.MarksProbe); got.Value != "draw" {
		t.Errorf("%+v", got)
	}
}

func faults(s *service.Service, p game.Prober) float64 {
	return testutil.ToFloat64(s.Metrics.Faults.WithLabelValues(p.ID().Name))
}

// TestTouched checks what becomes of a mapped table when anything of its file changes: it does
// not answer before it was verified again, and then only if it is right.
func TestTouched(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// setBack writes to the file, and gives it back its time of writing, as cp -p does.
	setBack := func(t *testing.T, path string, data []byte) {
		info, err := os.Stat(path)
		must(t, err)
		writeFile(t, path, data)
		must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		if now, err := os.Stat(path); err != nil || !now.ModTime().Equal(info.ModTime()) || now.Size() != info.Size() {
			t.Fatalf("%v, %v", now, err)
		}
	}
	for _, c := range []struct {
		name      string
		anyDigest bool
		touch     func(t *testing.T, path string)
		want      string // once it was verified again
		faults    float64
	}{
		{"another table with the same size and time", false, func(t *testing.T, path string) { setBack(t, path, toeTable(t, false)) }, "degraded embedded", 1},
		{"another table that will do", true, func(t *testing.T, path string) { setBack(t, path, toeTable(t, false)) }, "ready mapped", 0},
		{"damage with the same size and time", true, func(t *testing.T, path string) {
			data := toeTable(t, true)
			data[1000] ^= 1
			setBack(t, path, data)
		}, "degraded embedded", 1},
		{"the same contents", false, func(t *testing.T, path string) { setBack(t, path, toeTable(t, true)) }, "ready mapped", 0},
		{"other permissions", false, func(t *testing.T, path string) { must(t, os.Chmod(path, 0o600)) }, "ready mapped", 0},
		{"another name", false, func(t *testing.T, path string) { must(t, os.Rename(path, path+".away")) }, "ready mapped", 0},
		{"a second name", false, func(t *testing.T, path string) { must(t, os.Link(path, path+".second")) }, "ready mapped", 0},
		{"no name", false, func(t *testing.T, path string) { must(t, os.Remove(path)) }, "ready mapped", 0},
		{"another in its place", false, func(t *testing.T, path string) {
			writeFile(t, path+".new", toeTable(t, false))
			must(t, os.Rename(path+".new", path))
		}, "ready mapped", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p, path := servedToe(t, c.anyDigest)
			first := p.Slot().Table.Load()
			askToe(t, p)
			if got := standing(p); got != "ready mapped" {
				t.Fatalf("%s before", got)
			}
			c.touch(t, path)
			askToe(t, p)
			if got := standing(p); got != "degraded embedded" {
				t.Errorf("%s with the next answer", got)
			}
			s.CheckUp(t.Context(), p)
			if got := standing(p); got != c.want || faults(s, p) != c.faults {
				t.Errorf("%s, %v faults; want %s, %v", got, faults(s, p), c.want, c.faults)
			}
			if c.faults > 0 {
				select {
				case <-first.Lease.Done:
				default:
					t.Error("the file is still open")
				}
			}
			if _, err := game.ProbeOne(t.Context(), p, api.Question{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServedFileIsBad checks that a file that is found bad when it is read again is left, if it
// is the one that is mapped, though nothing told of a change.
func TestServedFileIsBad(t *testing.T) {
	s, p, path := servedToe(t, false)
	unseen := *p.Slot().Table.Load()
	unseen.Intact = func() error { return nil } // as of a write to the disk below the file system
	p.Slot().Table.Store(&unseen)
	data := toeTable(t, true)
	data[1000] ^= 1
	// Another bad file in its place says nothing of the one that is mapped.
	writeFile(t, path+".new", data)
	if err := os.Rename(path, path+".mapped"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(t.Context(), p, path); !errors.As(err, new(*tablebase.DamageError)) || standing(p) != "ready mapped" {
		t.Errorf("%v, %s", err, standing(p))
	}
	writeFile(t, path+".mapped", data)
	if err := s.Reload(t.Context(), p, path+".mapped"); !errors.As(err, new(*tablebase.DamageError)) || standing(p) != "degraded embedded" || faults(s, p) != 1 {
		t.Errorf("%v, %s, %v faults", err, standing(p), faults(s, p))
	}
	askToe(t, p)
}

// following has a service follow its files until the test ends.
func following(t *testing.T, s *service.Service) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		s.Follow(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
}

// until waits for something to become so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not %s in a minute", what)
		}
	}
}

// TestHeals checks that a table answers again by itself when reading it has failed and nothing
// is wrong with its file, though the file does not change and nobody sends a signal.
func TestHeals(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("", func(t *testing.T) {
		s, p, path := servedToe(t, false)
		s.FirstRetry = time.Millisecond
		following(t, s)
		p.Slot().FallBack(p.Slot().Table.Load(), &tablebase.FaultError{Path: path, Err: syscall.EIO})
		until(t, "ready", func() bool { return standing(p) == "ready mapped" })
		if success, _ := reloads(s, p); success != 1 || faults(s, p) != 1 {
			t.Errorf("%v reloads, %v faults", success, faults(s, p))
		}
		// A file that is missing is waited for.
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		p.Slot().FallBack(p.Slot().Table.Load(), &tablebase.FaultError{Path: path, Err: syscall.EIO})
		until(t, "tried twice", func() bool { _, failure := reloads(s, p); return failure >= 2 })
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		until(t, "ready", func() bool { return standing(p) == "ready mapped" })
	})
}

// TestPassing checks which refused files are tried again though nothing changes.
func TestPassing(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{&tablebase.DamageError{Damage: tablebase.BadChecksum}, false},
		{&tables.DigestError{}, false},
		{&tables.NotRegularError{}, false},
		{&tables.UnfitError{}, false},
		{&fs.PathError{Op: "open", Err: syscall.ENOENT}, false},
		{&fs.PathError{Op: "open", Err: syscall.EMFILE}, true},
		{&fs.PathError{Op: "open", Err: syscall.ENFILE}, true},
		{&fs.PathError{Op: "mmap", Err: syscall.ENOMEM}, true},
		{&fs.PathError{Op: "read", Err: syscall.EIO}, true},
		{&tablebase.FaultError{}, true},
		{tables.ErrInUse, true},
		{tables.ErrUnsettled, true},
	} {
		if got := service.Passing(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// TestCopiesWhatWasVerified checks that what a command writes is what it has verified, whatever
// becomes of the file meanwhile.
func TestCopiesWhatWasVerified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.ttb")
	writeFile(t, path, toeTable(t, true))
	table, err := allGames().Catalog().OpenInput(t.Context(), path, tablebase.Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	digest, err := table.Verify(t.Context(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, toeTable(t, false))
	for _, f := range []tables.Format{tables.FormatCompact{}, tables.FormatBytes{}} {
		out := tables.Artifact{Path: filepath.Join(t.TempDir(), "out"+f.Ending()), Format: f}
		if err := table.Rewrite(t.Context(), out, digest, 1, nil); err != nil {
			t.Error(err)
		}
		if v, err := allGames().Catalog().VerifyFile(t.Context(), out.Path, false, 1, nil); err != nil || v.Other != nil {
			t.Errorf("%+v, %v", v, err)
		}
		// And what is not, is not kept.
		if err := out.CheckCopy(path, tablebase.Digest{}, digest); !errors.Is(err, tables.ErrUnsettled) {
			t.Error(err)
		}
		// Nor is a file whose contents are not the right ones converted.
		again := tables.Artifact{Path: out.Path + ".again.ttb", Format: tables.FormatCompact{}}
		var other *tables.DigestError
		if err := allGames().Catalog().Convert(t.Context(), path, again, 1, false, nil); !errors.As(err, &other) {
			t.Errorf("a file with other contents: %v", err)
		}
		if _, err := os.Stat(again.Path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something was written: %v", err)
		}
	}
}

// TestOtherContents checks that the commands refuse well-formed tables that are not the right
// ones, and what they say of them when any will do.
func TestOtherContents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.ttb")
	stream := filepath.Join(t.TempDir(), "other.tb.zst")
	writeFile(t, path, toeTable(t, false))
	for _, c := range []struct {
		args string
		code int
		want string // of what it says on either output
	}{
		{"verify " + path, cli.ExitDamaged, path + ": well-formed, but not the table of tic-tac-toe"},
		{"verify --any-digest " + path, cli.ExitFine, "; not the right table, whose sha256 is "},
		{"info " + path, cli.ExitFine, "rules      tic-tac-toe"},
		{"info --histogram " + path, cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"info --histogram --any-digest " + path, cli.ExitFine, "not that of the right table"},
		{"convert " + path + " " + stream, cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"convert --any-digest " + path + " " + stream, cli.ExitFine, "; not the right table"},
		{"verify " + stream, cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"verify --any-digest " + stream, cli.ExitFine, "; not the right table"},
		{"info --histogram " + stream, cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"convert " + stream + " " + path + ".ttb", cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"probe tic-tac-toe --table " + path + " X8_o", cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"serve --log-level error --listen 127.0.0.1:0 --table " + path, cli.ExitDamaged, "not the table of tic-tac-toe"},
		{"audit " + path, cli.ExitDamaged, "do not follow from what its moves lead to"},
	} {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), allGames(), strings.Fields(c.args), nil, strings.NewReader(""), &out, &errs)
		if said := out.String() + errs.String(); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("solved %s: exit code %d, %s", c.args, code, said)
		}
	}
}

// TestSettledWaits checks that a file is not taken for quiet within a tick of its last change,
// nor for ever, and that waiting ends with the context.
func TestSettledWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, []byte("one"))
	f, _, err := tables.OpenRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ended, stop := context.WithCancel(t.Context())
	stop()
	writeFile(t, path, []byte("two"))
	if _, err := tables.Settled(ended, f); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	was, err := tables.Settled(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(time.Unix(0, was.Changed)); age < tables.Tick {
		t.Errorf("settled %v after the last change", age)
	}
	// Whatever is written from now on shows.
	for range 20 {
		writeFile(t, path, []byte("now"))
		now, err := tables.StampOf(f)
		if err != nil || now == was {
			t.Fatalf("%v, %v", now, err)
		}
		if was, err = tables.Settled(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
}
