package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/apitest"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/tables"
)

// contractHandler is the service on the embedded tables, with every answer held
// against the contract's document.
func contractHandler(t *testing.T) http.Handler {
	t.Helper()
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	contract, err := apitest.Of(handler)
	if err != nil {
		t.Fatal(err)
	}
	return contract.Checked(handler, func(err error) { t.Error(err) })
}

func request(handler http.Handler, method, target, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	handler.ServeHTTP(w, r)
	return w
}

// TestContract asks everything there is to ask, of real tables, rightly and
// wrongly.
func TestContract(t *testing.T) {
	handler := contractHandler(t)
	asked := 0
	get := func(status int, target string) {
		t.Helper()
		asked++
		if w := request(handler, http.MethodGet, target, ""); w.Code != status {
			t.Errorf("%s: %d %.300s", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/livez", "/readyz", "/metrics", "/openapi.json", "/openapi.yaml", "/docs", "/v1/rules", "/api/probe", "/api/probe?path=0,0,0"} {
		get(200, target)
	}
	for _, r := range tictacchec.Rulesets() {
		base := "/v1/" + r.Ruleset().Name
		get(200, base)
		get(200, base+"/examples")
		positions := randomMain(15)
		for _, index := range []uint64{0, 1, 12345, tictacchec.OpeningPositions - 1} {
			p, _ := tictacchec.FromIndex(rules.Opening, index)
			positions = append(positions, p)
		}
		for _, p := range positions {
			query := "?position=" + url.QueryEscape(p.String())
			get(200, base+"/probe"+query)
			get(200, base+"/probe?position="+p.Key())
			get(200, base+"/best"+query)
			get(200, base+"/line"+query+"&max_plies=30")
		}
		for _, query := range []string{"?position=", "?positon=x", "?moves=P@a1,,", "?rules_tag=x", "?position=post:99999999999", "?moves=" + strings.Repeat("P@a1,", 1200)} {
			get(400, base+"/probe"+query)
		}
		get(409, base+"/probe?rules_tag=0x00000001")
		get(422, base+"/best?moves=a1-a2")
		get(422, base+"/probe?position=PNBR/4/4/4+w+d-+m")
		get(414, base+"/probe?position="+strings.Repeat("x", api.MaxURI))
		get(404, base+"/nothing")
	}
	seen := tictacchectest.EachLine(t, "refusals.jsonl", func(c tictacchectest.Refusal) {
		get(c.Status, "/v1/tic-tac-chec/probe?position="+url.QueryEscape(c.Position))
	})
	if seen != 56 || asked < 300 {
		t.Errorf("saw %d refusals, asked %d times", seen, asked)
	}
}

// TestBatchAgrees holds the answers to batches against those to single questions,
// byte for byte, and the values that are looked up without the moves against those
// that follow from them.
func TestBatchAgrees(t *testing.T) {
	handler := contractHandler(t)
	for _, r := range tictacchec.Rulesets() {
		target := "/v1/" + r.Ruleset().Name + "/probe"
		var positions []string
		for _, p := range randomMain(60) {
			positions = append(positions, p.String(), p.Key())
		}
		for index := uint64(0); index < tictacchec.OpeningPositions; index += tictacchec.OpeningPositions / 50 {
			p, _ := tictacchec.FromIndex(rules.Opening, index)
			positions = append(positions, p.String())
		}
		positions = append(positions, "PNBR/4/pnb1/3r b dd m", "nonsense", "PNBR/4/4/4 w d- m", "")
		for _, moves := range []bool{true, false} {
			body, err := json.Marshal(api.BatchRequest{Positions: positions, Moves: moves})
			if err != nil {
				t.Fatal(err)
			}
			w := request(handler, http.MethodPost, target, string(body))
			var answer struct {
				Results []struct{ Probe, Problem json.RawMessage }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 || len(answer.Results) != len(positions) {
				t.Fatalf("%d %v: %.300s", w.Code, err, w.Body)
			}
			for i, position := range positions {
				single := request(handler, http.MethodGet, target+"?position="+url.QueryEscape(position), "")
				want := bytes.TrimSpace(single.Body.Bytes())
				got := answer.Results[i].Probe
				if single.Code != 200 {
					got = answer.Results[i].Problem
				} else if !moves {
					from := bytes.Index(want, []byte(`"moves":[`))
					want = append(want[:from:from], `"moves":null}`...)
				}
				if d := cmp.Diff(string(want), string(got)); d != "" {
					t.Errorf("%s, moves %t (-single +batch):\n%s", position, moves, d)
				}
			}
		}
	}
}

// TestDegradedIsTold checks that a client that has kept what is said of a ruleset is told
// when another table answers, although its values, and so the answers' names, are the same.
func TestDegradedIsTold(t *testing.T) {
	s := quietService(t)
	p, handler := s.Probers[0], s.Handler()
	const digest = "b29e"
	mapped := api.Table{Source: api.SourceMapped, File: new("a.ttb"), ContentSHA256: new(digest)}
	p.Slot().Table.Store(&tables.Loaded{Wire: mapped, State: api.StateReady, Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}})
	targets := []string{"/v1/rules", "/v1/" + p.ID().Name, "/v1/" + p.ID().Name + "/probe"}
	var tags []string
	for _, target := range targets {
		tags = append(tags, request(handler, http.MethodGet, target, "").Header().Get("ETag"))
	}
	p.Slot().Table.Store(&tables.Loaded{Wire: api.Table{Source: api.SourceEmbedded, ContentSHA256: new(digest)}, FallbackFor: &mapped,
		State: api.StateDegraded, Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}})
	for i, target := range targets {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Header.Set("If-None-Match", tags[i])
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if want := map[bool]int{true: 304, false: 200}[strings.HasSuffix(target, "/probe")]; tags[i] == "" || w.Code != want {
			t.Errorf("%s with %s: %d, want %d", target, tags[i], w.Code, want)
		}
	}
}
