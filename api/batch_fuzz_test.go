package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// FuzzParseBatch holds the strict parser of batches against encoding/json: what it
// takes, that takes to mean the same, and what it refuses it refuses with a place
// inside the body.
func FuzzParseBatch(f *testing.F) {
	for _, seed := range []string{
		`{"positions":["4/4/4/4 w -- o"]}`, `{"moves":true,"positions":["post:1","x\u00e9\n"]}`, `{"positions":[]}`,
		`{"Positions":["x"]}`, `{"positions":["x"],"positions":["y"]}`, `{"positions":[1e999]}`, `{"positions":["\ud800"]}`,
		"{\"positions\":[\"\xff\"]}", `{"positions":["x",]}`, `[[[[`, "", `{"moves":null}`, ` { "positions" : [ "x" ] } `, `{"":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := ParseBatch(body)
		if err != nil {
			var p *Problem
			if !errors.As(err, &p) || p.Kind() != BadBody && p.Kind() != BatchTooLarge || p.Detail == "" {
				t.Fatalf("%q: %v", body, err)
			}
			if p.Offset != nil && (*p.Offset < 0 || *p.Offset > len(body)) {
				t.Fatalf("%q: offset %d", body, *p.Offset)
			}
			return
		}
		var want BatchRequest
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q is taken, but %v", body, err)
		}
		if got.Moves != want.Moves || len(got.Positions) != len(want.Positions) || len(got.Positions) == 0 || len(got.Positions) > MaxBatch {
			t.Fatalf("%q: %+v, want %+v", body, got, want)
		}
		for i := range got.Positions {
			if got.Positions[i] != want.Positions[i] {
				t.Fatalf("%q: position %d is %q, want %q", body, i, got.Positions[i], want.Positions[i])
			}
		}
	})
}
