package tictacchec

import (
	"maps"
	"math/bits"
	"slices"
	"sync"
	"testing"

	"solved/rules"
)

// slowSearch is the Lookahead once more, as its description has it: by the legal
// moves alone, with the known losses in a map that holds both mirror images and
// both views of a position.
type slowSearch struct {
	rules *Rules
	known map[Position]uint8
}

func newSlowSearch(r *Rules) *slowSearch { return &slowSearch{r, map[Position]uint8{}} }

func (s *slowSearch) add(p Position, distance uint8) {
	s.known[p], s.known[p.Mirror()] = distance, distance
	if p.phase == MainPhase {
		s.known[p.SwapColours()], s.known[p.SwapColours().Mirror()] = distance, distance
	}
}

// children returns the positions after each move, and after the moves that do not
// let the other side complete a line at once.
func (s *slowSearch) children(p Position) (all, open []Position) {
	for _, m := range s.rules.Moves(p, nil) {
		c := s.rules.Play(p, m)
		all = append(all, c)
		if c.phase == OpeningPhase || !winsAtOnce(s.rules, c) {
			open = append(open, c)
		}
	}
	return all, open
}

// limit is the number of the loser's moves that may be searched: the table in the
// description of Lookahead.
func (s *slowSearch) limit(p Position, open int) int {
	passed := p
	passed.side = p.side.Opponent()
	switch threat := winsAtOnce(s.rules, passed); {
	case threat && open == 1:
		return 4
	case threat && open == 2:
		return 3
	case threat:
		return 2
	case open <= 4:
		return 2
	}
	return 0
}

func (s *slowSearch) loss(p Position, depth int) uint8 {
	if p.Terminal() {
		return 0
	}
	if p.phase == OpeningPhase {
		return s.openingLoss(p)
	}
	if winsAtOnce(s.rules, p) {
		return noLoss
	}
	_, open := s.children(p)
	if len(open) == 0 {
		if passed := (Position{p.squares, p.board, p.up, p.side.Opponent(), p.phase}); !winsAtOnce(s.rules, passed) {
			// A loss in 2 without a threat: it is searched for like the others.
			if d, ok := s.known[p]; ok {
				return d
			}
			if depth == 0 {
				return noLoss
			}
		}
		return 2
	}
	if d, ok := s.known[p]; ok {
		return d
	}
	depth = min(depth, s.limit(p, len(open)))
	if depth == 0 {
		return noLoss
	}
	worst := uint8(1)
	for _, c := range open {
		d := s.win(c, depth-1)
		if d == noLoss {
			return noLoss
		}
		worst = max(worst, d)
	}
	return worst + 1
}

func (s *slowSearch) openingLoss(p Position) uint8 {
	if d, ok := s.known[p]; ok {
		return d
	}
	if bits.OnesCount8(p.board) != OpeningPlies-1 {
		return noLoss
	}
	worst := uint8(1)
	all, _ := s.children(p)
	for _, c := range all {
		if winsAtOnce(s.rules, c) {
			continue
		}
		d := s.win(c, 0)
		if d == noLoss {
			return noLoss
		}
		worst = max(worst, d)
	}
	return worst + 1
}

// win is for positions without a win in 1.
func (s *slowSearch) win(p Position, depth int) uint8 {
	best := uint8(noLoss)
	all, _ := s.children(p)
	for _, c := range all {
		best = min(best, s.loss(c, depth))
	}
	if best == noLoss {
		return noLoss
	}
	return best + 1
}

// valued is a published position with its value.
type valued struct {
	Position, Value string
	Distance        *uint8
	Moves           []struct {
		Position, Value string
		Distance        *uint8
	}
}

func entryOf(t *testing.T, value string, distance *uint8) rules.Entry {
	e := rules.Entry{Value: map[string]rules.Value{"win": rules.Win, "loss": rules.Loss, "draw": rules.Draw}[value]}
	if e.Value == rules.Unknown || (e.Value == rules.Draw) != (distance == nil) {
		t.Fatalf("value %q, distance %v", value, distance)
	}
	if distance != nil {
		e.Distance = *distance
	}
	return e
}

// eachValued calls visit with every published position, and those after each of its
// moves, with their entries.
func eachValued(t *testing.T, visit func(r *Rules, l *Lookahead, p Position, want rules.Entry)) {
	t.Helper()
	for name, file := range map[string]string{CanonicalName: "tic-tac-chec.jsonl", OutboundName: "tic-tac-chec-outbound.jsonl"} {
		r := rulesNamed(t, name)
		l := NewLookahead(r, 0)
		parse := func(text string) Position {
			p, _, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		seen := eachLine(t, file, func(v valued) {
			visit(r, l, parse(v.Position), entryOf(t, v.Value, v.Distance))
			for _, m := range v.Moves {
				// A move's entry is its player's.
				e := entryOf(t, m.Value, m.Distance)
				e.Value = e.Value.Negate()
				if e.Value != rules.Draw {
					e.Distance--
				}
				visit(r, l, parse(m.Position), e)
			}
		})
		if seen < 400 {
			t.Errorf("%s: %d positions", file, seen)
		}
	}
}

// Without known losses the search finds too little, but nothing that is not so: a
// position that it calls lost or won is, and in no more plies than it says.
func TestLookaheadWithoutKnownLosses(t *testing.T) {
	var found, exact [rules.MaxDistance + 1]int
	eachValued(t, func(r *Rules, l *Lookahead, p Position, want rules.Entry) {
		got := l.Entry(p)
		switch {
		case got.Value == rules.Draw:
			if want.Value != rules.Draw && want.Distance <= 3 {
				t.Errorf("%s: %s: a %s is not found", r.Ruleset().Name, p, want)
			}
		case got.Value != want.Value || got.Distance < want.Distance:
			t.Errorf("%s: %s: %s, want %s", r.Ruleset().Name, p, got, want)
		case want.Distance <= 3 && got != want:
			t.Errorf("%s: %s: %s, want %s", r.Ruleset().Name, p, got, want)
		default:
			found[want.Distance]++
			if got == want {
				exact[want.Distance]++
			}
		}
		d, ok := l.Loss(p)
		if ok != (got.Value == rules.Loss) || ok && d != got.Distance {
			t.Errorf("%s: %s: loss %d, %v; entry %s", r.Ruleset().Name, p, d, ok, got)
		}
	})
	// What is found is pinned: if it changes, the files of known losses are no longer
	// good, and LookaheadVersion has to change, too.
	want := map[uint32][]int{1: {27, 936, 167, 597, 118, 263, 23, 42, 4, 16, 1}}[LookaheadVersion]
	for distance := range found {
		n := 0
		if distance < len(want) {
			n = want[distance]
		}
		if found[distance] != n || exact[distance] != n {
			t.Errorf("distance %d: %d found, %d of them exactly; want %d", distance, found[distance], exact[distance], n)
		}
	}
}

// threatened returns a random main-phase position without a line and without a win
// in 1 in which the other side has three on a line, or, now and then, any other.
func threatened(r *Rules, rng interface{ IntN(int) int }, next func() Position) Position {
	for {
		p := next()
		b := p.withSquares()
		if p.Terminal() || r.winsAtOnce(&b) {
			continue
		}
		if lineAt[b.enemy] != noLine || rng.IntN(2000) == 0 {
			return p
		}
	}
}

// The search is what its description says it is, with and without known losses. Those
// are made up: what counts is that both searches take them into account.
func TestLookaheadIsAsDescribed(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		rng := newRand(70)
		next := func() Position { return randomMain(rng) }
		var sample []Position
		slow := newSlowSearch(r)
		fast := NewLookahead(r, 40_000)
		for len(sample) < 250 {
			p := threatened(r, rng, next)
			_, open := slow.children(p)
			if len(sample) >= 50 && (len(open) == 0 || slow.limit(p, len(open)) < 2) {
				continue // most of the sample is for the search
			}
			sample = append(sample, p)
			// Losses where the search comes by: two moves on.
			for _, c := range open {
				all, _ := slow.children(c)
				q := all[rng.IntN(len(all))]
				if _, ok := slow.known[q]; !ok && rng.IntN(4) > 0 && !q.Terminal() && !winsAtOnce(r, q) {
					d := 4 + 2*uint8(rng.IntN(20))
					slow.add(q, d)
					fast.Add(q, d)
				}
			}
		}
		for range 200 {
			sample = append(sample, randomOpening(rng))
		}
		losses, unlike := 0, 0
		bare, bareSlow := NewLookahead(r, 0), newSlowSearch(r)
		for _, p := range sample {
			d := slow.loss(p, 4)
			got, ok := fast.Loss(p)
			if ok != (d != noLoss) || ok && got != d {
				t.Fatalf("%s: %d, %v; want %d", p, got, ok, d)
			}
			bareD := bareSlow.loss(p, 4)
			got, ok = bare.Loss(p)
			if ok != (bareD != noLoss) || ok && got != bareD {
				t.Fatalf("%s, no known losses: %d, %v; want %d", p, got, ok, bareD)
			}
			if d > 2 && d != noLoss {
				losses++
			}
			if d != bareD {
				unlike++
			}
		}
		if losses < 30 || unlike < 10 {
			t.Errorf("%d losses, %d thanks to known ones: too few to mean anything", losses, unlike)
		}
	})
}

// Worked out generation by generation, a loss is the one that the search finds.
func TestLookaheadByGenerations(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		rng := newRand(71)
		l := NewLookahead(r, 10)
		own := &searcher{Lookahead: l}
		counts := map[int]int{}
		for range 6000 {
			p := threatened(r, rng, func() Position { return randomMain(rng) })
			if p.Side() == rules.Black {
				p = p.SwapColours()
			}
			slow := newSlowSearch(r)
			_, open := slow.children(p)
			limit := slow.limit(p, len(open))
			if len(open) == 0 {
				limit = 0
			}
			b := p.withSquares()
			for g := 1; g <= l.Generations(); g++ {
				got, ok := l.Lost(p, g, func(q Position) (uint8, bool) {
					if q.Side() != rules.White {
						t.Fatalf("%s: asked with Black to move", q)
					}
					c := q.withSquares()
					d := own.win(&c, g-1)
					return d, d != noLoss
				})
				want := (&searcher{Lookahead: l}).loss(&b, g)
				if g > limit {
					if ok {
						t.Fatalf("%s: lost in %d in generation %d of %d", p, got, g, limit)
					}
					if limit > 0 && want != own.loss(&b, limit) {
						t.Fatalf("%s: lost in %d at depth %d, past the limit", p, want, g)
					}
					continue
				}
				if ok != (want != noLoss) || ok && got != want {
					t.Fatalf("%s, generation %d: %d, %v; want %d", p, g, got, ok, want)
				}
				if ok {
					counts[g]++
				}
			}
			if d, ok := l.Loss(p); ok && d > 2 && d != own.loss(&b, limit) {
				t.Fatalf("%s: %d, and at its limit %d", p, d, own.loss(&b, limit))
			}
		}
		for g := 1; g <= l.Generations(); g++ {
			if counts[g] == 0 {
				t.Errorf("no losses of generation %d", g)
			}
		}
		if _, ok := l.Lost(mainAt(0), 1, nil); ok {
			t.Error("the empty board is lost")
		}
	})
}

// What is added answers for the mirror image, too, and for both views; and is found
// again by index. Shards share the work without overlap.
func TestLookaheadKnownLosses(t *testing.T) {
	r := Rulesets()[0]
	rng := newRand(72)
	const mains, openings = 450, 50
	l := NewLookahead(r, mains+openings)
	graph := r.Graph()
	known := map[uint64]uint8{}
	for len(known) < mains {
		p := randomMain(rng)
		d := 4 + 2*uint8(rng.IntN(30))
		if _, ok := known[smallerIndex(p)]; ok || l.Entry(p).Value != rules.Draw {
			continue
		}
		known[smallerIndex(p)] = d
		l.Add(p, d)
	}
	opening := map[uint64]bool{}
	for len(opening) < openings {
		p := randomOpening(rng)
		if bits.OnesCount8(p.board) != OpeningPlies-1 || opening[smallerIndex(p)] {
			continue
		}
		opening[smallerIndex(p)] = true
		l.Add(p, 6)
		for _, q := range []Position{p, p.Mirror()} {
			if e := l.Entry(q); e != (rules.Entry{Value: rules.Loss, Distance: 6}) {
				t.Fatalf("%s: %s", q, e)
			}
		}
	}
	for _, shards := range []int{1, 3, 7} {
		got := map[uint64]uint8{}
		for shard := range shards {
			l.KnownLosses(shard, shards, func(index uint64, distance uint8) {
				if _, ok := got[index]; ok {
					t.Errorf("%d is found twice", index)
				}
				got[index] = distance
			})
		}
		if !maps.Equal(got, known) {
			t.Errorf("%d shards: %d losses, want %d", shards, len(got), len(known))
		}
	}
	for index, d := range known {
		p := mainAt(index)
		if graph.Index(p) != index {
			t.Errorf("%d is the mirror image of %d", index, graph.Index(p))
		}
		for _, q := range []Position{p, p.Mirror(), p.SwapColours(), p.SwapColours().Mirror()} {
			if e := l.Entry(q); e != (rules.Entry{Value: rules.Loss, Distance: d}) {
				t.Fatalf("%s: %s, want a loss in %d", q, e, d)
			}
		}
		// Whoever can move there has won, in one more or less.
		for _, q := range graph.Predecessors(p, nil) {
			if e := l.Entry(q); !q.Terminal() && (e.Value == rules.Win && e.Distance > d+1 || e.Value == rules.Draw) {
				t.Fatalf("%s: %s, and a move leads to a loss in %d", q, e, d)
			}
		}
	}
}

// The set is asked for what is in it and for what is not, with as many keys as it
// was made for: scattered, or all at one slot, the last, and so around the end.
func TestLossSet(t *testing.T) {
	rng := newRand(73)
	scattered := func(lossSet) uint64 { return rng.Uint64() & keyMask }
	// The multiplier is odd, so that a key can be had for any hash.
	inverse := uint64(1)
	for range 6 { // Newton's method doubles the bits that are right
		inverse *= 2 - hashFactor*inverse
	}
	if inverse*hashFactor != 1 {
		t.Fatal("no inverse")
	}
	crowded := func(s lossSet) uint64 {
		for {
			last := ^uint64(0) << s.shift
			if key := (last | rng.Uint64()>>(64-s.shift)) * inverse; key&^keyMask == 0 && key != 0 {
				return key
			}
		}
	}
	for _, c := range []struct {
		name string
		n    int
		key  func(lossSet) uint64
	}{
		{"none", 0, scattered}, {"one", 1, scattered}, {"few", 7, scattered}, {"eight", 8, scattered},
		{"many", 70_000, scattered}, {"power of two", 1 << 16, scattered}, {"crowded", 8, crowded},
	} {
		set := newLossSet(c.n)
		want := map[uint64]uint8{}
		for len(want) < c.n {
			key := c.key(set)
			if _, ok := want[key]; ok || key == 0 {
				continue
			}
			want[key] = 4 + 2*uint8(rng.IntN(30))
			if d := set.distance(key); d != 0 {
				t.Fatalf("%s: %d before it is added", c.name, d)
			}
			set.add(key, want[key])
		}
		for key, distance := range want {
			if d := set.distance(key); d != distance {
				t.Fatalf("%s: %d, want %d", c.name, d, distance)
			}
		}
		for range max(c.n, 20) {
			key := c.key(set)
			if d := set.distance(key); d != want[key] {
				t.Fatalf("%s: %d for another key", c.name, d)
			}
		}
		full := 0
		for _, slot := range set.slots {
			if slot != 0 {
				full++
			}
		}
		if full != c.n || 2*full > len(set.slots) {
			t.Errorf("%s: %d of %d slots in use, want %d", c.name, full, len(set.slots), c.n)
		}
	}
}

// A slot gives back the position that stands for what was put there.
func TestUnpackLoss(t *testing.T) {
	if _, _, ok := unpackLoss(0); ok {
		t.Error("an empty slot holds a loss")
	}
	rng := newRand(74)
	for i := range 100_000 {
		p := randomMain(rng)
		if i%2 == 1 {
			p = randomOpening(rng)
		}
		if p.board == 0 {
			continue
		}
		key := p.lossKey()
		if key == 0 || key&^keyMask != 0 {
			t.Fatalf("%s: key %#x", p, key)
		}
		want := p
		if p.phase == MainPhase && p.side == rules.Black {
			want = p.SwapColours()
		}
		d := 2 * uint8(1+rng.IntN(31))
		got, distance, ok := unpackLoss(key | uint64(d)<<distanceShift)
		if !ok || distance != d || got != want && got != want.Mirror() || got.lossKey() != key {
			t.Fatalf("%s: %s, %d, %v", p, got, distance, ok)
		}
		if p.Mirror().lossKey() != key {
			t.Fatalf("%s: its mirror image has another key", p)
		}
		// Opening and main phase do not meet.
		other := p
		other.phase ^= MainPhase ^ OpeningPhase
		if other.lossKey() == key {
			t.Fatalf("%s: the same key in the other phase", p)
		}
	}
}

// Many at once answer like one alone, one by one or together, and allocate nothing.
func TestEntriesTogether(t *testing.T) {
	r := Rulesets()[0]
	rng := newRand(75)
	l := NewLookahead(r, 0)
	positions := make([]Position, 1500)
	want := make([]rules.Entry, len(positions))
	for i := range positions {
		positions[i] = randomMain(rng)
		if i%10 == 0 {
			positions[i] = randomOpening(rng)
		}
		want[i] = l.Entry(positions[i])
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			got := make([]rules.Entry, len(positions))
			l.Entries(positions, got)
			if !slices.Equal(got, want) {
				t.Error("other entries together")
			}
			for i, p := range positions[:300] {
				if e := l.Entry(p); e != want[i] {
					t.Errorf("%s: %s, want %s", p, e, want[i])
				}
			}
		})
	}
	group.Wait()
}

// TestLookaheadAllocates nothing once there is a searcher.
func TestLookaheadAllocates(t *testing.T) {
	r := Rulesets()[0]
	rng := newRand(76)
	l := NewLookahead(r, 0)
	positions := make([]Position, 40)
	for i := range positions {
		positions[i] = randomMain(rng)
	}
	positions[0] = Start()
	positions[1] = randomOpening(rng)
	out := make([]rules.Entry, len(positions))
	// A garbage collection may take the searcher, so not each of many runs need be
	// free of allocations; AllocsPerRun rounds down.
	if n := testing.AllocsPerRun(50, func() { l.Entries(positions, out) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
