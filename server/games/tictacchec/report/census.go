package report

import (
	"context"
	"math"
	"slices"
	"sync"

	"solved/rules"
	"solved/rules/tictacchec"
)

// worths is how many different entries a position can have: a distance, or a draw,
// which comes last.
const (
	drawn  = rules.MaxDistance + 1
	worths = drawn + 1
)

// worth numbers the entries.
func worth(c rules.Code) int { return min(int(c), drawn) }

// tally counts positions by entry, and keeps the first index of each.
type tally struct {
	count [worths]uint64
	first [worths]uint64 // means something where there is a count
}

// see counts a position. Indices have to come in order.
func (t *tally) see(c rules.Code, index uint64) {
	w := worth(c)
	if t.count[w] == 0 {
		t.first[w] = index
	}
	t.count[w]++
}

func (t *tally) add(u *tally) {
	for w, n := range u.count {
		if n == 0 {
			continue
		}
		if t.count[w] == 0 || u.first[w] < t.first[w] {
			t.first[w] = u.first[w]
		}
		t.count[w] += n
	}
}

// values adds the numbers up by value.
func (t *tally) values() (wins, losses, draws uint64) {
	for d, n := range t.count[:drawn] {
		if d%2 == 1 {
			wins += n
		} else {
			losses += n
		}
	}
	return wins, losses, t.count[drawn]
}

// kinds are what else a census tells positions apart by, as bits of a number.
const (
	threatened = 1 << iota // the side that is not to move could complete a line at once
	reachable              // it can occur in a game
	kinds      = 1 << iota
)

// census is what a pass over the main phase in the order of the index counts.
type census struct {
	bySet [256]*[kinds]tally // by the set of pieces on the board; nil where it did not go
	// zugzwangs are the losses in 2 without a threat, ascending.
	zugzwangs []uint64
}

// takeCensus goes over spans of the main phase. threats is the set of positions with
// a live threat, unreachable that of those that cannot occur.
func takeCensus(ctx context.Context, t *Table, threats, unreachable bitset, spans []span, threads int, tell progress) (*census, error) {
	pieces, sets := cutBySet(spans)
	result := new(census)
	var mu sync.Mutex // guards result
	codes := t.section(rules.Main)
	err := concurrently(ctx, threads, pieces, tell, "counting", func(i int, s span) error {
		var found [kinds]tally
		var zugzwangs []uint64
		for index := s.from; index < s.to; index++ {
			kind := 0
			if threats.has(index) {
				kind = threatened
			}
			if !unreachable.has(index) {
				kind |= reachable
			}
			found[kind].see(codes[index], index)
			if codes[index] == 2 && kind&threatened == 0 {
				zugzwangs = append(zugzwangs, index)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if result.bySet[sets[i]] == nil {
			result.bySet[sets[i]] = new([kinds]tally)
		}
		for kind := range found {
			result.bySet[sets[i]][kind].add(&found[kind])
		}
		result.zugzwangs = append(result.zugzwangs, zugzwangs...)
		return nil
	})
	slices.Sort(result.zugzwangs)
	return result, err
}

// sum adds up what is of one of the kinds that are wanted.
func (c *census) sum(wanted func(set uint8, kind int) bool) *tally {
	all := new(tally)
	for set, byKind := range c.bySet {
		for kind := range byKind {
			if byKind != nil && wanted(uint8(set), kind) {
				all.add(&byKind[kind])
			}
		}
	}
	return all
}

// findThreats returns the positions of the main phase with a live threat: the side
// that is not to move could complete a line at once if it were its turn on the same
// board. These are the wins in 1 with the other side to move. Spans are those of the
// wins in 1.
func findThreats(ctx context.Context, t *Table, spans []span, threads int, tell progress) (bitset, error) {
	threats := newBitset()
	codes := t.section(rules.Main)
	err := concurrently(ctx, threads, cut(spans, spanSize), tell, "finding threats", func(_ int, s span) error {
		for i, c := range codes[s.from:s.to] {
			if c == 1 {
				p, _ := tictacchec.FromIndex(rules.Main, s.from+uint64(i))
				_, index := p.OtherToMove().Index()
				threats.add(index)
			}
		}
		return nil
	})
	return threats, err
}

// countOpening counts positions of each ply of the opening.
func countOpening(t *Table, spans []span) (plies [tictacchec.OpeningPlies]tally) {
	codes := t.section(rules.Opening)
	pieces, plyOf := cutByPly(spans, spanSize)
	for i, s := range pieces {
		found := new(tally)
		for index := s.from; index < s.to; index++ {
			found.see(codes[index], index)
		}
		plies[plyOf[i]].add(found)
	}
	return plies
}

// countOver counts, of the positions whose code is 0 (the game is over), those whose
// side to move owns a line, which no game leads to.
func countOver(ctx context.Context, t *Table, spans []span, threads int, tell progress) (moverOwns uint64, err error) {
	codes := t.section(rules.Main)
	var mu sync.Mutex // guards moverOwns
	err = concurrently(ctx, threads, cut(spans, spanSize), tell, "looking at ended games", func(_ int, s span) error {
		n := uint64(0)
		for i, c := range codes[s.from:s.to] {
			if c == 0 {
				p, _ := tictacchec.FromIndex(rules.Main, s.from+uint64(i))
				if p.Owns(p.Side()) {
					n++
				}
			}
		}
		mu.Lock()
		moverOwns += n
		mu.Unlock()
		return nil
	})
	return moverOwns, err
}

// none is no index at all: greater than any.
const none = math.MaxUint64
