package main

import (
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"sync"
	"time"

	"solved/rules"
	"solved/tablebase"
)

// follow looks at the table files, every so often and when asked to by a signal,
// and serves those that have changed. It returns when the context has ended and
// everything that it began has, too.
func (s *service) follow(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	var now []chan<- struct{}
	m := &maker{s: s, asked: make(chan struct{}, 1), made: make(map[rules.Tag]chan<- struct{}), tried: make(map[rules.Tag]bool)}
	for _, p := range s.probers {
		tag := p.game().About().Tag
		var w *watch
		if file := s.files[tag]; file != nil {
			w = newWatch(file.table.Path(), look{stamp: file.was})
		} else if h := s.homes[tag]; h != nil {
			w = newWatch(h.path, h.first)
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
		case signal := <-s.hangups:
			s.log.Info("asked to load the table files again", "signal", signal.String(), "files", len(now))
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
func (s *service) followFile(ctx context.Context, p prober, w *watch, asked <-chan struct{}) {
	var tick <-chan time.Time
	if s.how.tablePoll > 0 {
		ticker := time.NewTicker(s.how.tablePoll)
		defer ticker.Stop()
		tick = ticker.C
	}
	if p.slot().fallback != nil {
		_, _ = p.slot().fallback() // so that nobody waits for it to be loaded; an error comes again
	}
	var again <-chan time.Time // not nil when the file is to be tried again
	var err error              // of the last reload
	wait := s.firstRetry
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-p.slot().fallen:
			s.restore(ctx, p)
		case <-asked:
			s.checkUp(ctx, p)
			w.taken(lookAt(w.path))
			wait, again = s.firstRetry, nil
			err = s.reload(ctx, p, w.path)
		case <-again:
			w.taken(lookAt(w.path))
			again = nil
			err = s.reload(ctx, p, w.path)
		case <-tick:
			s.checkUp(ctx, p)
			if w.changed(lookAt(w.path)) {
				wait, again = s.firstRetry, nil
				err = s.reload(ctx, p, w.path)
			}
		}
		switch {
		case !p.slot().degraded() && !passing(err):
			wait, again = s.firstRetry, nil
		case again == nil:
			again = time.After(wait)
			wait = min(2*wait, maxRetry)
		}
	}
}

// checkUp sees whether the file of the table that is there now was touched, and verifies it
// again if so, before another one is looked for.
func (s *service) checkUp(ctx context.Context, p prober) {
	p.slot().check()
	select {
	case <-p.slot().fallen:
		s.restore(ctx, p)
	default:
	}
}

// passing says whether a file was refused for a reason that is not in what the file holds, so
// that it may be good when it is tried again, though nothing is seen to change.
func passing(err error) bool {
	var damaged *tablebase.DamageError
	var other *digestError
	var unfit *unfitError
	var irregular *notRegularError
	switch {
	case err == nil, errors.As(err, &damaged), errors.As(err, &other), errors.As(err, &unfit), errors.As(err, &irregular), errors.Is(err, fs.ErrNotExist):
		return false
	}
	return true
}

// restore verifies again what is mapped, when its file was touched and its contents may be
// as they were, and lets it answer if they are.
func (s *service) restore(ctx context.Context, p prober) {
	standing := p.slot().table.Load()
	if standing.suspect == nil {
		return
	}
	start := time.Now()
	ready, err := standing.suspect.again(ctx)
	if ctx.Err() != nil {
		return // what is suspect is closed with the rest
	}
	if err != nil {
		p.slot().onFault(err)
		// It stands in for good, until the file is tried again.
		alone := *standing
		alone.suspect, alone.reason = nil, "The table's file was written to; the embedded table answers."
		p.slot().replace(&alone)
		return
	}
	p.slot().restored(standing, ready)
	s.log.Info("a table file was touched, and is as it was", "rules", p.id().Name, "tag", p.id().Tag, "file", ready.mapping.Name(),
		"content_sha256", digestOf(ready), "duration_seconds", time.Since(start).Seconds())
}

// reload opens the file at a path anew, verifies it, and serves it in place of
// what is served now. A file that cannot be served is refused, and what is served
// now goes on; but not if it is mapped from that very file, and its contents are bad.
func (s *service) reload(ctx context.Context, p prober, path string) error {
	start := time.Now()
	ready, was, err := s.open(ctx, p, path, 1)
	if ctx.Err() != nil {
		if ready != nil {
			ready.lease.retire()
		}
		return ctx.Err() // it was not refused; there is only no time any more
	}
	if err != nil {
		if h := s.homes[p.game().About().Tag]; h != nil && s.vacated(p, h) {
			return nil // it is to be made
		}
		s.metrics.reloads.WithLabelValues(p.id().Name, reloadFailure).Inc()
		s.checkUp(ctx, p)
		p.slot().distrust(was, err)
		now := p.slot().table.Load()
		s.log.Error("a new table was refused", "rules", p.id().Name, "tag", p.id().Tag, "file", path, "error", err,
			"state", now.state, "source", now.wire.Source, "content_sha256", digestOf(now))
		return err
	}
	old := p.slot().replace(ready)
	s.metrics.reloads.WithLabelValues(p.id().Name, reloadSuccess).Inc()
	s.log.Info("table replaced", "rules", p.id().Name, "tag", p.id().Tag, "file", path, "source", ready.wire.Source,
		"content_sha256", digestOf(ready), "before", digestOf(old), "duration_seconds", time.Since(start).Seconds())
	s.tellOther(p, ready)
	for _, l := range old.leases() {
		// So there are never more than two.
		select {
		case <-ctx.Done():
			return nil
		case <-l.done:
		}
		if l.err != nil {
			s.log.Warn("closing the table before failed", "rules", p.id().Name, "error", l.err)
		}
	}
	if s.how.tableMode == tablebase.Memory {
		debug.FreeOSMemory() // it is hundreds of megabytes, and may not be missed for long
	}
	return nil
}

// open opens and verifies a table of a prober's ruleset, on a number of threads: one, when
// the others have questions to answer. It says which file that was, also with an error.
func (s *service) open(ctx context.Context, p prober, path string, threads int) (*loadedTable, stamp, error) {
	opened, was, err := openRegular(path)
	if err != nil {
		return nil, was, err
	}
	file, err := s.catalog.tableIn(ctx, opened, was, s.how.tableMode, p.game().files().ruleset)
	if err != nil {
		return nil, was, err
	}
	ready, err := file.verify(ctx, threads, s.how.anyDigest)
	if err != nil {
		file.lease.retire()
		return nil, was, err
	}
	return ready, was, nil
}

// digestOf is the content digest of a table, empty if it is not known.
func digestOf(t *loadedTable) string {
	if t.wire.ContentSHA256 == nil {
		return ""
	}
	return *t.wire.ContentSHA256
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

func newWatch(path string, now look) *watch { return &watch{path, now, now} }

// changed takes the next look, and says whether it is time to open the file: when
// it is not what was opened, and has been the same for two looks. A file that is
// still being copied grows, and would only be refused.
func (w *watch) changed(now look) bool {
	settled := now == w.last
	w.last = now
	if !settled || now == w.served {
		return false
	}
	w.served = now
	return true
}

// taken notes that the file is opened without having been seen to change.
func (w *watch) taken(now look) { w.served, w.last = now, now }

// look is what can be seen of a file without opening it. The permissions are part of that, and
// when that last changed, so that a file is opened again when it is put right.
type look struct {
	stamp
	err string // why it cannot be seen
}

func lookAt(path string) look {
	now, err := stampAt(path)
	if err != nil {
		return look{err: err.Error()}
	}
	return look{stamp: now}
}
