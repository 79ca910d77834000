package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"solved/api"
	"solved/server/cli"
	"solved/server/tables"
)

// TestHealth checks the exit code and what is said for each kind of answer.
func TestHealth(t *testing.T) {
	s := quietService(t)
	for _, p := range s.Probers {
		p.Slot().Table.Store(nil)
	}
	release := make(chan struct{})
	handler := s.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/livez", http.StatusFound)
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "/plain":
			http.Error(w, "no", http.StatusTeapot)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	defer close(release)

	ask := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), allGames(), append([]string{"health"}, args...), []string{"SOLVED_UNKNOWN=1"}, strings.NewReader(""), &out, &errs)
		return code, out.String() + errs.String()
	}
	if code, said := ask(server.URL + "/readyz"); code != cli.ExitFine || said != "" {
		t.Errorf("ready: exit code %d, %q", code, said)
	}
	s.Probers[0].Slot().Table.Store(&tables.Loaded{State: api.StateFailed, Reason: "The table is damaged."})
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{server.URL + "/readyz"}, cli.ExitInput, "503 Service Unavailable: Not every table is ready.; tic-tac-chec is failed: The table is damaged."},
		{[]string{server.URL + "/plain"}, cli.ExitInput, "418 I'm a teapot"},
		{[]string{server.URL + "/moved"}, cli.ExitInput, "302 Found"},
		{[]string{server.URL + "/slow", "--timeout", "20ms"}, cli.ExitInput, "deadline exceeded"},
		{[]string{"http://127.0.0.1:1/readyz"}, cli.ExitInput, "connection refused"},
		{[]string{"localhost:8080"}, cli.ExitUsage, "is not the address of a server"},
		{[]string{"a", "b"}, cli.ExitUsage, "usage: solved health [URL]"},
		{[]string{"--timeout", "0"}, cli.ExitUsage, "at least 1ms"},
	} {
		start := time.Now()
		if code, said := ask(c.args...); code != c.code || !strings.Contains(said, c.want) || strings.Count(said, "\n") > 2 {
			t.Errorf("health %s: exit code %d, %q after %v; want %d, %q", c.args, code, said, time.Since(start), c.code, c.want)
		}
	}
}
