package main

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"solved/api"
	"solved/api/httpapi"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/tables"
	"solved/tablebase"
)

// tableFlag names a canonical table to measure, which cannot be part of the
// repository; without it the benchmarks measure what is embedded.
var tableFlag = flag.String("table", "", "canonical table file for the benchmarks")

// benchmarkTables runs a benchmark on every table there is.
func benchmarkTables(b *testing.B, f func(*testing.B, game.Prober)) {
	r := tictacchec.Rulesets()[0]
	if *tableFlag != "" {
		b.Run("mapped", func(b *testing.B) {
			file, err := allGames().Catalog().OpenTable(b.Context(), *tableFlag, tablebase.Mapped, r.Ruleset())
			if err != nil {
				b.Fatal(err)
			}
			defer file.Close()
			t, err := file.Verify(b.Context(), runtime.GOMAXPROCS(0), false)
			if err != nil {
				b.Fatal(err)
			}
			f(b, tictacchectest.ProberOn(r, tictacchectest.Must(tictacchecgame.BindEntries(t.Contents))))
		})
	}
	b.Run("embedded", func(b *testing.B) {
		t, err := tictacchecgame.New(r).Embedded()
		if err != nil {
			b.Fatal(err)
		}
		f(b, tictacchectest.ProberOn(r, tictacchectest.Must(tictacchecgame.BindEntries(t.Contents))))
	})
}

// randomMain returns random positions of the main phase whose game is not over.
func randomMain(n int) []tictacchec.Position {
	random := rand.New(rand.NewPCG(1, 2))
	positions := make([]tictacchec.Position, 0, n)
	for len(positions) < n {
		p, _ := tictacchec.FromIndex(rules.Main, random.Uint64N(tictacchec.MainPositions))
		if !p.Terminal() {
			positions = append(positions, p)
		}
	}
	return positions
}

// BenchmarkEvaluate measures the core of a probe: the value of a random
// main-phase position and of all its moves.
func BenchmarkEvaluate(b *testing.B) {
	positions := randomMain(1 << 16)
	benchmarkTables(b, func(b *testing.B, p game.Prober) {
		e := tictacchectest.EntriesOf(p)
		v := new(tictacchecgame.Evaluation)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := v.Evaluate(tictacchectest.TicTacChecRules(p), e, positions[i%len(positions)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkProbe measures a probe up to the contract's types.
func BenchmarkProbe(b *testing.B) {
	positions := randomMain(1 << 16)
	benchmarkTables(b, func(b *testing.B, p game.Prober) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			text := positions[i%len(positions)].String()
			answers, err := p.Probe(context.Background(), []api.Question{{Position: &text}}, nil)
			if err != nil || answers[0].Err != nil {
				b.Fatal(err, answers)
			}
		}
	})
}

// discard is a ResponseWriter that throws the body away.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// BenchmarkRequest measures a probe from the request to the bytes of its answer,
// without the network.
func BenchmarkRequest(b *testing.B) {
	positions := randomMain(1 << 12)
	requests := make([]*http.Request, len(positions))
	for i, p := range positions {
		requests[i] = httptest.NewRequest(http.MethodGet, "/v1/tic-tac-chec/probe?position="+url.QueryEscape(p.String()), nil)
	}
	benchmarkTables(b, func(b *testing.B, p game.Prober) {
		handler := httpapi.New(httpapi.Config{Probers: []api.Prober{p}, Readiness: func() api.Readiness { return api.Readiness{} }})
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			handler.ServeHTTP(&discard{http.Header{}}, requests[i%len(requests)])
		}
	})
}

// BenchmarkLease measures what it costs a question that its table can be replaced.
func BenchmarkLease(b *testing.B) {
	l := tables.NewLease(func() error { return nil })
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !l.Acquire() {
				b.Error("it is retired")
			}
			l.Release()
		}
	})
}

// BenchmarkBatch measures a batch of 1,000 positions without their moves, from the
// request to the bytes of its answer, without the network.
func BenchmarkBatch(b *testing.B) {
	bodies := make([]string, 16)
	positions := randomMain(len(bodies) * api.MaxBatch)
	for i := range bodies {
		var batch api.BatchRequest
		for _, p := range positions[i*api.MaxBatch : (i+1)*api.MaxBatch] {
			batch.Positions = append(batch.Positions, p.String())
		}
		body, err := json.Marshal(batch)
		if err != nil {
			b.Fatal(err)
		}
		bodies[i] = string(body)
	}
	benchmarkTables(b, func(b *testing.B, p game.Prober) {
		handler := httpapi.New(httpapi.Config{Probers: []api.Prober{p}, Readiness: func() api.Readiness { return api.Readiness{} }})
		b.ReportAllocs()
		n := 0
		for ; b.Loop(); n++ {
			r := httptest.NewRequest(http.MethodPost, "/v1/tic-tac-chec/probe", strings.NewReader(bodies[n%len(bodies)]))
			r.Header.Set("Content-Type", "application/json")
			handler.ServeHTTP(&discard{http.Header{}}, r)
		}
		b.ReportMetric(float64(n*api.MaxBatch)/b.Elapsed().Seconds(), "positions/s")
	})
}

// BenchmarkGames measures a probe of each other ruleset, from the request to the bytes
// of its answer, without the network: its examples in turn.
func BenchmarkGames(b *testing.B) {
	for _, g := range allGames() {
		if g.Kind() == api.KindPieces {
			continue
		}
		b.Run(g.About().Name, func(b *testing.B) {
			p := game.NewProber(g)
			table, err := g.Embedded()
			if err != nil {
				b.Fatal(err)
			}
			p.Slot().Table.Store(table)
			handler := httpapi.New(httpapi.Config{Probers: []api.Prober{p}, Readiness: func() api.Readiness { return api.Readiness{} }})
			var requests []*http.Request
			for _, e := range g.Examples() {
				r := httptest.NewRequest(http.MethodGet, "/v1/"+g.About().Name+"/probe?position="+url.QueryEscape(e.Position), nil)
				answer := httptest.NewRecorder()
				if handler.ServeHTTP(answer, r); answer.Code != http.StatusOK {
					b.Fatalf("%s: %d", e.Position, answer.Code)
				}
				requests = append(requests, r)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				handler.ServeHTTP(&discard{http.Header{}}, requests[i%len(requests)])
			}
		})
	}
}
