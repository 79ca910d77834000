package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows the progress of long work: on a terminal a bar with rate and time left,
// elsewhere a plain line from time to time. A nil progress shows nothing. It is safe for
// concurrent use.
type progress struct {
	w    io.Writer
	bars *mpb.Progress // nil if not on a terminal

	mu      sync.Mutex
	name    string // of the stage under way, empty for none
	bar     *mpb.Bar
	started time.Time // start of the stage
	told    time.Time // time of the last line
}

const (
	// shownAfter is the least duration of a stage that is shown.
	shownAfter = 500 * time.Millisecond
	// lineEvery is the time between two lines of the same stage.
	lineEvery = 5 * time.Second
)

// newProgress returns a progress that writes to w.
func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && movesCursor(os.Getenv("TERM")) {
			p.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(48), mpb.WithAutoRefresh())
		}
	}
	return p
}

// movesCursor says whether the terminal that TERM names obeys the escape sequences that draw a
// bar again in its place. Windows does not set TERM.
func movesCursor(term string) bool {
	return term != "dumb" && (term != "" || runtime.GOOS == "windows")
}

// stage shows that done of total parts of a stage have been done. It may be called often: a call
// is dropped while another is at work, unless it is the last of its stage.
func (p *progress) stage(name string, done, total uint64) {
	if p == nil {
		return
	}
	if done >= total {
		p.mu.Lock()
	} else if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	now := time.Now()
	if name != p.name {
		p.End()
		p.name, p.started, p.told = name, now, now
	}
	if now.Sub(p.started) < shownAfter {
		return
	}
	if p.bars != nil {
		if p.bar == nil {
			p.bar = p.bars.AddBar(int64(total),
				mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR), decor.Percentage(decor.WC{W: 5})),
				mpb.AppendDecorators(decor.Any(rateSince(p.started)), decor.Name("  "),
					decor.OnComplete(decor.NewAverageETA(decor.ET_STYLE_GO, p.started, nil), ""), decor.Name(" "), decor.NewElapsed(decor.ET_STYLE_GO, p.started)))
		}
		p.bar.SetCurrent(int64(done))
		return
	}
	if now.Sub(p.told) >= lineEvery && done < total {
		p.told = now
		rate := float64(done) / now.Sub(p.started).Seconds()
		left := "unknown"
		if done > 0 {
			left = time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second).String()
		}
		fmt.Fprintf(p.w, "%s: %d of %d (%d%%), %s, %s left\n",
			name, done, total, 100*done/max(total, 1), wordRate(rate), left)
	}
}

// rateSince returns a function that gives the average rate since a time as text.
func rateSince(start time.Time) func(decor.Statistics) string {
	return func(s decor.Statistics) string {
		return wordRate(float64(s.Current) / time.Since(start).Seconds())
	}
}

// wordRate returns a rate as text, in units a second. The unit is a position, or a block of many.
func wordRate(rate float64) string {
	if rate >= 1e5 {
		return fmt.Sprintf("%.1f million a second", rate/1e6)
	}
	return fmt.Sprintf("%.0f a second", rate)
}

// Done ends the stage under way.
func (p *progress) Done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.End()
}

// End ends the stage under way; the lock is held.
func (p *progress) End() {
	switch {
	case p.name == "":
	case p.bar != nil:
		p.bar.SetTotal(-1, true)
		p.bar = nil
	case p.bars == nil && time.Since(p.started) >= shownAfter:
		fmt.Fprintf(p.w, "%s: done in %s\n", p.name, time.Since(p.started).Round(10*time.Millisecond))
	}
	p.name = ""
}

// Close ends the bars.
func (p *progress) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Abort(false)
		p.bar, p.name = nil, ""
	}
	if p.bars != nil {
		p.bars.Wait()
	}
}
