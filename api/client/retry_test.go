package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"solved/api"
	"solved/api/client"
)

// turnedAway is the contract's answer to who has to wait.
func turnedAway(status int, headers ...string) *http.Response {
	kind, title := api.RateLimited, "Rate limited"
	if status == 503 {
		kind, title = api.Overloaded, "Overloaded"
	}
	body := fmt.Sprintf(`{"type":"/problems/%s","title":%q,"status":%d,"detail":"Not now."}`, kind, title, status)
	return answer(status, body, append([]string{"Content-Type", "application/problem+json", "X-Request-Id", "0123456789abcdef"}, headers...)...)
}

// TestRetries checks how often and how long after one another a question is asked.
// The clock is fake.
func TestRetries(t *testing.T) {
	const second = time.Second
	date := func(d time.Duration) func() string {
		return func() string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	}
	text := func(s string) func() string { return func() string { return s } }
	type reply struct {
		status     int
		retryAfter func() string // nil for no header
		date       func() string // nil for no header
	}
	ok := reply{status: 200}
	for name, c := range map[string]struct {
		replies []reply
		options []client.Option
		batch   bool
		tries   int
		// least is the sum of the waits without jitter, which adds to each.
		least time.Duration
		fails bool
	}{
		"at once":                      {replies: []reply{ok}, tries: 1},
		"429":                          {replies: []reply{{status: 429, retryAfter: text("3")}, ok}, tries: 2, least: 3 * second},
		"503":                          {replies: []reply{{status: 503, retryAfter: text("1")}, ok}, tries: 2, least: second},
		"a batch":                      {replies: []reply{{status: 503, retryAfter: text("1")}, ok}, batch: true, tries: 2, least: second},
		"one after the other":          {replies: []reply{{status: 503, retryAfter: text("1")}, {status: 429, retryAfter: text("7")}, ok}, tries: 3, least: 8 * second},
		"zero":                         {replies: []reply{{status: 503, retryAfter: text("0")}, ok}, tries: 2},
		"spaces":                       {replies: []reply{{status: 503, retryAfter: text(" 2 ")}, ok}, tries: 2, least: 2 * second},
		"a date":                       {replies: []reply{{status: 503, retryAfter: date(4 * second)}, ok}, tries: 2, least: 4 * second},
		"a date by another clock":      {replies: []reply{{status: 503, retryAfter: date(3604 * second), date: date(3600 * second)}, ok}, tries: 2, least: 4 * second},
		"a date gone by":               {replies: []reply{{status: 503, retryAfter: date(-time.Hour)}, ok}, tries: 2},
		"an odd clock":                 {replies: []reply{{status: 503, retryAfter: date(4 * second), date: text("noon")}, ok}, tries: 2, least: 4 * second},
		"no header":                    {replies: []reply{{status: 503}, {status: 503}, {status: 503}, ok}, tries: 4, least: (250 + 500 + 1000) * time.Millisecond},
		"an odd header":                {replies: []reply{{status: 503, retryAfter: text("soon")}, ok}, tries: 2, least: 250 * time.Millisecond},
		"a negative one":               {replies: []reply{{status: 503, retryAfter: text("-5")}, ok}, tries: 2, least: 250 * time.Millisecond},
		"a fraction":                   {replies: []reply{{status: 503, retryAfter: text("1.5")}, ok}, tries: 2, least: 250 * time.Millisecond},
		"as often as may be":           {replies: []reply{{status: 503, retryAfter: text("1")}, {status: 503, retryAfter: text("1")}, {status: 503, retryAfter: text("1")}, {status: 503, retryAfter: text("1")}, ok}, tries: 4, least: 3 * second, fails: true},
		"never again":                  {replies: []reply{{status: 503, retryAfter: text("1")}, ok}, options: []client.Option{client.WithTries(1)}, tries: 1, fails: true},
		"more often":                   {replies: []reply{{status: 503}, {status: 503}, {status: 503}, {status: 503}, {status: 503}, ok}, options: []client.Option{client.WithTries(6)}, tries: 6, least: (250 + 500 + 1000 + 2000 + 4000) * time.Millisecond},
		"longer than the time":         {replies: []reply{{status: 429, retryAfter: text("60")}, ok}, tries: 1, fails: true},
		"longer than the time is left": {replies: []reply{{status: 429, retryAfter: text("30")}, {status: 429, retryAfter: text("30")}, {status: 429, retryAfter: text("30")}, ok}, options: []client.Option{client.WithTime(50 * second)}, tries: 2, least: 30 * second, fails: true, batch: true},
		"without a bound":              {replies: []reply{{status: 429, retryAfter: text("7200")}, ok}, options: []client.Option{client.WithTime(0)}, tries: 2, least: 7200 * second},
		"a number that is too large":   {replies: []reply{{status: 429, retryAfter: text("99999999999999999999999")}, ok}, tries: 1, fails: true},
		"a date that is too far":       {replies: []reply{{status: 429, retryAfter: text("Fri, 31 Dec 9999 23:59:59 GMT")}, ok}, tries: 1, fails: true},
		"500 is not asked again":       {replies: []reply{{status: 500, retryAfter: text("1")}, ok}, tries: 1, fails: true},
		"502 is not asked again":       {replies: []reply{{status: 502, retryAfter: text("1")}, ok}, tries: 1, fails: true},
		"400 is not asked again":       {replies: []reply{{status: 400, retryAfter: text("1")}, ok}, tries: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				handler := newHandler(games()...)
				asked := 0
				asker := direct(t, func(r *http.Request) (*http.Response, error) {
					reply := c.replies[asked]
					asked++
					if reply.status == 200 {
						return ask(handler, r), nil
					}
					var headers []string
					if reply.retryAfter != nil {
						headers = append(headers, "Retry-After", reply.retryAfter())
					}
					if reply.date != nil {
						headers = append(headers, "Date", reply.date())
					}
					if r.Body != nil {
						io.Copy(io.Discard, r.Body) // the next try must have it again
					}
					return turnedAway(reply.status, headers...), nil
				}, c.options...)
				var err error
				if c.batch {
					_, err = asker.Batch(t.Context(), pairTag, []string{"2", "0"}, true)
				} else {
					_, err = asker.Probe(t.Context(), pairTag, client.At("2"))
				}
				if asked != c.tries || (err != nil) != c.fails {
					t.Errorf("asked %d times, want %d: %v", asked, c.tries, err)
				}
				most := c.least + c.least/4 + time.Duration(c.tries-1)*100*time.Millisecond
				if took := time.Since(began); took < c.least || took > most {
					t.Errorf("it took %s, want %s to %s", took, c.least, most)
				}
				if !c.fails {
					return
				}
				var problem *api.Problem
				var failure *client.Error
				if !errors.As(err, &problem) || !errors.As(err, &failure) || failure.Tries != c.tries || failure.Status != c.replies[c.tries-1].status || failure.RequestID != "0123456789abcdef" {
					t.Errorf("%+v", err)
				}
				if told := strings.Contains(err.Error(), fmt.Sprintf("(asked %d times)", c.tries)); told != (c.tries > 1) {
					t.Errorf("it tells %q", err)
				}
			})
		})
	}
}

// TestJitter checks that clients turned away together come back apart.
func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := map[time.Duration]bool{}
		for range 50 {
			began, tries := time.Now(), 0
			c := direct(t, func(*http.Request) (*http.Response, error) {
				if tries++; tries == 2 {
					return answer(200, `{"rules":[]}`, "Content-Type", "application/json"), nil
				}
				return turnedAway(429, "Retry-After", "8"), nil
			})
			if _, err := c.Rules(t.Context()); err != nil {
				t.Fatal(err)
			}
			waits[time.Since(began)] = true
		}
		if len(waits) < 40 {
			t.Errorf("50 waits took only %d different times", len(waits))
		}
	})
}

// TestDeadline checks that no wait is begun that the context would end.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began, tries := time.Now(), 0
		c := direct(t, func(*http.Request) (*http.Response, error) { tries++; return turnedAway(429, "Retry-After", "5"), nil })
		_, err := c.Probe(ctx, pairTag, client.At("2"))
		var problem *api.Problem
		if !errors.As(err, &problem) || problem.Kind() != api.RateLimited || errors.Is(err, context.DeadlineExceeded) || tries != 1 || time.Since(began) != 0 {
			t.Errorf("asked %d times in %s: %v", tries, time.Since(began), err)
		}
		// One that fits is.
		tries = 0
		c = direct(t, func(*http.Request) (*http.Response, error) { tries++; return turnedAway(429, "Retry-After", "3"), nil })
		if _, err := c.Probe(ctx, pairTag, client.At("2")); err == nil || tries != 2 || time.Since(began) >= 5*time.Second {
			t.Errorf("asked %d times in %s: %v", tries, time.Since(began), err)
		}
	})
}

// TestCancelled ends calls while they wait for an answer, for the rest of one, and to
// ask again.
func TestCancelled(t *testing.T) {
	why := errors.New("the user has left")
	for name, f := range map[string]transport{
		"before": func(r *http.Request) (*http.Response, error) { return nil, r.Context().Err() },
		"answer": func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() },
		"body": func(r *http.Request) (*http.Response, error) {
			a := answer(200, "", "Content-Type", "application/json")
			a.Body = io.NopCloser(endless{func() error { <-r.Context().Done(); return r.Context().Err() }})
			return a, nil
		},
		"pause": func(*http.Request) (*http.Response, error) { return turnedAway(503, "Retry-After", "30"), nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				began, after := time.Now(), 10*time.Second
				if name == "before" {
					after = 0
					cancel(why)
				}
				time.AfterFunc(after, func() { cancel(why) })
				_, err := direct(t, f).Batch(ctx, pairTag, []string{"2"}, false)
				var failure *client.Error
				if !errors.Is(err, why) || !errors.As(err, &failure) || time.Since(began) != after {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
				var problem *api.Problem
				if errors.As(err, &problem) != (name == "pause") {
					t.Errorf("the problem that led to waiting: %v", err)
				}
				synctest.Wait()
			})
		})
	}
	// The client's own time is a deadline like any other, and says what it is.
	synctest.Test(t, func(t *testing.T) {
		c := direct(t, func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() },
			client.WithTime(3*time.Second))
		began := time.Now()
		_, err := c.Rules(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 3s") || time.Since(began) != 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// endless is a body that brings spaces for as long as more lets it.
type endless struct{ more func() error }

func (e endless) Read(b []byte) (int, error) {
	if err := e.more(); err != nil {
		return 0, err
	}
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}
