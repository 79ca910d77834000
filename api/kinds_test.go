package api_test

import (
	"testing"

	"solved/api"
)

// TestUnknownKind checks that an answer of a kind that is not known here is refused.
func TestUnknownKind(t *testing.T) {
	for _, text := range []string{`{}`, `{"kind":"chess"}`, `{"kind":""}`, `{"kind":1}`, `[`, ``} {
		if p, err := api.DecodeProbe([]byte(text)); err == nil || p != nil {
			t.Errorf("%s is read as the probe %v", text, p)
		}
		if l, err := api.DecodeLine([]byte(text)); err == nil || l != nil {
			t.Errorf("%s is read as the line %v", text, l)
		}
	}
}
