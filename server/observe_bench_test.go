package main

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"solved/api/httpapi"
	"solved/server/service"
)

// BenchmarkObserve measures what counting and logging add to a request.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct{ format, level string }{{"text", "info"}, {"json", "info"}, {"json", "warn"}} {
		b.Run(c.format+"/"+c.level, func(b *testing.B) {
			how := standard()
			how.LogFormat, how.LogLevel = c.format, c.level
			s, err := service.New(allGames(), how, how.NewLogger(io.Discard))
			if err != nil {
				b.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/v1/tic-tac-chec/probe?position=Pb2/n1R1/2rp/N3_w_dd_m", nil)
			r = r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, chi.NewRouteContext()))
			e := httpapi.Exchange{Request: r, Route: "/v1/{rules}/probe", Status: 200, Bytes: 4000, Duration: 30 * time.Microsecond, RequestID: "0123456789abcdef"}
			b.ReportAllocs()
			for b.Loop() {
				s.Observe(e)
			}
		})
	}
}
