package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
)

// attackMix is some attacks at the same time.
type attackMix struct {
	name    string
	attacks []attack
	quick   bool // also a part of the quick tests
}

// get is a GET of a target.
func get(target string, header ...string) attackRequest {
	return attackRequest{Text: []byte("GET " + target + " HTTP/1.1\r\nHost: solved\r\n" + headerLines(header) + "\r\n")}
}

func headerLines(header []string) string {
	var text strings.Builder
	for _, line := range header {
		text.WriteString(line + "\r\n")
	}
	return text.String()
}

// post is a batch of positions under a ruleset.
func post(ruleset string, positions []string, moves bool, header ...string) attackRequest {
	body, err := json.Marshal(map[string]any{"positions": positions, "moves": moves})
	if err != nil {
		panic(err) // strings and a bool
	}
	return postBody(ruleset, string(body), len(positions), header...)
}

func postBody(ruleset, body string, results int, header ...string) attackRequest {
	return attackRequest{Results: results, Text: fmt.Appendf(nil, "POST /v1/%s/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		ruleset, len(body), headerLines(header), body)}
}

// again is a request so many times in a row, without a pause for the answers.
func again(n int, request attackRequest) attackRequest {
	return attackRequest{Text: bytes.Repeat(request.Text, n)}
}

// probeRequest is a GET that probes a position.
func probeRequest(ruleset, position string, header ...string) attackRequest {
	return get("/v1/"+ruleset+"/probe?position="+url.QueryEscape(position), header...)
}

// times is a position over and over.
func times(n int, position string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = position
	}
	return all
}

// nimHeaps is a position of Nim whose answer is about as long as there are: 960 moves.
var nimHeaps = strings.Repeat("15,", 63) + "15"

// hardStrips are 1,000 positions of Inverse Treblecross with one mark, whose search is
// hard, under one of the rulesets with k from 8 to 13.
func hardStrips(k, seed int) []string {
	random := rand.New(rand.NewPCG(uint64(k), uint64(seed)))
	all := make([]string, 0, api.MaxBatch)
	for len(all) < api.MaxBatch {
		cells := 24 + random.IntN(37)
		before := 1 + random.IntN(cells-2)
		all = append(all, fmt.Sprintf("%dX%d", before, cells-1-before))
	}
	return all
}

func strips(k int) string {
	if k == 3 {
		return "inverse-treblecross"
	}
	return fmt.Sprintf("inverse-treblecross-%d", k)
}

// rings are positions on a ring, empty and with marks.
func rings() []string {
	all := make([]string, 0, api.MaxBatch)
	for n := 0; len(all) < api.MaxBatch; n++ {
		cells := 12 + n%40
		switch n % 3 {
		case 0:
			all = append(all, fmt.Sprint(cells))
		case 1:
			all = append(all, fmt.Sprintf("%dX%d", cells/3, cells-cells/3))
		case 2:
			all = append(all, fmt.Sprintf("%dX%dXX%d", cells/4, cells/3, cells/2))
		}
	}
	return all
}

// longStrip is a position with 900 moves, none of which takes a search, whose text has
// about so many bytes: so each move's child has, too.
func longStrip(bytes int) string {
	return strings.Repeat("3XX", 300) + strings.Repeat("1XX", max(0, bytes/3-300))
}

// openings are 1,000 positions of Tic Tac Chec after so many plies: the embedded table
// works out those after 3 more slowly than any others.
func openings(plies int) []string {
	random := rand.New(rand.NewPCG(uint64(plies), 7))
	all := make([]string, 0, api.MaxBatch)
	for len(all) < api.MaxBatch {
		p := rules.Position(tictacchec.Game{Rules: tictacchec.Rulesets()[0]}.Start())
		for range plies {
			var moves []string
			for m := range p.Moves() {
				moves = append(moves, m)
			}
			p, _, _ = p.Play(moves[random.IntN(len(moves))])
		}
		all = append(all, p.String())
	}
	return all
}

// mainPositions are n positions of Tic Tac Chec in the main phase.
func mainPositions(n int) []string {
	all := make([]string, 0, n)
	for _, p := range randomMain(n) {
		all = append(all, p.String())
	}
	return all
}

// pigs are positions of Pig.
func pigs() []string {
	all := make([]string, 0, api.MaxBatch)
	for n := range api.MaxBatch {
		all = append(all, fmt.Sprintf("%d,%d,0", n%100, n/10))
	}
	return all
}

// mostMoves is a probe of the start of Tic Tac Chec with as many moves as are allowed:
// the line from there, which ends in a cycle, on and on.
func mostMoves(t *testing.T, p *process) attackRequest {
	body, err := (&sane{p: p}).ask(p.asking, "/v1/tic-tac-chec/line?max_plies=1000")
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Line       []struct{ Move string }
		CycleStart *int `json:"cycle_start"`
	}
	if err := json.Unmarshal(body, &line); err != nil || line.CycleStart == nil {
		t.Fatalf("the line from the start is no cycle: %s, %v", body, err)
	}
	var moves []string
	for i := 0; len(moves) < api.MaxMoves; i++ {
		if i == len(line.Line) {
			i = *line.CycleStart
		}
		moves = append(moves, line.Line[i].Move)
	}
	return get("/v1/tic-tac-chec/probe?moves=" + url.QueryEscape(strings.Join(moves, ",")))
}

// greedyMixes are the mixes of legal requests that take most memory. most is how many
// connections the server holds, and last how long a mix goes on.
func greedyMixes(t *testing.T, p *process, most int, last time.Duration) []attackMix {
	const gzip, zstd = "Accept-Encoding: gzip", "Accept-Encoding: zstd"
	many := func(clients int, manner string, requests ...attackRequest) attack {
		return attack{Clients: min(clients, most), Requests: requests, Manner: manner, Last: last, Checked: true}
	}
	nimBatch := post("nim", times(api.MaxBatch, nimHeaps), true)
	main := mainPositions(api.MaxBatch)
	chec := post("tic-tac-chec", main, true)
	refused := post("tic-tac-chec", times(api.MaxBatch, strings.Repeat("4/", 120)), true)
	escaped := postBody("tic-tac-chec", `{"positions":["`+strings.Repeat(`\u2028`, 43_000)+`"]}`, 1)
	marks := []attackRequest{post("inverse-treblecross-ring", rings(), true)}
	for _, k := range []int{3, 5, 8, 13} {
		marks = append(marks, post(strips(k), hardStrips(k, 0), true))
	}
	lines := []attackRequest{
		get("/v1/nim/line?max_plies=1000&position=" + nimHeaps),
		get("/v1/inverse-treblecross/line?max_plies=1000&position=" + longStrip(12_000)),
		get("/v1/tic-tac-chec/line?max_plies=1000"),
		get("/v1/pig/line?max_plies=1000"),
	}
	long := "X-Long: " + strings.Repeat("a", 60_000)
	documents := []attackRequest{get("/metrics", gzip), get("/openapi.json", zstd), get("/openapi.yaml", gzip), get("/docs", zstd), get("/metrics"), get("/openapi.json"),
		get("/api/probe?path=0,17,4"), get("/v1/rules", gzip), get("/v1/tic-tac-chec/examples", zstd)}
	stalled := postBody("nim", `{"positions":["`+strings.Repeat("1", api.MaxBody-18)+`"]}`, 1)
	mixes := []attackMix{
		{"batches of Nim with long answers", []attack{many(64, readAll, nimBatch)}, true},
		{"the same, to clients that read nothing", []attack{many(256, readNothing, nimBatch)}, false},
		{"the same, compressed", []attack{many(32, readAll, post("nim", times(api.MaxBatch, nimHeaps), true, gzip), post("nim", times(api.MaxBatch, nimHeaps), true, zstd)),
			many(64, readNothing, post("nim", times(api.MaxBatch, nimHeaps), true, zstd))}, false},
		{"probes of Nim with long answers", []attack{many(1024, readAll, probeRequest("nim", nimHeaps), probeRequest("nim", nimHeaps, gzip))}, false},
		{"probes of Nim by clients that read nothing", []attack{many(most, readNothing, probeRequest("nim", nimHeaps), probeRequest("nim", nimHeaps, zstd))}, false},
		{"searches", []attack{many(1000, readAll, probeRequest(strips(13), "31X32"), probeRequest(strips(8), "29X30"), probeRequest("inverse-treblecross-ring", "24X9"))}, true},
		{"stalled bodies", []attack{many(min(2000, most), sendNoEnd, stalled)}, true},
		{"stalled bodies on all connections", []attack{many(most, sendNoEnd, stalled)}, false},
		{"batches of strips and rings with marks", []attack{many(64, readAll, marks...)}, false},
		{"positions with long children", []attack{many(32, readAll, post(strips(3), []string{longStrip(api.MaxBody - 100)}, true), probeRequest(strips(3), longStrip(15_000))),
			many(256, readNothing, probeRequest(strips(3), longStrip(15_000)))}, false},
		{"batches of Tic Tac Chec by clients that read nothing", []attack{many(512, readNothing, chec, post("tic-tac-chec", main, true, zstd))}, false},
		{"lines", []attack{many(256, readAll, lines...)}, false},
		{"lists of 1,000 moves", []attack{many(512, readAll, mostMoves(t, p))}, false},
		{"longest headers, unfinished, on all connections", []attack{many(most, sendNoEnd, get("/livez", long))}, false},
		{"longest headers", []attack{many(most, readAll, get("/livez", long), probeRequest("nim", nimHeaps, long))}, false},
		{"refused batches", []attack{many(256, readAll, refused, escaped, post("nim", times(api.MaxBatch, "3,x"+strings.Repeat("5", 200)), true))}, false},
		{"documents", []attack{many(512, readAll, documents...)}, true},
		{"documents over and over, to clients that read nothing, on all connections", []attack{many(most, readNothing, again(3000, get("/openapi.json")))}, false},
	}
	everything := attackMix{name: "everything at once"}
	for _, mix := range mixes {
		for _, a := range mix.attacks {
			a.Clients = max(1, a.Clients*most/(most+totalClients(mixes)))
			everything.attacks = append(everything.attacks, a)
		}
	}
	return append(mixes, everything)
}

// smallest is one client of each attack of the quick mixes, all at the same time.
func smallest(mixes []attackMix) attackMix {
	all := attackMix{name: "one client of each"}
	for _, mix := range mixes {
		for _, a := range mix.attacks {
			if mix.quick {
				a.Clients, a.Last = 1, 50*time.Millisecond
				all.attacks = append(all.attacks, a)
			}
		}
	}
	return all
}

func totalClients(mixes []attackMix) (n int) {
	for _, mix := range mixes {
		for _, a := range mix.attacks {
			n += a.Clients
		}
	}
	return n
}

// costlyRequests are the legal requests that take most work.
func costlyRequests() []attackRequest {
	var all []attackRequest
	for seed := range 2 {
		for k := 8; k <= 13; k++ {
			all = append(all, post(strips(k), hardStrips(k, seed), seed == 1))
		}
	}
	return append(all,
		post("inverse-treblecross-ring", rings(), true),
		post(strips(3), []string{longStrip(api.MaxBody - 100)}, true),
		post("nim", times(api.MaxBatch, nimHeaps), true),
		post("tic-tac-chec", openings(3), true),
		post("tic-tac-chec", openings(3), true, "Accept-Encoding: zstd"),
		post("pig", pigs(), true),
		get("/v1/nim/line?max_plies=1000&position="+nimHeaps),
		get("/v1/inverse-treblecross/line?max_plies=1000&position="+longStrip(12_000)),
		get("/metrics", "Accept-Encoding: gzip"),
		get("/openapi.json", "Accept-Encoding: zstd"),
		probeRequest(strips(13), "31X32"),
	)
}
