package retrograde

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// mapped returns how much memory the process has mapped, in bytes.
func mapped(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages int64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// The cells are given back by Free, and by Solve itself when it fails.
func TestMemoryGivenBack(t *testing.T) {
	g := plain(0, chain(9)...)
	g.size = 1 << 30
	before := mapped(t)
	holds := func(what string, want bool) {
		t.Helper()
		if more := mapped(t) - before; (more > 1<<29) != want {
			t.Errorf("%s: %d MiB more than before", what, more>>20)
		}
	}
	s, err := Solve(context.Background(), g, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	holds("solved", true)
	s.Free()
	holds("freed", false)

	ctx, cancel := context.WithCancel(context.Background())
	_, err = Solve(ctx, g, 2, func(stage string, _, _ uint64) {
		if stage == "distance 3" {
			holds("in a wave", true)
			cancel()
		}
	})
	if err == nil {
		t.Fatal("no error")
	}
	holds("cancelled", false)

	g.open = func(int) (int, bool) { return 0, true }
	if _, err := Solve(context.Background(), g, 2, nil); err == nil {
		t.Fatal("no error")
	}
	holds("failed", false)
}
