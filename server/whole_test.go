package main

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"solved/api"
	"solved/server/game"
	"solved/server/service"
	"solved/server/tables"
	"solved/tablebase"
)

// TestEmbeddedWhole checks the embedded tables that are whole: they are what solving gives, and
// whoever asks sees the same answers with the same names for them, whether from the embedded
// table, a mapped file or one in memory.
func TestEmbeddedWhole(t *testing.T) {
	mapped := standard()
	packed := standard()
	digests := map[string]tablebase.Digest{}
	for _, g := range allGames() {
		if g.Files() == nil || g.Kind() == api.KindPieces { // whose kernels scripts/reproduce.sh makes again
			continue
		}
		ending := g.Files().Formats[0].Ending()
		plain, zst := filepath.Join(t.TempDir(), "made"+ending), filepath.Join(t.TempDir(), "made"+ending+".zst")
		files := []tables.Artifact{{Path: plain, Format: g.Files().Formats[0]}, {Path: zst, Format: g.Files().Formats[0]}}
		if err := g.(game.Solver).Solve(t.Context(), files, 2, nil); err != nil {
			t.Fatal(err)
		}
		v, err := allGames().Catalog().VerifyFile(t.Context(), plain, false, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		digest := v.Digest
		if carried, err := g.Files().Right(); err != nil || carried != digest {
			t.Errorf("%s: the embedded table is %s, %v; solved is %s", g.About().Name, carried, err, digest)
		}
		digests[g.About().Name] = digest
		mapped.Tables, packed.Tables = append(mapped.Tables, plain), append(packed.Tables, zst)
	}
	if len(digests) != 2 {
		t.Errorf("%d embedded tables are whole", len(digests))
	}

	serving := func(how service.Config, source string) http.Handler {
		s, err := service.New(allGames(), how, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := s.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Probers {
			if _, whole := digests[p.Game().About().Name]; whole && p.Ruleset().Table.Source != source {
				t.Errorf("%s is served as %s, want %s", p.Game().About().Name, p.Ruleset().Table.Source, source)
			}
		}
		return s.Handler()
	}
	handlers := []http.Handler{serving(standard(), api.SourceEmbedded), serving(mapped, api.SourceMapped), serving(packed, api.SourceMemory)}
	asked := 0
	for name := range digests {
		for _, operation := range []string{"probe", "best", "line", "examples"} {
			target := "/v1/" + name + "/" + operation
			first := request(handlers[0], http.MethodGet, target, "")
			for _, h := range handlers[1:] {
				other := request(h, http.MethodGet, target, "")
				if first.Code != 200 || other.Code != 200 || first.Body.String() != other.Body.String() {
					t.Errorf("%s: %d %s, but %d %s", target, first.Code, first.Body, other.Code, other.Body)
				}
				if tag := first.Header().Get("ETag"); tag == "" || tag != other.Header().Get("ETag") {
					t.Errorf("%s: ETag %s, but %s", target, tag, other.Header().Get("ETag"))
				}
				asked++
			}
		}
	}
	if asked != 16 {
		t.Errorf("asked %d times", asked)
	}
}
