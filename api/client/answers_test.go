package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"solved/api"
	"solved/api/client"
	"solved/rules"
)

const probed = `{"rules":{"name":"pair","tag":"0x0badcafe"},"kind":"pieces","position":"2","value":"win","distance":1,"moves":[]}`

// good are the headers of a good answer about the pair.
func good(more ...string) []string {
	return append([]string{"Content-Type", "application/json", "Rules-Tag", "0x0badcafe"}, more...)
}

// TestMismatch checks that no answer for other rules passes, whichever of the two
// places tells.
func TestMismatch(t *testing.T) {
	other := strings.Replace(probed, "cafe", "caff", 1)
	one := func(probe string) string { return `{"results":[{"probe":` + probe + `,"problem":null}]}` }
	probe := func(c *client.Client) error { _, err := c.Probe(t.Context(), pairTag, client.At("2")); return err }
	best := func(c *client.Client) error { _, err := c.Best(t.Context(), pairTag, client.At("2")); return err }
	line := func(c *client.Client) error { _, err := c.Line(t.Context(), pairTag, client.At("2"), 3); return err }
	batch := func(c *client.Client) error { _, err := c.Batch(t.Context(), pairTag, []string{"2"}, true); return err }
	examples := func(c *client.Client) error { _, err := c.Examples(t.Context(), pairTag); return err }
	ruleset := func(c *client.Client) error { _, _, err := c.Ruleset(t.Context(), "pair"); return err }
	for name, c := range map[string]struct {
		call   func(*client.Client) error
		body   string
		header string
		got    string
		right  bool
	}{
		"probe":                   {probe, probed, "0x0badcafe", "", true},
		"probe, in capitals":      {probe, probed, "0X0BADCAFE", "", true},
		"probe, header":           {probe, probed, "0x0badcaff", "0x0badcaff", false},
		"probe, no header":        {probe, probed, "", "", false},
		"probe, body":             {probe, other, "0x0badcafe", "0x0badcaff", false},
		"probe, both":             {probe, other, "0x0badcaff", "0x0badcaff", false},
		"probe, odd header":       {probe, probed, "tic-tac-chec", "tic-tac-chec", false},
		"probe, nothing in it":    {probe, `{"kind":"pieces"}`, "0x0badcafe", "", false},
		"best":                    {best, probed, "0x0badcafe", "", true},
		"best, header":            {best, probed, "0x00000001", "0x00000001", false},
		"best, body":              {best, other, "0x0badcafe", "0x0badcaff", false},
		"line":                    {line, probed, "0x0badcafe", "", true},
		"line, header":            {line, probed, "0x00000001", "0x00000001", false},
		"line, body":              {line, other, "0x0badcafe", "0x0badcaff", false},
		"batch":                   {batch, one(probed), "0x0badcafe", "", true},
		"batch, header":           {batch, one(probed), "0x0badcaff", "0x0badcaff", false},
		"batch, body":             {batch, one(other), "0x0badcafe", "0x0badcaff", false},
		"examples":                {examples, `{"examples":[]}`, "0x0badcafe", "", true},
		"examples, header":        {examples, `{"examples":[]}`, "0x0badcaff", "0x0badcaff", false},
		"ruleset":                 {ruleset, `{"name":"pair","tag":"0x0badcafe"}`, "0x0badcafe", "", true},
		"ruleset, header":         {ruleset, `{"name":"pair","tag":"0x0badcafe"}`, "0x0badcaff", "0x0badcaff", false},
		"ruleset, without header": {ruleset, `{"name":"pair","tag":"0x0badcafe"}`, "", "", false},
	} {
		asked := 0
		err := c.call(direct(t, func(*http.Request) (*http.Response, error) {
			asked++
			return answer(200, c.body, "Content-Type", "application/json", "Rules-Tag", c.header), nil
		}))
		var mismatch *client.MismatchError
		switch {
		case asked != 1:
			t.Errorf("%s: asked %d times", name, asked)
		case c.right != (err == nil):
			t.Errorf("%s: %v", name, err)
		case !c.right && (!errors.As(err, &mismatch) || mismatch.Asked != pairTag || mismatch.Got != c.got || !strings.Contains(err.Error(), "0x0badcafe")):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOddAnswers checks that what is no answer of the contract is told as such.
func TestOddAnswers(t *testing.T) {
	probe := func(ctx context.Context, c *client.Client) error {
		_, err := c.Probe(ctx, pairTag, client.At("2"))
		return err
	}
	batch := func(ctx context.Context, c *client.Client) error {
		_, err := c.Batch(ctx, pairTag, []string{"2", "0"}, true)
		return err
	}
	ruleset := func(ctx context.Context, c *client.Client) error { _, _, err := c.Ruleset(ctx, "pair"); return err }
	list := func(ctx context.Context, c *client.Client) error { _, err := c.Rules(ctx); return err }
	examples := func(ctx context.Context, c *client.Client) error { _, err := c.Examples(ctx, pairTag); return err }
	result := `{"probe":` + probed + `,"problem":null}`
	const problem = "application/problem+json"
	for name, c := range map[string]struct {
		call func(context.Context, *client.Client) error
		*http.Response
		want string
	}{
		"a page":                    {probe, answer(200, "<html>", "Content-Type", "text/html", "Rules-Tag", "0x0badcafe"), `not the service: status 200 with the content type "text/html"`},
		"no type":                   {probe, answer(200, probed, "Rules-Tag", "0x0badcafe"), `not the service`},
		"an odd type":               {probe, answer(200, probed, good("Content-Type", "json")...), `not the service`},
		"a problem as a success":    {probe, answer(200, `{"type":"/problems/internal"}`, "Content-Type", problem), `not the service`},
		"a success as a failure":    {probe, answer(404, probed, good()...), `not the service: status 404`},
		"no content":                {probe, answer(204, ""), `status 204`},
		"a gateway's page":          {probe, answer(502, "Bad gateway", "Content-Type", "text/plain"), `status 502`},
		"a redirection":             {probe, answer(301, "", "Location", "https://elsewhere.example/"), `status 301 points to "https://elsewhere.example/"`},
		"a redirection of a batch":  {batch, answer(302, "", "Location", "/v1/login"), `status 302 points to "/v1/login"`},
		"empty":                     {probe, answer(200, "", good()...), "does not parse"},
		"half an answer":            {probe, answer(200, probed[:40], good()...), "does not parse"},
		"two answers":               {probe, answer(200, probed+probed, good()...), "does not parse"},
		"null":                      {probe, answer(200, `null`, good()...), `the kind "", which is not known`},
		"of no kind":                {probe, answer(200, `{"rules":{"tag":"0x0badcafe"}}`, good()...), `the kind "", which is not known`},
		"of another kind":           {probe, answer(200, strings.Replace(probed, `"pieces"`, `"dice"`, 1), good()...), `the kind "dice", which is not known`},
		"a result of another kind":  {batch, answer(200, `{"results":[{"probe":{"kind":"dice"},"problem":null},`+result+`]}`, good()...), `the kind "dice", which is not known`},
		"another shape":             {probe, answer(200, `[]`, good()...), "does not parse"},
		"another type of a field":   {probe, answer(200, `{"rules":{"tag":"0x0badcafe"},"kind":"pieces","distance":"1"}`, good()...), "does not parse"},
		"deeper than can be":        {probe, answer(200, strings.Repeat("[", 100_000), good()...), "does not parse"},
		"too few results":           {batch, answer(200, `{"results":[`+result+`]}`, good()...), "1 results for 2 positions"},
		"too many results":          {batch, answer(200, `{"results":[`+result+`,`+result+`,`+result+`]}`, good()...), "3 results for 2 positions"},
		"no results":                {batch, answer(200, `{}`, good()...), "0 results for 2 positions"},
		"a probe for a batch":       {batch, answer(200, probed, good()...), "0 results for 2 positions"},
		"neither":                   {batch, answer(200, `{"results":[`+result+`,{"probe":null,"problem":null}]}`, good()...), "result 1 must be a probe or a problem"},
		"both":                      {batch, answer(200, `{"results":[{"probe":`+probed+`,"problem":{}},`+result+`]}`, good()...), "result 0 must be a probe or a problem"},
		"another name":              {ruleset, answer(200, `{"name":"other","tag":"0x0badcafe"}`, good()...), `asked was for the rules "pair"; the answer is about "other"`},
		"a tag that is none":        {ruleset, answer(200, `{"name":"pair","tag":"7"}`, good()...), `with the tag "7"`},
		"no rules":                  {list, answer(200, `{}`, good()...), "lists no rulesets"},
		"a list of odd rules":       {list, answer(200, `{"rules":[{"name":"x","tag":"y"}]}`, good()...), `the tag "y"`},
		"no examples":               {examples, answer(200, `{}`, good()...), "lists no examples"},
		"a problem cut short":       {probe, answer(400, `{"type":"/prob`, "Content-Type", problem), "the problem that was answered with status 400 does not parse"},
		"a problem of another form": {probe, answer(400, `{"type":7}`, "Content-Type", problem), "does not parse"},
		"a problem without a type":  {probe, answer(400, `{"error":"no"}`, "Content-Type", problem), "has no type"},
	} {
		asked := 0
		err := c.call(t.Context(), direct(t, func(*http.Request) (*http.Response, error) { asked++; return c.Response, nil }))
		var odd *client.AnswerError
		var failure *client.Error
		if !errors.As(err, &odd) || !errors.As(err, &failure) || !strings.Contains(err.Error(), c.want) || asked != 1 || failure.Status != c.StatusCode {
			t.Errorf("%s: %v, asked %d times", name, err, asked)
		}
	}
	// What something in front of the service says about itself is a problem, too.
	err := probe(t.Context(), direct(t, func(*http.Request) (*http.Response, error) {
		return answer(403, `{"type":"about:blank","title":"Forbidden"}`, "Content-Type", problem), nil
	}))
	var blank *api.Problem
	if !errors.As(err, &blank) || blank.Kind() != "about:blank" {
		t.Errorf("a gateway's problem: %v", err)
	}
}

// TestRedirections checks, on a real connection, that the client's own transport
// follows none.
func TestRedirections(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		asked := 0
		c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			http.Redirect(w, r, "/v1/0x0badcafe/elsewhere", status)
		}))
		_, err := c.Probe(t.Context(), pairTag, client.At("2"))
		_, batchErr := c.Batch(t.Context(), pairTag, []string{"2"}, true)
		var odd *client.AnswerError
		if !errors.As(err, &odd) || !errors.As(batchErr, &odd) || asked != 2 {
			t.Errorf("%d: %v, %v, asked %d times", status, err, batchErr, asked)
		}
	}
}

// TestCutShort checks an answer whose connection ends too early.
func TestCutShort(t *testing.T) {
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Rules-Tag", "0x0badcafe")
		w.Header().Set("Content-Length", strconv.Itoa(len(probed)+1))
		io.WriteString(w, probed)
	}))
	var odd *client.AnswerError
	if _, err := c.Probe(t.Context(), pairTag, client.At("2")); !errors.As(err, &odd) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

// TestLarge checks that an answer is read no further than it may be long: a plain
// one, a compressed one, and one that has no end.
func TestLarge(t *testing.T) {
	const largest = 64 << 10
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	for name, write := range map[string]http.HandlerFunc{
		"plain": func(w http.ResponseWriter, _ *http.Request) {
			w.Write(bytes.Repeat([]byte(" "), largest+1))
		},
		"compressed": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("Accept-Encoding is %q", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 256 {
				z.Write(spaces)
			}
			z.Close()
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(spaces); err != nil {
					return // the client has hung up
				}
			}
		},
		"an endless problem": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(400)
			for {
				if _, err := w.Write(spaces); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Rules-Tag", "0x0badcafe")
				write(w, r)
			}), client.WithLargest(largest))
			_, err := c.Examples(t.Context(), pairTag)
			var odd *client.AnswerError
			if !errors.As(err, &odd) || !strings.Contains(err.Error(), "more than 65536 bytes") {
				t.Errorf("%v", err)
			}
			<-ended // the endless ones because the client hangs up
		})
	}
	// As long as it may be is not too long.
	body := probed + strings.Repeat(" ", largest-len(probed))
	c := direct(t, func(*http.Request) (*http.Response, error) { return answer(200, body, good()...), nil }, client.WithLargest(largest))
	if _, err := c.Probe(t.Context(), pairTag, client.At("2")); err != nil {
		t.Error(err)
	}
}

// TestLargest checks that the greatest batch is not too long for a client that was
// told nothing of lengths.
func TestLargest(t *testing.T) {
	text, square := strings.Repeat("x", 26), "d4"
	probe := &api.PiecesProbe{Rules: api.Rules{Name: "tic-tac-chec-toward-opponent", Tag: pairTag.String()}, Kind: "pieces", Position: text, Key: "post:2462360744",
		SideToMove: "white", Hands: api.Hands{White: "PNBR", Black: "pnbr"}, Value: "draw"}
	for range 64 {
		probe.Moves = append(probe.Moves, api.PiecesMove{Move: "a1-b2", Index: 63, Piece: "B", From: &square, To: square, Captures: &square,
			Value: "loss", Child: api.PiecesChild{Position: text, Key: "post:2462360744", Value: "loss"}})
	}
	one, err := json.Marshal(api.BatchResult{Probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	if all := api.MaxBatch * (len(one) + 1); 3*all/2 > client.DefaultLargest {
		t.Errorf("the greatest batch has some %d bytes, and %d are read", all, client.DefaultLargest)
	}
}

// FuzzAnswer answers with anything. What passes for an answer must hold for the
// rules that were asked for.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "application/json", "0x0badcafe", probed)
	f.Add(200, "application/json; charset=utf-8", "0X0BADCAFE", `{"Rules":{"TAG":"0x0badcafe"}}`)
	f.Add(200, "application/json", "0x0badcaff", probed)
	f.Add(200, "text/html", "", "<html>")
	f.Add(503, "application/problem+json", "", `{"type":"/problems/overloaded","loaded":null,"legal":[]}`)
	f.Add(429, "application/json", "", `{}`)
	f.Add(200, "application/json", "0x0badcafe", `{"results":[{"probe":`+probed+`},{"problem":{"type":"x"}}]}`)
	f.Fuzz(func(t *testing.T, status int, content, tag, body string) {
		if status < 100 || status > 999 {
			return
		}
		c := direct(t, func(*http.Request) (*http.Response, error) {
			return answer(status, body, "Content-Type", content, "Rules-Tag", tag), nil
		}, client.WithTries(1), client.WithLargest(1<<16))
		probe, err := c.Probe(t.Context(), pairTag, client.At("2"))
		if (probe == nil) == (err == nil) {
			t.Fatalf("%+v, %v", probe, err)
		}
		results, batchErr := c.Batch(t.Context(), pairTag, []string{"2", "0"}, true)
		if (len(results) == 2) != (batchErr == nil) {
			t.Fatalf("%+v, %v", results, batchErr)
		}
		if err == nil || batchErr == nil {
			if got, err := rules.ParseTag(tag); status != 200 || err != nil || got != pairTag {
				t.Fatalf("accepted with the status %d and the tag %q", status, tag)
			}
		}
		if err == nil && !strings.EqualFold(probe.Ruleset().Tag, pairTag.String()) {
			t.Fatalf("accepted for %q", probe.Ruleset().Tag)
		}
		for _, err := range []error{err, batchErr} {
			var failure *client.Error
			if err != nil && (!errors.As(err, &failure) || err.Error() == "") {
				t.Fatalf("%#v", err)
			}
		}
	})
}
