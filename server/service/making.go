package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"solved/api"
	"solved/rules"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
)

// home is the place of a ruleset's table file in the directory of --tables. The file may be
// missing.
type home struct {
	path  string
	first look // the state of the file when the table was loaded
}

// missing says whether there is no file at the path.
func (h *home) missing() bool {
	_, err := os.Lstat(h.path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// homesIn returns the home of each ruleset that has table files, except those that the operator
// named by --table. It creates the directory if it is missing. If that fails, making a table
// reports the error later.
func homesIn(games game.List, dir string, named map[rules.Tag]*tables.File) (map[rules.Tag]*home, error) {
	if dir == "" {
		return nil, nil
	}
	_ = os.Mkdir(dir, 0o777)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("--tables %s: it is not a directory", dir)
	}
	homes := make(map[rules.Tag]*home)
	for _, g := range games {
		about := g.About()
		if kind := g.Files(); kind != nil && named[about.Tag] == nil {
			homes[about.Tag] = &home{path: filepath.Join(dir, about.Name+kind.Formats[0].Ending())}
		}
	}
	return homes, nil
}

// loadHome verifies and returns the table in a ruleset's home. If the file is missing or bad, it
// returns the embedded table.
func (s *Service) loadHome(ctx context.Context, p game.Prober, h *home, threads int) (*tables.Loaded, error) {
	h.first = LookAt(h.path)
	if h.missing() {
		return p.Slot().Fallback()
	}
	ready, _, err := s.Open(ctx, p, h.path, threads)
	if err == nil || ctx.Err() != nil {
		return ready, err
	}
	s.Log.Error("a table file is no good, and the embedded table answers: put a good one in its place, or remove it to have it made again",
		"rules", p.ID().Name, "tag", p.ID().Tag, "file", h.path, "error", err)
	embedded, err := p.Slot().Fallback()
	if err != nil {
		return nil, err
	}
	t := new(*embedded)
	configured := t.Wire
	configured.Source, configured.File = api.SourceMapped, new(filepath.Base(h.path))
	if s.How.TableMode == tablebase.Memory {
		configured.Source = api.SourceMemory
	}
	t.State, t.Reason, t.FallbackFor = api.StateDegraded, "The table's file is no good; the embedded one answers.", &configured
	return t, nil
}

// vacated says whether the file is missing and the embedded table answers, so that the server may
// make the file. If the operator removed a bad file, vacated ends the degraded state.
func (s *Service) vacated(p game.Prober, h *home) bool {
	if !h.missing() {
		return false
	}
	now := p.Slot().Table.Load()
	if now == nil || now.Wire.Source != api.SourceEmbedded {
		return false // the mapped table answers on, although its file has no name any more
	}
	if now.State == api.StateDegraded && now.Suspect == nil {
		if t, err := p.Slot().Fallback(); err == nil {
			p.Slot().Restored(now, t)
		}
	}
	return true
}

// makingPoll is the time between two rounds of the maker if --table-poll is 0.
const makingPoll = 2 * time.Second

// maker makes the missing table files in the directory of --tables, one after the other. Each is
// made by 'solved expand' in a child process. The child gets the lowest priority, the server can end
// it at once, and its memory is not the server's.
type maker struct {
	s *Service
	// asked receives a request to try failed tables again. It has room for one.
	asked chan struct{}
	// made has a channel for each ruleset, which gets a value when the ruleset's file is made.
	made map[rules.Tag]chan<- struct{}
	// tried has the rulesets whose table could not be made, until the operator asks again.
	tried map[rules.Tag]bool
	told  bool // the log says that another process makes tables here
}

// run makes tables until the context ends.
func (m *maker) run(ctx context.Context) {
	poll := m.s.How.TablePoll
	if poll == 0 {
		poll = makingPoll
	}
	if removed, _ := tablebase.Reclaim(m.s.How.TablesDir); len(removed) > 0 {
		m.s.Log.Info("removed what was left of tables that were being made", "files", removed)
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		m.round(ctx)
		select {
		case <-ctx.Done():
		case <-m.asked:
			clear(m.tried)
		case <-tick.C:
		}
	}
}

// round tries to make each missing table once.
func (m *maker) round(ctx context.Context) {
	probers := slices.Clone(m.s.Probers)
	slices.SortStableFunc(probers, func(a, b game.Prober) int { return cmp.Compare(m.s.MakeMemory(a.Game()), m.s.MakeMemory(b.Game())) }) // the quick ones first
	for _, p := range probers {
		tag := p.Game().About().Tag
		h := m.s.homes[tag]
		if h == nil || m.tried[tag] || ctx.Err() != nil || !m.s.vacated(p, h) {
			continue
		}
		done, err := m.make(ctx, p, h)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.tried[tag] = true
			m.s.Log.Warn("a table is not made, and the embedded one answers on; SIGHUP tries again",
				"rules", p.ID().Name, "tag", p.ID().Tag, "file", h.path, "error", err)
		case done:
			select {
			case m.made[tag] <- struct{}{}:
			default: // the file will be looked at anyway
			}
		}
	}
}

// make makes the table file of a ruleset. done is false if another process makes tables in the
// directory; the next round tries again.
func (m *maker) make(ctx context.Context, p game.Prober, h *home) (done bool, err error) {
	lock, busy, err := LockDirectory(filepath.Dir(h.path))
	if err != nil {
		return false, err
	}
	if busy {
		if !m.told {
			m.told = true
			m.s.Log.Info("another process makes tables in the directory; waiting for it", "directory", filepath.Dir(h.path))
		}
		return false, nil
	}
	defer lock.Close() // lock is nil where there are no locks; closing it does nothing
	m.told = false
	if !h.missing() { // another one was faster
		return true, nil
	}
	right, err := p.Game().Files().Right()
	if err != nil {
		return false, err
	}
	if err := tablebase.CanCreate(h.path, right.Bytes); err != nil {
		return false, err
	}
	needed := m.s.MakeMemory(p.Game())
	if bound := MemoryLeft(os.DirFS("/")); bound.Left < needed {
		return false, fmt.Errorf("making it takes %d MB of memory, and %s leaves %d MB", needed/1e6, bound.By, bound.Left/1e6)
	}
	start := time.Now()
	m.s.Log.Info("making a table in the background", "rules", p.ID().Name, "tag", p.ID().Tag, "file", h.path)
	if err := expandInProcess(ctx, p.ID().Name, h.path, lock); err != nil {
		// A child that was ended at once leaves a temporary file.
		_, left := tablebase.Reclaim(filepath.Dir(h.path))
		return false, errors.Join(err, left)
	}
	m.s.Log.Info("table made", "rules", p.ID().Name, "tag", p.ID().Tag, "file", h.path, "duration_seconds", time.Since(start).Seconds())
	return true, nil
}

// ExpandMemory returns the memory that making the table file of a game takes, in bytes; 0 if it is
// little.
func ExpandMemory(g game.Game) uint64 {
	if e, ok := g.(game.Expander); ok {
		return e.ExpandMemory()
	}
	return 0
}

// expandInProcess runs 'solved expand' for a ruleset, on one thread at the lowest priority. It
// returns when the command is done or the context ends. The command holds the lock too: if this
// process is killed, the lock lasts until the command has ended.
func expandInProcess(ctx context.Context, name, path string, lock *os.File) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, program, "expand", name, "-o", path, "--threads", "1")
	c.Args[0] = "solved"
	if lock != nil {
		c.ExtraFiles = []*os.File{lock}
	}
	var said LastLine
	c.Stderr = &said
	if err := runLow(c); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("solved expand: %w: %s", err, strings.TrimPrefix(said.String(), "solved: "))
	}
	return nil
}

// LastLine is a writer that keeps the last line, up to MostKept bytes.
type LastLine struct {
	line  []byte
	ended bool
}

// MostKept is the number of bytes of a line that LastLine keeps.
const MostKept = 1024

func (l *LastLine) Write(b []byte) (int, error) {
	for part := range bytes.Lines(b) {
		if l.ended {
			l.line, l.ended = l.line[:0], false
		}
		text, ended := bytes.CutSuffix(part, []byte("\n"))
		l.line, l.ended = append(l.line, text[:min(len(text), MostKept-len(l.line))]...), ended
	}
	return len(b), nil
}

func (l *LastLine) String() string { return strings.TrimSpace(string(l.line)) }
