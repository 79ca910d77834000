package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/httpapi"
)

// fakeExplorer knows one position. Its board has a piece of each form.
type fakeExplorer struct {
	*fake
	bad      *api.PathError // what Follow returns, when it is set
	followed []int
	explored []int
}

func (f *fakeExplorer) Follow(path []int) error {
	f.followed = path
	if f.bad != nil {
		return f.bad
	}
	return nil
}

func (f *fakeExplorer) Explore(_ context.Context, path []int) (*api.Explored, error) {
	f.explored = path
	if f.replaces != nil {
		f.ruleset.Table.ContentSHA256 = f.replaces
	}
	if f.panics {
		panic("a secret of ours")
	}
	if f.fail != nil {
		return nil, f.fail
	}
	return &api.Explored{
		Position: "k:7", SideToMove: "Black", Value: "Win", Distance: pointer(3),
		Board: []*api.PlacedPiece{1: {Color: "White", Piece: "Pawn", Symbol: "P", Direction: pointer("up")},
			2: {Color: "Black", Piece: "Rook", Symbol: "R"}, 15: nil},
		Hands:   api.HeldPieces{White: []string{"Knight", "Rook"}, Black: []string{}},
		History: []string{"P@b1"},
		Moves: []api.ExploredMove{
			{Index: 0, Notation: "<a1>", Child: "k:8", Result: "Draw"},
			{Index: 1, Notation: "c1-c2", Child: "k:9", Result: "Win", Distance: pointer(3), PreservesResult: true, Optimal: true},
		},
	}, nil
}

// newExplorer returns a handler with an explorer, and the explorer. Every answer is
// held against the contract's document.
func newExplorer(t *testing.T, change ...func(*httpapi.Config)) (http.Handler, *fakeExplorer) {
	t.Helper()
	e := &fakeExplorer{fake: newFakes()[0]}
	config := httpapi.Config{Probers: []api.Prober{e}, Explorer: e}
	for _, f := range change {
		f(&config)
	}
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	return contract.Checked(httpapi.New(config), func(err error) { t.Error(err) }), e
}

func explore(h http.Handler, method, query string, headers ...string) (*http.Response, string) {
	r := httptest.NewRequest(method, "/api/probe", nil)
	r.URL.RawQuery = query // as it came, however odd
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body)
	return w.Result(), string(body)
}

// TestExplored holds the JSON of an answer, byte for byte, and its headers.
func TestExplored(t *testing.T) {
	var seen []httpapi.Exchange
	h, e := newExplorer(t, func(c *httpapi.Config) { c.Observe = func(x httpapi.Exchange) { seen = append(seen, x) } })
	r, body := explore(h, "GET", "path=0,17", "Origin", "https://front.example")
	want := `{"position":"k:7","sideToMove":"Black","value":"Win","distance":3,` +
		`"board":[null,{"color":"White","piece":"Pawn","symbol":"P","direction":"up"},{"color":"Black","piece":"Rook","symbol":"R"}` + strings.Repeat(",null", 13) + `],` +
		`"hands":{"White":["Knight","Rook"],"Black":[]},"history":["P@b1"],` +
		`"moves":[{"index":0,"notation":"<a1>","child":"k:8","result":"Draw","distance":null,"preservesResult":false,"optimal":false},` +
		`{"index":1,"notation":"c1-c2","child":"k:9","result":"Win","distance":3,"preservesResult":true,"optimal":true}]}` + "\n"
	if d := cmp.Diff(want, body); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body)), "Rules-Tag": "0x0badcafe",
		"Cache-Control": "public, max-age=86400", "Access-Control-Allow-Origin": "*",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if r.StatusCode != 200 || r.Header.Get("X-Request-Id") == "" || !strings.Contains(r.Header.Get("Vary"), "Accept-Encoding") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if d := cmp.Diff([]int{0, 17}, e.explored); d != "" {
		t.Errorf("the path: %s", d)
	}
	if len(seen) != 1 || seen[0].Route != "/api/probe" || seen[0].Status != 200 {
		t.Errorf("observed %+v", seen)
	}

	head, _ := explore(h, "HEAD", "path=0,17", "Origin", "https://front.example") // net/http drops the body
	r.Header.Del("X-Request-Id")
	head.Header.Del("X-Request-Id")
	if d := cmp.Diff(r.Header, head.Header); d != "" {
		t.Errorf("HEAD: header differs from GET's:\n%s", d)
	}
	if r, body := explore(h, "POST", ""); r.StatusCode != 405 || r.Header.Get("Allow") != "GET, HEAD" || !strings.Contains(body, "/problems/method-not-allowed") {
		t.Errorf("POST: %d %v %s", r.StatusCode, r.Header, body)
	}
}

// TestNoExplorer checks that the address is there only with an explorer.
func TestNoExplorer(t *testing.T) {
	if status, _, body := newService(t).get("/api/probe"); status != 404 || !strings.Contains(body, "/problems/not-found") {
		t.Errorf("%d %s", status, body)
	}
	defer func() {
		if recover() == nil {
			t.Error("an explorer that is not among the probers is accepted")
		}
	}()
	httpapi.New(httpapi.Config{Explorer: &fakeExplorer{fake: newFakes()[0]}})
}

// TestPath checks how a path is read.
func TestPath(t *testing.T) {
	long := func(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }
	for query, want := range map[string][]int{
		"":                                  nil,
		"path":                              nil,
		"path=":                             nil,
		"&&path=&":                          nil,
		"path=0":                            {0},
		"path=0,17,4":                       {0, 17, 4},
		"path=0%2C17%2c4":                   {0, 17, 4},
		"path=%30%2C1%37,4":                 {0, 17, 4},
		"%70ath=5":                          {5},
		"Path=1&path=2&PATH=3":              {2},
		"x=%zz&%zz=%&path=3&;&a=b=c&path[]": {3},
		"position=4/4/4/4&path=3&rules=x&x": {3},
		"path=99":                           {99}, // for the explorer to refuse
		"path=" + long(api.MaxPath):         slices.Repeat([]int{1}, api.MaxPath),
	} {
		h, e := newExplorer(t)
		if r, body := explore(h, "GET", query); r.StatusCode != 200 {
			t.Errorf("%.80s: %d %s", query, r.StatusCode, body)
		}
		if d := cmp.Diff(want, e.explored); d != "" {
			t.Errorf("%.80s: (-want +got)\n%s", query, d)
		}
	}
	for query, want := range map[string]string{
		"path=,":                           "Move 1 of the path is not a number",
		"path=,1":                          "Move 1 of the path is not a number",
		"path=1,":                          "Move 2 of the path is not a number",
		"path=1,,2":                        "Move 2 of the path is not a number",
		"path=1%2C%2C2":                    "Move 2 of the path is not a number",
		"path=a":                           "Move 1 of the path is not a number",
		"path=0,-1":                        "Move 2 of the path is not a number",
		"path=%2B1":                        "Move 1 of the path is not a number",
		"path=+1":                          "Move 1 of the path is not a number",
		"path=1,%202":                      "Move 2 of the path is not a number",
		"path=1.0":                         "Move 1 of the path is not a number",
		"path=1e1":                         "Move 1 of the path is not a number",
		"path=0x1":                         "Move 1 of the path is not a number",
		"path=1_0":                         "Move 1 of the path is not a number",
		"path=01":                          "Move 1 of the path is not a number",
		"path=00":                          "Move 1 of the path is not a number",
		"path=1;2":                         "Move 1 of the path is not a number",
		"path=%D9%A1":                      "Move 1 of the path is not a number", // a digit, but an Arabic one
		"path=%00":                         "Move 1 of the path is not a number",
		"path=%ff":                         "Move 1 of the path is not a number",
		"path=1%":                          "The path has a broken percent escape.",
		"path=1%2":                         "The path has a broken percent escape.",
		"path=%zz":                         "The path has a broken percent escape.",
		"path=1&path=1":                    "The parameter path is given more than once.",
		"path&path":                        "The parameter path is given more than once.",
		"path=1&%70ath=":                   "The parameter path is given more than once.",
		"path=" + long(api.MaxPath+1):      "The path has 513 moves; at most 512 are allowed.",
		"path=" + strings.Repeat(",", 600): "The path has 601 moves; at most 512 are allowed.",
	} {
		h, e := newExplorer(t)
		r, body := explore(h, "GET", query)
		if r.StatusCode != 400 || !strings.HasPrefix(body, `{"error":"`+want) || !strings.HasSuffix(body, "\"}\n") ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") != "no-store" ||
			r.Header.Get("ETag") != "" || r.Header.Get("Rules-Tag") != "" || r.Header.Get("X-Request-Id") == "" {
			t.Errorf("%.80s: %d %v %s", query, r.StatusCode, r.Header, body)
		}
		if e.followed != nil || e.explored != nil {
			t.Errorf("%.80s: the explorer was asked", query)
		}
	}
	// A number too large for any integer is a number, and out of range.
	h, e := newExplorer(t)
	explore(h, "GET", "path=99999999999999999999999999999999")
	if len(e.followed) != 1 || e.followed[0] < 1<<30 {
		t.Errorf("followed %v", e.followed)
	}
}

// TestExplorerRefusals checks what is answered when there is no answer.
func TestExplorerRefusals(t *testing.T) {
	h, e := newExplorer(t)
	e.bad = &api.PathError{Detail: `Move 1 is "<no>".`}
	if r, body := explore(h, "GET", "path=1"); r.StatusCode != 400 || body != `{"error":"Move 1 is \"<no>\"."}`+"\n" {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	for _, c := range []struct {
		fail   error
		panics bool
		status int
		kind   api.ProblemType
	}{
		{fail: fmt.Errorf("/secret: %w", api.ErrUnavailable), status: 503, kind: api.TableUnavailable},
		{fail: api.ErrNoTable, status: 409, kind: api.RulesMismatch},
		{fail: context.Canceled, status: 503, kind: api.Overloaded},
		{fail: io.ErrUnexpectedEOF, status: 500, kind: api.Internal},
		{panics: true, status: 500, kind: api.Internal},
	} {
		var seen httpapi.Exchange
		h, e := newExplorer(t, func(c *httpapi.Config) { c.Observe = func(x httpapi.Exchange) { seen = x } })
		e.fail, e.panics = c.fail, c.panics
		r, body := explore(h, "GET", "")
		if r.StatusCode != c.status || !strings.Contains(body, `"type":"/problems/`+string(c.kind)+`"`) || strings.Contains(body, "secret") ||
			r.Header.Get("Content-Type") != "application/problem+json" || r.Header.Get("Cache-Control") != "no-store" ||
			(r.Header.Get("Retry-After") != "") != (c.status == 503) || seen.Problem != c.kind {
			t.Errorf("%v: %d %v %s, observed %q", c.fail, r.StatusCode, r.Header, body, seen.Problem)
		}
	}
	if r, body := explore(h, "GET", "x="+strings.Repeat("x", api.MaxURI)); r.StatusCode != 400 {
		// Its length is that of RequestURI, which explore does not set.
		t.Errorf("%d %s", r.StatusCode, body)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/api/probe?x="+strings.Repeat("x", api.MaxURI), nil))
	if w.Code != 414 {
		t.Errorf("a long address: %d", w.Code)
	}
}

// TestExplorerETag checks that an answer is named by its path, and that a match is
// told without the table, but only for a path that can be played.
func TestExplorerETag(t *testing.T) {
	h, e := newExplorer(t)
	tag := func(query string) string {
		r, _ := explore(h, "GET", query)
		return r.Header.Get("ETag")
	}
	first := tag("path=1,2")
	if !strings.HasPrefix(first, `W/"`) || tag("path=1%2C2&x") != first {
		t.Errorf("the ETag is %q, and %q for the same path", first, tag("path=1%2C2&x"))
	}
	if tag("path=12") == first || tag("path=1") == first || tag("") == first {
		t.Error("another path has the same ETag")
	}
	e.explored = nil
	r, body := explore(h, "GET", "path=1,2", "If-None-Match", first)
	if r.StatusCode != 304 || body != "" || e.explored != nil || r.Header.Get("ETag") != first || r.Header.Get("Rules-Tag") == "" ||
		r.Header.Get("Cache-Control") != "public, max-age=86400" {
		t.Errorf("%d %v %s", r.StatusCode, r.Header, body)
	}
	if r, _ := explore(h, "GET", "path=1,3", "If-None-Match", first); r.StatusCode != 200 {
		t.Errorf("another path: %d", r.StatusCode)
	}
	e.bad = &api.PathError{Detail: "No."}
	if r, _ := explore(h, "GET", "path=1,2", "If-None-Match", "*"); r.StatusCode != 400 {
		t.Errorf("a path that cannot be played: %d", r.StatusCode)
	}
	e.bad, e.replaces = nil, pointer("00fe")
	if r, _ := explore(h, "GET", "path=1,2"); r.StatusCode != 200 || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("with a table replaced meanwhile: %d %v", r.StatusCode, r.Header)
	}
	e.ruleset.Table, e.replaces = nil, nil
	if r, _ := explore(h, "GET", "path=1,2", "If-None-Match", "*"); r.StatusCode != 200 || r.Header.Get("ETag") != "" {
		t.Errorf("without a digest: %d %v", r.StatusCode, r.Header)
	}
}

// TestExplorerCost checks that an answer costs one position, told or not modified,
// and that a bad path costs nothing.
func TestExplorerCost(t *testing.T) {
	limiter := &purse{left: 2}
	h, e := newExplorer(t, func(c *httpapi.Config) { c.Limiter = limiter })
	for _, c := range []struct {
		query, match  string
		status, spent int
	}{{"path=x", "", 400, 0}, {"path=1", "", 200, 1}, {"path=1", "*", 304, 2}, {"path=1", "", 429, 2}} {
		e.explored = nil
		r, body := explore(h, "GET", c.query, "If-None-Match", c.match)
		if r.StatusCode != c.status || limiter.spent != c.spent || (e.explored != nil) != (c.status == 200) {
			t.Errorf("%s: %d %s, spent %d", c.query, r.StatusCode, body, limiter.spent)
		}
		if (r.Header.Get("Retry-After") == "2") != (c.status == 429) {
			t.Errorf("%s: %d %v", c.query, r.StatusCode, r.Header)
		}
	}
}

// FuzzPath sends whole queries. Whatever they are, the answer is 200 or 400, and
// a path that is accepted is the one that net/url reads.
func FuzzPath(f *testing.F) {
	for _, query := range []string{"", "path=", "path=0,17,4", "path=0%2C17%2C4", "path=1,", "path=,1", "path=01", "path=-1", "path=+1",
		"path=%", "path=1&path=2", "%70ath=3", "x=1&path=63&y=%zz", "path=1;2", "path=99999999999999999999", "path=" + strings.Repeat("1,", 512)} {
		f.Add(query)
	}
	e := &fakeExplorer{fake: newFakes()[0]}
	h := httpapi.New(httpapi.Config{Probers: []api.Prober{e}, Explorer: e})
	f.Fuzz(func(t *testing.T, query string) {
		e.followed, e.explored = nil, nil
		r, body := explore(h, "GET", query)
		if r.StatusCode != 200 {
			if r.StatusCode != 400 || !strings.HasPrefix(body, `{"error":"`) || e.followed != nil {
				t.Fatalf("%d %s, followed %v", r.StatusCode, body, e.followed)
			}
			return
		}
		if len(e.explored) > api.MaxPath || slices.ContainsFunc(e.explored, func(i int) bool { return i < 0 }) {
			t.Fatalf("explored %v", e.explored)
		}
		// net/url refuses semicolons, which are nothing special here.
		read, _ := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
		var got []string
		for _, i := range e.explored {
			got = append(got, strconv.Itoa(i))
		}
		want := read.Get("path")
		if text := strings.Join(got, ","); text != want && !tooLarge(want) {
			t.Fatalf("%q is read as %q", want, text)
		}
	})
}

// tooLarge says whether a path has a number that no int holds.
func tooLarge(path string) bool {
	return slices.ContainsFunc(strings.Split(path, ","), func(s string) bool { return len(s) >= 19 })
}
