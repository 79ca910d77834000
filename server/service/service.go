package service

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
	"solved/server/flags"
	"solved/server/game"
	"solved/server/listener"
	"solved/server/tables"
)

// Service is what serve serves: a prober for each ruleset, with its table.
type Service struct {
	How     Config
	games   game.List
	catalog tables.Catalog
	Probers []game.Prober
	Files   map[rules.Tag]*tables.File // the table files as they were opened at the start
	homes   map[rules.Tag]*home        // of the other rulesets, in the directory of --tables
	// MakeMemory is how much memory it takes to make the table file of a game, in bytes, if it is much.
	MakeMemory func(game.Game) uint64
	Hangups    <-chan os.Signal // each asks to look at the files now
	Ops        net.Listener     // for the operator's addresses alone; nil for none
	Log        *slog.Logger
	Metrics    *metrics
	Tracing    *tracing // nil for none
	Stopping   atomic.Bool
	// FirstRetry is how long to wait before a table that is degraded is tried again.
	FirstRetry time.Duration
	Listener   atomic.Pointer[listener.Listener] // of the clients, from when it listens
}

// New opens the table files, so that one that is missing or plainly
// wrong is refused at once. The tables answer after verify.
func New(games game.List, how Config, log *slog.Logger) (*Service, error) {
	s := &Service{How: how, games: games, MakeMemory: ExpandMemory, catalog: games.Catalog(), Files: make(map[rules.Tag]*tables.File), Log: log, FirstRetry: time.Second}
	for _, path := range how.Tables {
		file, err := s.catalog.OpenTable(context.Background(), path, how.TableMode)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		ruleset := file.Table.Ruleset()
		if other := s.Files[ruleset.Tag]; other != nil {
			err := fmt.Errorf("%s and %s are both tables of %s; one is enough", other.Table.Path(), path, tables.Describe(ruleset))
			return nil, errors.Join(&flags.UsageError{Err: err, Command: "solved serve"}, file.Close(), s.Close())
		}
		s.Files[ruleset.Tag] = file
	}
	var err error
	if s.homes, err = homesIn(games, how.TablesDir, s.Files); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, g := range games {
		p := game.NewProber(g)
		if file := s.Files[g.About().Tag]; file != nil {
			p.Slot().Table.Store(file.Loaded())
			p.Slot().Fallback = sync.OnceValues(g.Embedded)
		} else {
			wire := g.Placeholder()
			wire.LoadedAt = time.Now().UTC().Format(time.RFC3339)
			p.Slot().Table.Store(&tables.Loaded{Wire: wire, State: api.StateVerifying, Reason: "The table is being loaded."})
			if s.homes[g.About().Tag] != nil {
				p.Slot().Fallback = sync.OnceValues(g.Embedded)
			}
		}
		s.Probers = append(s.Probers, p)
	}
	s.Metrics = newMetrics(s)
	for _, p := range s.Probers {
		p.Slot().OnFault = func(cause error) {
			s.Metrics.Faults.WithLabelValues(p.ID().Name).Inc()
			s.Log.Error("reading a table failed", "rules", p.ID().Name, "tag", p.ID().Tag, "error", cause)
		}
	}
	return s, nil
}

// Verify loads or verifies every table that is not ready, at the same time. Each
// answers as soon as it can. The first that fails ends it.
func (s *Service) Verify(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, p := range s.Probers {
		pending := p.Slot().Table.Load()
		if pending == nil || pending.Contents != nil {
			continue
		}
		all.Go(func() error {
			start := time.Now()
			ready, err := s.prepare(ctx, p)
			if err != nil {
				p.Slot().Replace(&tables.Loaded{Wire: pending.Wire, State: api.StateFailed, Reason: "The table is damaged."})
				return err
			}
			p.Slot().Replace(ready)
			s.tellOther(p, ready)
			if source := ready.Wire.Source; source != api.SourceClosedForm && source != api.SourceSearch {
				s.Log.Info("table ready", "rules", p.ID().Name, "tag", p.ID().Tag, "source", source, "duration_seconds", time.Since(start).Seconds())
			}
			return nil
		})
	}
	return all.Wait()
}

// prepare makes the first table of a ruleset ready, from wherever it comes.
func (s *Service) prepare(ctx context.Context, p game.Prober) (*tables.Loaded, error) {
	if h := s.homes[p.Game().About().Tag]; h != nil {
		return s.loadHome(ctx, p, h, runtime.GOMAXPROCS(0))
	}
	return s.Load(ctx, p.Game())
}

// Load makes the table of a ruleset ready: that from its file, or else the
// embedded one.
func (s *Service) Load(ctx context.Context, g game.Game) (*tables.Loaded, error) {
	if file := s.Files[g.About().Tag]; file != nil {
		return file.Verify(ctx, runtime.GOMAXPROCS(0), s.How.AnyDigest)
	}
	return g.Embedded()
}

// tellOther logs that a table is served that is not the right one.
func (s *Service) tellOther(p game.Prober, t *tables.Loaded) {
	if t.Other != nil {
		s.Log.Warn("a table is served that is not the right one of its ruleset", "rules", p.ID().Name, "tag", p.ID().Tag, "file", t.Other.Path,
			"content_sha256", fmt.Sprintf("%x", t.Other.Found), "right_sha256", fmt.Sprintf("%x", t.Other.Right))
	}
}

// Close closes the table files. Whoever still reads one is let finish, and no
// question is answered any more.
func (s *Service) Close() error {
	var all error
	for _, p := range s.Probers {
		if t := p.Slot().Table.Load(); t != nil {
			p.Slot().Replace(&tables.Loaded{Wire: t.Wire, State: api.StateFailed, Reason: "The server has shut down."})
		}
	}
	for _, file := range s.Files {
		all = errors.Join(all, file.Close())
	}
	return all
}

// Readiness says how each table stands.
func (s *Service) Readiness() api.Readiness {
	now := api.Readiness{Ready: true}
	for _, p := range s.Probers {
		t := p.Slot().Table.Load()
		if t == nil {
			continue
		}
		configured := &t.Wire
		if t.FallbackFor != nil {
			configured = t.FallbackFor
		}
		state := api.TableState{Rules: p.ID(), Source: configured.Source, File: configured.File, State: t.State}
		if t.Reason != "" {
			state.Reason = &t.Reason
		}
		if t.Contents == nil {
			now.Ready = false
			now.Reason = "Not every table is ready."
		}
		now.Tables = append(now.Tables, state)
	}
	if s.Stopping.Load() {
		now.Ready = false
		now.Reason = "The server is shutting down."
	}
	return now
}
