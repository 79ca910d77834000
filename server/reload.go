package main

import (
	"context"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"solved/tablebase"
)

// follow looks at the table files, every so often and when asked to by a signal,
// and serves those that have changed. It returns when the context has ended and
// everything that it began has, too.
func (s *service) follow(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	var now []chan struct{}
	for _, p := range s.probers {
		file := s.files[p.About().Tag]
		if file == nil {
			continue
		}
		asked := make(chan struct{}, 1)
		now = append(now, asked)
		all.Go(func() { s.followFile(ctx, p, newWatch(file.table.Path(), file.was), asked) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case signal := <-s.hangups:
			s.log.Info("asked to load the table files again", "signal", signal.String(), "files", len(now))
			for _, asked := range now {
				select {
				case asked <- struct{}{}:
				default: // it is going to look at the file anyway
				}
			}
		}
	}
}

// followFile is follow for one prober, whose files are thus loaded one after the
// other.
func (s *service) followFile(ctx context.Context, p *prober, w *watch, asked <-chan struct{}) {
	var tick <-chan time.Time
	if s.how.tablePoll > 0 {
		ticker := time.NewTicker(s.how.tablePoll)
		defer ticker.Stop()
		tick = ticker.C
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-asked:
			w.taken(lookAt(w.path))
			s.reload(ctx, p, w.path)
		case <-tick:
			if w.changed(lookAt(w.path)) {
				s.reload(ctx, p, w.path)
			}
		}
	}
}

// reload opens the file at a path anew, verifies it, and serves it in place of
// what is served now. A file that cannot be served is refused, and what is served
// now goes on.
func (s *service) reload(ctx context.Context, p *prober, path string) {
	start := time.Now()
	ready, err := s.open(ctx, p, path)
	if ctx.Err() != nil {
		if ready != nil {
			ready.lease.retire()
		}
		return // it was not refused; there is only no time any more
	}
	if err != nil {
		s.metrics.reloads.WithLabelValues(p.id.Name, reloadFailure).Inc()
		p.check()
		now := p.table.Load()
		s.log.Error("a new table was refused", "rules", p.id.Name, "tag", p.id.Tag, "file", path, "error", err,
			"state", now.state, "source", now.wire.Source, "content_sha256", digestOf(now))
		return
	}
	old := p.replace(ready)
	s.metrics.reloads.WithLabelValues(p.id.Name, reloadSuccess).Inc()
	s.log.Info("table replaced", "rules", p.id.Name, "tag", p.id.Tag, "file", path, "source", ready.wire.Source,
		"content_sha256", digestOf(ready), "before", digestOf(old), "duration", time.Since(start))
	if old.lease == nil {
		return
	}
	// So there are never more than two.
	select {
	case <-ctx.Done():
		return
	case <-old.lease.done:
	}
	if old.lease.err != nil {
		s.log.Warn("closing the table before failed", "rules", p.id.Name, "error", old.lease.err)
	}
	if s.how.tableMode == tablebase.Memory {
		debug.FreeOSMemory() // it is hundreds of megabytes, and may not be missed for long
	}
}

// open opens and verifies a table of a prober's ruleset, on one thread, since the
// others have questions to answer.
func (s *service) open(ctx context.Context, p *prober, path string) (*loadedTable, error) {
	file, err := openTable(ctx, path, s.how.tableMode, *p.file)
	if err != nil {
		return nil, err
	}
	ready, err := file.verify(ctx, 1)
	if err != nil {
		file.lease.retire()
		return nil, err
	}
	return ready, nil
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

func newWatch(path string, opened fs.FileInfo) *watch {
	now := look{info: opened}
	return &watch{path, now, now}
}

// changed takes the next look, and says whether it is time to open the file: when
// it is not what was opened, and has been the same for two looks. A file that is
// still being copied grows, and would only be refused.
func (w *watch) changed(now look) bool {
	settled := now.same(w.last)
	w.last = now
	if !settled || now.same(w.served) {
		return false
	}
	w.served = now
	return true
}

// taken notes that the file is opened without having been seen to change.
func (w *watch) taken(now look) { w.served, w.last = now, now }

// look is what can be seen of a file without opening it.
type look struct {
	info fs.FileInfo
	err  string // why it cannot be seen
}

func lookAt(path string) look {
	info, err := os.Stat(path)
	if err != nil {
		return look{err: err.Error()}
	}
	return look{info: info}
}

// same says whether two looks are of the same file in the same state. Who may read
// it is part of that, so that a file is opened again when that is put right.
func (l look) same(other look) bool {
	a, b := l.info, other.info
	if a == nil || b == nil {
		return a == b && l.err == other.err
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}
