package client

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// firstPause is that after the first answer that does not name one. Each
	// further one is twice as long.
	firstPause = 250 * time.Millisecond
	// longestPause is what a longer one is taken for: no call waits so long.
	longestPause = 24 * time.Hour
	// leastJitter spreads out even those who are told to come back at once.
	leastJitter = 100 * time.Millisecond
)

// passing says whether the same question may well have another answer later. So it
// is whether or not it is the service that says so, or something in front of it.
func (a answer) passing() bool {
	return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
}

// pause is how long to wait after an answer to the nth try.
func (a answer) pause(n int) time.Duration {
	now := time.Now()
	// A date is by the clock of whoever wrote it.
	if date, err := http.ParseTime(a.header.Get("Date")); err == nil {
		now = date
	}
	if pause, ok := retryAfter(a.header.Get("Retry-After"), now); ok {
		return pause
	}
	return min(firstPause<<min(n-1, 20), longestPause)
}

// retryAfter reads a Retry-After header: seconds, or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if text != "" && strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds > int(longestPause/time.Second) {
			return longestPause, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(date.Sub(now), 0), longestPause), true
}

// withJitter makes a pause longer by up to a quarter, at random.
func withJitter(pause time.Duration) time.Duration {
	return pause + rand.N(max(pause/4, leastJitter))
}
