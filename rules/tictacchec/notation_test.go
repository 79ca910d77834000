package tictacchec

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"solved/rules"
)

// eachLine decodes every line of a file of JSON objects in testdata.
func eachLine[T any](t *testing.T, name string, visit func(T)) (seen int) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		visit(v)
		seen++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestRefusals(t *testing.T) {
	type refusal struct {
		Position, Name, Reason string
		Status                 int
	}
	seen := eachLine(t, "refusals.jsonl", func(v refusal) {
		p, _, err := Parse(v.Position)
		if p != (Position{}) {
			t.Errorf("%q: refused, yet a position is returned", v.Position)
		}
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case errors.As(err, &malformed):
			if v.Status != 400 || v.Name != "malformed-position" {
				t.Errorf("%v, want %+v", err, v)
			}
			if malformed.Position != v.Position || malformed.Offset < 0 || malformed.Offset > len(v.Position) || malformed.Detail == "" {
				t.Errorf("%q: %+v", v.Position, malformed)
			}
		case errors.As(err, &illegal):
			if v.Status != 422 || v.Name != "illegal-position" || illegal.Reason != v.Reason {
				t.Errorf("%v, want %+v", err, v)
			}
			if illegal.Position != v.Position || illegal.Detail == "" {
				t.Errorf("%q: %+v", v.Position, illegal)
			}
		default:
			t.Errorf("%q: %v, want %+v", v.Position, err, v)
		}
	})
	if seen != 56 {
		t.Errorf("saw %d refusals, want 56", seen)
	}
}
