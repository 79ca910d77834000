package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"solved/api"
	"solved/rules"
)

// service is what serve serves: a prober for each ruleset, with its table.
type service struct {
	how     config
	games   gameList
	catalog catalog
	probers []prober
	files   map[rules.Tag]*tableFile // the table files as they were opened at the start
	homes   map[rules.Tag]*home      // of the other rulesets, in the directory of --tables
	// makeMemory is how much memory it takes to make the table file of a game, in bytes, if it is much.
	makeMemory func(game) uint64
	hangups    <-chan os.Signal // each asks to look at the files now
	ops        net.Listener     // for the operator's addresses alone; nil for none
	log        *slog.Logger
	metrics    *metrics
	tracing    *tracing // nil for none
	stopping   atomic.Bool
	// firstRetry is how long to wait before a table that is degraded is tried again.
	firstRetry time.Duration
	listener   atomic.Pointer[listener] // of the clients, from when it listens
}

// newService opens the table files, so that one that is missing or plainly
// wrong is refused at once. The tables answer after verify.
func newService(games gameList, how config, log *slog.Logger) (*service, error) {
	s := &service{how: how, games: games, makeMemory: expandMemory, catalog: games.catalog(), files: make(map[rules.Tag]*tableFile), log: log, firstRetry: time.Second}
	for _, path := range how.tables {
		file, err := s.catalog.openTable(context.Background(), path, how.tableMode)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		ruleset := file.table.Ruleset()
		if other := s.files[ruleset.Tag]; other != nil {
			err := fmt.Errorf("%s and %s are both tables of %s; one is enough", other.table.Path(), path, describe(ruleset))
			return nil, errors.Join(&usageError{err, "solved serve"}, file.close(), s.close())
		}
		s.files[ruleset.Tag] = file
	}
	var err error
	if s.homes, err = homesIn(games, how.tablesDir, s.files); err != nil {
		return nil, errors.Join(err, s.close())
	}
	for _, g := range games {
		p := newProber(g)
		if file := s.files[g.About().Tag]; file != nil {
			p.slot().table.Store(file.loaded())
			p.slot().fallback = sync.OnceValues(g.embedded)
		} else {
			wire := g.placeholder()
			wire.LoadedAt = time.Now().UTC().Format(time.RFC3339)
			p.slot().table.Store(&loadedTable{wire: wire, state: api.StateVerifying, reason: "The table is being loaded."})
			if s.homes[g.About().Tag] != nil {
				p.slot().fallback = sync.OnceValues(g.embedded)
			}
		}
		s.probers = append(s.probers, p)
	}
	s.metrics = newMetrics(s)
	for _, p := range s.probers {
		p.slot().onFault = func(cause error) {
			s.metrics.faults.WithLabelValues(p.id().Name).Inc()
			s.log.Error("reading a table failed", "rules", p.id().Name, "tag", p.id().Tag, "error", cause)
		}
	}
	return s, nil
}

// verify loads or verifies every table that is not ready, at the same time. Each
// answers as soon as it can. The first that fails ends it.
func (s *service) verify(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, p := range s.probers {
		pending := p.slot().table.Load()
		if pending == nil || pending.contents != nil {
			continue
		}
		all.Go(func() error {
			start := time.Now()
			ready, err := s.prepare(ctx, p)
			if err != nil {
				p.slot().replace(&loadedTable{wire: pending.wire, state: api.StateFailed, reason: "The table is damaged."})
				return err
			}
			p.slot().replace(ready)
			s.tellOther(p, ready)
			if source := ready.wire.Source; source != api.SourceClosedForm && source != api.SourceSearch {
				s.log.Info("table ready", "rules", p.id().Name, "tag", p.id().Tag, "source", source, "duration_seconds", time.Since(start).Seconds())
			}
			return nil
		})
	}
	return all.Wait()
}

// prepare makes the first table of a ruleset ready, from wherever it comes.
func (s *service) prepare(ctx context.Context, p prober) (*loadedTable, error) {
	if h := s.homes[p.game().About().Tag]; h != nil {
		return s.loadHome(ctx, p, h, runtime.GOMAXPROCS(0))
	}
	return s.load(ctx, p.game())
}

// load makes the table of a ruleset ready: that from its file, or else the
// embedded one.
func (s *service) load(ctx context.Context, g game) (*loadedTable, error) {
	if file := s.files[g.About().Tag]; file != nil {
		return file.verify(ctx, runtime.GOMAXPROCS(0), s.how.anyDigest)
	}
	return g.embedded()
}

// tellOther logs that a table is served that is not the right one.
func (s *service) tellOther(p prober, t *loadedTable) {
	if t.other != nil {
		s.log.Warn("a table is served that is not the right one of its ruleset", "rules", p.id().Name, "tag", p.id().Tag, "file", t.other.path,
			"content_sha256", fmt.Sprintf("%x", t.other.found), "right_sha256", fmt.Sprintf("%x", t.other.right))
	}
}

// close closes the table files. Whoever still reads one is let finish, and no
// question is answered any more.
func (s *service) close() error {
	var all error
	for _, p := range s.probers {
		if t := p.slot().table.Load(); t != nil {
			p.slot().replace(&loadedTable{wire: t.wire, state: api.StateFailed, reason: "The server has shut down."})
		}
	}
	for _, file := range s.files {
		all = errors.Join(all, file.close())
	}
	return all
}

// readiness says how each table stands.
func (s *service) readiness() api.Readiness {
	now := api.Readiness{Ready: true}
	for _, p := range s.probers {
		t := p.slot().table.Load()
		if t == nil {
			continue
		}
		configured := &t.wire
		if t.fallbackFor != nil {
			configured = t.fallbackFor
		}
		state := api.TableState{Rules: p.id(), Source: configured.Source, File: configured.File, State: t.state}
		if t.reason != "" {
			state.Reason = &t.reason
		}
		if t.contents == nil {
			now.Ready = false
			now.Reason = "Not every table is ready."
		}
		now.Tables = append(now.Tables, state)
	}
	if s.stopping.Load() {
		now.Ready = false
		now.Reason = "The server is shutting down."
	}
	return now
}
