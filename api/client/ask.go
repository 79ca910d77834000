package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"solved/api"
)

// request is one that may be sent several times.
type request struct {
	method string
	path   []string // its elements, not escaped
	query  url.Values
	body   []byte // nil for none
	tries  int
}

// answer is one that has been read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request, again where the answer says so, until there is an answer of
// 200, and decodes that into a value, which check then looks at.
func (c *Client) ask(ctx context.Context, q request, into any, check func(http.Header) error) error {
	failure := &Error{Method: q.method, Path: "/" + strings.Join(q.path, "/")}
	if c.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.time, fmt.Errorf("there was no answer within %s: %w", c.time, context.DeadlineExceeded))
		defer cancel()
	}
	for {
		failure.Tries++
		a, err := c.send(ctx, q)
		if err == nil {
			failure.Status, failure.RequestID = a.status, a.header.Get("X-Request-Id")
			err = a.decode(into, check)
		}
		if err == nil {
			return nil
		}
		failure.Err = err
		if !a.passing() || failure.Tries == q.tries {
			return failure
		}
		pause := withJitter(a.pause(failure.Tries))
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
			return failure // it would be waiting in vain
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			failure.Err = fmt.Errorf("%w, while waiting to ask again after: %w", context.Cause(ctx), err)
			return failure
		}
	}
}

// send sends a request once and reads what is answered.
func (c *Client) send(ctx context.Context, q request) (answer, error) {
	target := c.base.JoinPath(escaped(q.path)...)
	target.RawQuery = q.query.Encode()
	var body io.Reader
	if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	hr, err := http.NewRequestWithContext(ctx, q.method, target.String(), body)
	if err != nil {
		return answer{}, err
	}
	// Not a word of Accept-Encoding: net/http asks for gzip, and undoes it.
	hr.Header.Set("Accept", "application/json, application/problem+json")
	hr.Header.Set("User-Agent", c.userAgent)
	if q.body != nil {
		hr.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(hr)
	if err != nil {
		return answer{}, reason(ctx, err)
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	a.body, err = io.ReadAll(io.LimitReader(response.Body, c.largest+1))
	switch {
	case err != nil:
		return answer{}, answerError(reason(ctx, err), "the answer did not arrive whole")
	case int64(len(a.body)) > c.largest:
		return answer{}, answerError(nil, "the answer has more than %d bytes", c.largest)
	}
	return a, nil
}

// escaped writes the elements of a path so that each stays one.
func escaped(path []string) []string {
	elements := make([]string, len(path))
	for i, element := range path {
		elements[i] = url.PathEscape(element)
	}
	return elements
}

// reason is why a request failed: the end of its context, or what net/http says,
// without the address, which the Error tells.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}

// decode reads a good answer into a value, or returns the problem that a bad one is.
func (a answer) decode(into any, check func(http.Header) error) error {
	media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	switch {
	case a.status == http.StatusOK && media == "application/json":
		if err := json.Unmarshal(a.body, into); err != nil {
			return answerError(err, "the answer does not parse")
		}
		return check(a.header)
	case a.status != http.StatusOK && media == "application/problem+json":
		problem := new(api.Problem)
		if err := json.Unmarshal(a.body, problem); err != nil {
			return answerError(err, "the problem that was answered with status %d does not parse", a.status)
		}
		if problem.Type == "" {
			return answerError(nil, "the problem that was answered with status %d has no type", a.status)
		}
		return problem
	case a.header.Get("Location") != "":
		return answerError(nil, "the service was not reached: status %d points to %q", a.status, a.header.Get("Location"))
	}
	return answerError(nil, "what answered is not the service: status %d with the content type %q", a.status, a.header.Get("Content-Type"))
}
