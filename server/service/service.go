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

// Service is a running server: a prober for each ruleset with its table, the table files, the
// configuration, log and metrics.
type Service struct {
	How     Config // the settings
	games   game.List
	catalog tables.Catalog
	Probers []game.Prober
	Files   map[rules.Tag]*tables.File // the table files as they were opened at the start
	homes   map[rules.Tag]*home        // of the other rulesets, in the directory of --tables
	// MakeMemory returns the memory that making the table file of a game takes, in bytes; 0 if it is
	// little.
	MakeMemory func(game.Game) uint64
	Hangups    <-chan os.Signal // each value asks to look at the table files at once
	Ops        net.Listener     // for /livez, /readyz and /metrics only; nil for none
	Log        *slog.Logger
	Metrics    *metrics
	Tracing    *tracing // nil for none
	Stopping   atomic.Bool
	// FirstRetry is the wait before the first new try of a degraded table.
	FirstRetry time.Duration
	Listener   atomic.Pointer[listener.Listener] // the public listener, nil before Serve
}

// New returns a service with its table files open. A file that is missing or plainly wrong is an
// error. The tables answer after Verify.
func New(games game.List, cfg Config, log *slog.Logger) (*Service, error) {
	s := &Service{How: cfg, games: games, MakeMemory: ExpandMemory, catalog: games.Catalog(), Files: make(map[rules.Tag]*tables.File), Log: log, FirstRetry: time.Second}
	for _, path := range cfg.Tables {
		file, err := s.catalog.OpenTable(context.Background(), path, cfg.TableMode)
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
	if s.homes, err = homesIn(games, cfg.TablesDir, s.Files); err != nil {
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

// Verify loads or verifies all tables that are not ready, at the same time. Each answers as soon as
// it is ready. The first error ends Verify.
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

// prepare returns the first table of a ruleset: from --tables, from --table, or the embedded one.
func (s *Service) prepare(ctx context.Context, p game.Prober) (*tables.Loaded, error) {
	if h := s.homes[p.Game().About().Tag]; h != nil {
		return s.loadHome(ctx, p, h, runtime.GOMAXPROCS(0))
	}
	return s.Load(ctx, p.Game())
}

// Load returns the table of a ruleset, ready to answer: the one of --table, or else the embedded one.
func (s *Service) Load(ctx context.Context, g game.Game) (*tables.Loaded, error) {
	if file := s.Files[g.About().Tag]; file != nil {
		return file.Verify(ctx, runtime.GOMAXPROCS(0), s.How.AnyDigest)
	}
	return g.Embedded()
}

// tellOther logs a warning if a table is not the right one of its ruleset.
func (s *Service) tellOther(p game.Prober, t *tables.Loaded) {
	if t.Other != nil {
		s.Log.Warn("a table is served that is not the right one of its ruleset", "rules", p.ID().Name, "tag", p.ID().Tag, "file", t.Other.Path,
			"content_sha256", fmt.Sprintf("%x", t.Other.Found), "right_sha256", fmt.Sprintf("%x", t.Other.Right))
	}
}

// Close closes the table files after their last readers. The service answers no more questions.
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

// Readiness returns the state of each table, and whether the server is ready.
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
