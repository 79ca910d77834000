package main

import (
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api/httpapi"
)

var update = flag.Bool("update", false, "write anew what the contract's document shows")

// moment is what differs from one start to the next.
var moment = regexp.MustCompile(`"loaded_at":"[^"]*","load_seconds":[0-9.e-]+`)

// TestIllustrations holds every answer that the contract's document shows against
// what the program answers.
func TestIllustrations(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	seen := map[string]bool{}
	for _, i := range httpapi.Illustrations() {
		request := httptest.NewRequest(i.Method, i.Target, strings.NewReader(i.Body))
		if i.Body != "" {
			request.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		if w.Code != i.Status {
			t.Errorf("%s: status %d, want %d: %s", i.Name, w.Code, i.Status, w.Body)
			continue
		}
		got := moment.ReplaceAllString(w.Body.String(), `"loaded_at":"2026-11-30T12:00:00Z","load_seconds":0.03`)
		file := filepath.Join("..", "api", "httpapi", "examples", i.Name+".json")
		seen[i.Name+".json"] = true
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: the document shows another answer (-shown +given):\n%s", i.Name, d)
		}
	}
	files, err := os.ReadDir(filepath.Join("..", "api", "httpapi", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("nothing shows api/httpapi/examples/%s", f.Name())
		}
	}
}
