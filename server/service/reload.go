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

// Follow looks at the table files, every so often and when asked to by a signal,
// and serves those that have changed. It returns when the context has ended and
// everything that it began has, too.
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
				default: // it is going to look at the file anyway
				}
			}
		}
	}
}

// maxRetry is the longest wait before a table that is degraded is tried again.
const maxRetry = 5 * time.Minute

// followFile is follow for one prober, whose files are thus loaded one after the
// other. What is not served although nothing in the file may be wrong is tried again,
// after waits that double.
func (s *Service) followFile(ctx context.Context, p game.Prober, w *watch, asked <-chan struct{}) {
	var tick <-chan time.Time
	if s.How.TablePoll > 0 {
		ticker := time.NewTicker(s.How.TablePoll)
		defer ticker.Stop()
		tick = ticker.C
	}
	if p.Slot().Fallback != nil {
		_, _ = p.Slot().Fallback() // so that nobody waits for it to be loaded; an error comes again
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

// CheckUp sees whether the file of the table that is there now was touched, and verifies it
// again if so, before another one is looked for.
func (s *Service) CheckUp(ctx context.Context, p game.Prober) {
	p.Slot().Check()
	select {
	case <-p.Slot().Fallen:
		s.restore(ctx, p)
	default:
	}
}

// Passing says whether a file was refused for a reason that is not in what the file holds, so
// that it may be good when it is tried again, though nothing is seen to change.
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

// restore verifies again what is mapped, when its file was touched and its contents may be
// as they were, and lets it answer if they are.
func (s *Service) restore(ctx context.Context, p game.Prober) {
	standing := p.Slot().Table.Load()
	if standing.Suspect == nil {
		return
	}
	start := time.Now()
	ready, err := standing.Suspect.Again(ctx)
	if ctx.Err() != nil {
		return // what is suspect is closed with the rest
	}
	if err != nil {
		p.Slot().OnFault(err)
		// It stands in for good, until the file is tried again.
		alone := *standing
		alone.Suspect, alone.Reason = nil, "The table's file was written to; the embedded table answers."
		p.Slot().Replace(&alone)
		return
	}
	p.Slot().Restored(standing, ready)
	s.Log.Info("a table file was touched, and is as it was", "rules", p.ID().Name, "tag", p.ID().Tag, "file", ready.Mapping.Name(),
		"content_sha256", digestOf(ready), "duration_seconds", time.Since(start).Seconds())
}

// Reload opens the file at a path anew, verifies it, and serves it in place of
// what is served now. A file that cannot be served is refused, and what is served
// now goes on; but not if it is mapped from that very file, and its contents are bad.
func (s *Service) Reload(ctx context.Context, p game.Prober, path string) error {
	start := time.Now()
	ready, was, err := s.Open(ctx, p, path, 1)
	if ctx.Err() != nil {
		if ready != nil {
			ready.Lease.Retire()
		}
		return ctx.Err() // it was not refused; there is only no time any more
	}
	if err != nil {
		if h := s.homes[p.Game().About().Tag]; h != nil && s.vacated(p, h) {
			return nil // it is to be made
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
		// So there are never more than two.
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
		debug.FreeOSMemory() // it is hundreds of megabytes, and may not be missed for long
	}
	return nil
}

// Open opens and verifies a table of a prober's ruleset, on a number of threads: one, when
// the others have questions to answer. It says which file that was, also with an error.
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

// digestOf is the content digest of a table, empty if it is not known.
func digestOf(t *tables.Loaded) string {
	if t.Wire.ContentSHA256 == nil {
		return ""
	}
	return *t.Wire.ContentSHA256
}

// watch notices when another file is at a path, or the file there has been
// written to. It looks instead of being told, since file systems over a network
// tell nothing, and where the path leads through symbolic links, as in
// Kubernetes's volumes, it is the links that change.
type watch struct {
	path string
	// served is what was there when the table was last opened, well or not, and
	// last what was there at the last look.
	served, last look
}

func NewWatch(path string, now look) *watch { return &watch{path, now, now} }

// Changed takes the next look, and says whether it is time to open the file: when
// it is not what was opened, and has been the same for two looks. A file that is
// still being copied grows, and would only be refused.
func (w *watch) Changed(now look) bool {
	settled := now == w.last
	w.last = now
	if !settled || now == w.served {
		return false
	}
	w.served = now
	return true
}

// Taken notes that the file is opened without having been seen to change.
func (w *watch) Taken(now look) { w.served, w.last = now, now }

// look is what can be seen of a file without opening it. The permissions are part of that, and
// when that last changed, so that a file is opened again when it is put right.
type look struct {
	tables.Stamp
	err string // why it cannot be seen
}

func LookAt(path string) look {
	now, err := tables.StampAt(path)
	if err != nil {
		return look{err: err.Error()}
	}
	return look{Stamp: now}
}
