package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"solved/rules"
)

// PlainGame is a game as Sample sees it: written to be read against the printed
// rules.
type PlainGame interface {
	// Successors returns the position after each move, and how the game has ended, for
	// the side that would be to move: Loss or Draw, and Unknown if it goes on.
	Successors(p Position) (successors []Position, result rules.Value)
	// Spell writes a position for people.
	Spell(p Position) string
}

// Lookup looks up one position: a *tablebase.Table does.
type Lookup interface {
	Lookup(s rules.Section, index uint64) (rules.Entry, error)
}

// samplePart is how many positions a goroutine takes at a time.
const samplePart = 64

// Sample audits n positions of each section, taken at random by a seed; less those
// that are taken twice. Errors are those of a context that ended and of a look-up.
func Sample(ctx context.Context, rs rules.Ruleset, table Lookup, game PlainGame, n int, seed uint64, o Options) (Report, error) {
	if n < 1 {
		return Report{}, fmt.Errorf("audit: a sample of %d positions is none", n)
	}
	var parts [][]Position
	for section, positions := range rs.Positions {
		if positions == 0 {
			continue
		}
		random := rand.New(rand.NewPCG(seed, uint64(section)))
		taken := make([]uint64, n)
		for i := range taken {
			taken[i] = random.Uint64N(positions)
		}
		slices.Sort(taken)
		for some := range slices.Chunk(slices.Compact(taken), samplePart) {
			var list []Position
			for _, index := range some {
				list = append(list, Position{rules.Section(section), index})
			}
			parts = append(parts, list)
		}
	}
	var done atomic.Uint64
	return gather(ctx, o, len(parts), func(i int) (part, error) {
		found := part{section: parts[i][0].Section}
		for _, p := range parts[i] {
			if err := sampleOne(table, game, p, &found); err != nil {
				return part{}, err
			}
		}
		tell(o.Progress, done.Add(uint64(len(parts[i]))))
		return found, nil
	})
}

// sampleOne audits one position, and adds to the findings.
func sampleOne(table Lookup, game PlainGame, p Position, found *part) error {
	entry, err := table.Lookup(p.Section, p.Index)
	if err != nil {
		return fmt.Errorf("%s %d: %w", p.Section, p.Index, err)
	}
	successors, result := game.Successors(p)
	follows := rules.Entry{}
	switch ended, over := ending(result); {
	case over && len(successors) == 0:
		follows = ended
	case result == rules.Unknown && len(successors) > 0:
		entries := make([]rules.Entry, len(successors))
		for i, s := range successors {
			if entries[i], err = table.Lookup(s.Section, s.Index); err != nil {
				return fmt.Errorf("%s %d, after a move from %s %d: %w", s.Section, s.Index, p.Section, p.Index, err)
			}
		}
		follows = definition(entries)
	}
	found.count.see(entry.Value, len(successors))
	if entry != follows {
		found.violations = append(found.violations, Violation{Position: p, Spelt: game.Spell(p), Found: entry, Follows: follows})
	}
	return nil
}

// definition returns the entry that follows from the entries of the successors, in the words
// of the definition.
func definition(successors []rules.Entry) rules.Entry {
	losses, draws := false, false
	nearestLoss, farthestWin := rules.MaxDistance, 0
	for _, e := range successors {
		switch e.Value {
		case rules.Loss:
			losses = true
			nearestLoss = min(nearestLoss, int(e.Distance))
		case rules.Win:
			farthestWin = max(farthestWin, int(e.Distance))
		default:
			draws = true
		}
	}
	switch {
	case losses:
		return rules.Entry{Value: rules.Win, Distance: uint8(1 + nearestLoss)}
	case draws:
		return rules.Entry{Value: rules.Draw}
	}
	return rules.Entry{Value: rules.Loss, Distance: uint8(1 + farthestWin)}
}
