package service

import (
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"sync"
	"time"

	"solved/rules"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
)

// Follow watches the table files, and swaps in those that have changed. It looks at them at
// intervals, and at once on SIGHUP. It returns when the context and all its goroutines have ended.
func (s *Service) Follow(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	var now []chan<- struct{}
	m := &maker{s: s, asked: make(chan struct{}, 1), made: make(map[rules.Tag]chan<- struct{}), tried: make(map[rules.Tag]bool)}
	for _, p := range s.Probers {
		tag := p.Game().About().Tag
		var w *watch
		if file := s.Files[tag]; file != nil {
			w = NewWatch(file.Table.Path(), look{Stamp: file.Was})
		} else if h := s.homes[tag]; h != nil {
			w = NewWatch(h.path, h.first)
		} else {
			continue
		}
		asked := make(chan struct{}, 1)
		now, m.made[tag] = append(now, asked), asked
		all.Go(func() { s.followFile(ctx, p, w, asked) })
	}
	if len(s.homes) > 0 {
		all.Go(func() { m.run(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case signal := <-s.Hangups:
			s.Log.Info("asked to load the table files again", "signal", signal.String(), "files", len(now))
			for _, asked := range append(now, m.asked) {
				select {
				case asked <- struct{}{}:
				default: // a look at the file is due already
				}
			}
		}
	}
}

// maxRetry is the longest wait before the server tries a degraded table again.
const maxRetry = 5 * time.Minute

// followFile follows the table file of one prober, so that its files are loaded one after the
// other. If a file was refused for a reason outside its contents, followFile tries it again, after
// waits that double.
func (s *Service) followFile(ctx context.Context, p game.Prober, w *watch, asked <-chan struct{}) {
	var tick <-chan time.Time
	if s.How.TablePoll > 0 {
		ticker := time.NewTicker(s.How.TablePoll)
		defer ticker.Stop()
		tick = ticker.C
	}
	if p.Slot().Fallback != nil {
		_, _ = p.Slot().Fallback() // so that no request waits for it; an error returns on the next call
	}
	var again <-chan time.Time // not nil when the file is to be tried again
	var err error              // of the last reload
	wait := s.FirstRetry
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-p.Slot().Fallen:
			s.restore(ctx, p)
		case <-asked:
			s.CheckUp(ctx, p)
			w.Taken(LookAt(w.path))
			wait, again = s.FirstRetry, nil
			err = s.Reload(ctx, p, w.path)
		case <-again:
			w.Taken(LookAt(w.path))
			again = nil
			err = s.Reload(ctx, p, w.path)
		case <-tick:
			s.CheckUp(ctx, p)
			if w.Changed(LookAt(w.path)) {
				wait, again = s.FirstRetry, nil
				err = s.Reload(ctx, p, w.path)
			}
		}
		switch {
		case !p.Slot().Degraded() && !Passing(err):
			wait, again = s.FirstRetry, nil
		case again == nil:
			again = time.After(wait)
			wait = min(2*wait, maxRetry)
		}
	}
}

// CheckUp checks whether the file of the current table was touched, and if so verifies it again.
func (s *Service) CheckUp(ctx context.Context, p game.Prober) {
	p.Slot().Check()
	select {
	case <-p.Slot().Fallen:
		s.restore(ctx, p)
	default:
	}
}

// Passing says whether a file was refused for a reason outside its contents. Then another try may
// succeed although the file does not change.
func Passing(err error) bool {
	var damaged *tablebase.DamageError
	var other *tables.DigestError
	var unfit *tables.UnfitError
	var irregular *tables.NotRegularError
	switch {
	case err == nil, errors.As(err, &damaged), errors.As(err, &other), errors.As(err, &unfit), errors.As(err, &irregular), errors.Is(err, fs.ErrNotExist):
		return false
	}
	return true
}

// restore verifies a mapped table again after its file was touched. If the contents are unchanged,
// the table answers again.
func (s *Service) restore(ctx context.Context, p game.Prober) {
	standing := p.Slot().Table.Load()
	if standing.Suspect == nil {
		return
	}
	start := time.Now()
	ready, err := standing.Suspect.Again(ctx)
	if ctx.Err() != nil {
		return // the suspect table is closed at the end of the service
	}
	if err != nil {
		p.Slot().OnFault(err)
		// The fallback table stays until the file is tried again.
		alone := *standing
		alone.Suspect, alone.Reason = nil, "The table's file was written to; the embedded table answers."
		p.Slot().Replace(&alone)
		return
	}
	p.Slot().Restored(standing, ready)
	s.Log.Info("a table file was touched, and is as it was", "rules", p.ID().Name, "tag", p.ID().Tag, "file", ready.Mapping.Name(),
		"content_sha256", digestOf(ready), "duration_seconds", time.Since(start).Seconds())
}

// Reload opens and verifies the file at a path, and swaps it in for the current table. It refuses a
// bad file, and the current table goes on. If the current table is mapped from that very file, the
// fallback table answers instead.
func (s *Service) Reload(ctx context.Context, p game.Prober, path string) error {
	start := time.Now()
	ready, was, err := s.Open(ctx, p, path, 1)
	if ctx.Err() != nil {
		if ready != nil {
			ready.Lease.Retire()
		}
		return ctx.Err() // the file was not refused: the server is shutting down
	}
	if err != nil {
		if h := s.homes[p.Game().About().Tag]; h != nil && s.vacated(p, h) {
			return nil // the maker will make it
		}
		s.Metrics.Reloads.WithLabelValues(p.ID().Name, ReloadFailure).Inc()
		s.CheckUp(ctx, p)
		p.Slot().Distrust(was, err)
		now := p.Slot().Table.Load()
		s.Log.Error("a new table was refused", "rules", p.ID().Name, "tag", p.ID().Tag, "file", path, "error", err,
			"state", now.State, "source", now.Wire.Source, "content_sha256", digestOf(now))
		return err
	}
	old := p.Slot().Replace(ready)
	s.Metrics.Reloads.WithLabelValues(p.ID().Name, ReloadSuccess).Inc()
	s.Log.Info("table replaced", "rules", p.ID().Name, "tag", p.ID().Tag, "file", path, "source", ready.Wire.Source,
		"content_sha256", digestOf(ready), "before", digestOf(old), "duration_seconds", time.Since(start).Seconds())
	s.tellOther(p, ready)
	for _, l := range old.Leases() {
		// Wait for the old table to close, so that no more than two are open.
		select {
		case <-ctx.Done():
			return nil
		case <-l.Done:
		}
		if l.Err != nil {
			s.Log.Warn("closing the table before failed", "rules", p.ID().Name, "error", l.Err)
		}
	}
	if s.How.TableMode == tablebase.Memory {
		debug.FreeOSMemory() // the old table had hundreds of megabytes
	}
	return nil
}

// Open opens and verifies a table of a prober's ruleset, on a number of threads. While the server
// answers questions, that number is 1. Open returns the stamp of the file even with an error.
func (s *Service) Open(ctx context.Context, p game.Prober, path string, threads int) (*tables.Loaded, tables.Stamp, error) {
	opened, was, err := tables.OpenRegular(path)
	if err != nil {
		return nil, was, err
	}
	file, err := s.catalog.TableIn(ctx, opened, was, s.How.TableMode, p.Game().Files().Ruleset)
	if err != nil {
		return nil, was, err
	}
	ready, err := file.Verify(ctx, threads, s.How.AnyDigest)
	if err != nil {
		file.Lease.Retire()
		return nil, was, err
	}
	return ready, was, nil
}

// digestOf returns the content digest of a table, empty if it is unknown.
func digestOf(t *tables.Loaded) string {
	if t.Wire.ContentSHA256 == nil {
		return ""
	}
	return *t.Wire.ContentSHA256
}

// watch notices when the file at a path was replaced or written to. It polls, since network file
// systems send no notices. Where the path leads through symbolic links, as in Kubernetes's volumes,
// only the links change.
type watch struct {
	path string
	// served is the state of the file when it was last opened, with success or not. last is its
	// state at the last look.
	served, last look
}

// NewWatch returns a watch of a path whose file was opened in this state.
func NewWatch(path string, now look) *watch { return &watch{path, now, now} }

// Changed takes the next look, and says whether to open the file. It does so if the file differs
// from the opened one and is the same in two looks. A file that is still being copied grows.
func (w *watch) Changed(now look) bool {
	settled := now == w.last
	w.last = now
	if !settled || now == w.served {
		return false
	}
	w.served = now
	return true
}

// Taken notes that the file is opened in this state.
func (w *watch) Taken(now look) { w.served, w.last = now, now }

// look is what can be seen of a file without opening it. The permissions are part of that, and
// when that last changed, so that a file is opened again when it is put right.
type look struct {
	tables.Stamp
	err string // the error of the look, empty for none
}

func LookAt(path string) look {
	now, err := tables.StampAt(path)
	if err != nil {
		return look{err: err.Error()}
	}
	return look{Stamp: now}
}
