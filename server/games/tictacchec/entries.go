package tictacchec

import (
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
)

// EntryReader gives the values of positions of one ruleset, whatever holds them.
// Implementations are safe for concurrent use.
type EntryReader interface {
	// Entries sets out[i] to the entry of positions[i], for the side to move
	// there. There are at most tictacchec.MaxMoves positions, and out is at
	// least as long. It keeps neither slice.
	Entries(positions []tictacchec.Position, out []rules.Entry) error
}

// TableEntries reads them from a table.
type TableEntries struct{ Table *tablebase.Table }

// Entries looks up as many positions at once as lie in one section, since that
// overlaps the waits for memory. It allocates nothing.
func (e TableEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	var indices [tictacchec.MaxMoves]uint64
	for len(positions) > 0 {
		section, index := positions[0].Index()
		indices[0] = index
		n := 1
		for ; n < len(positions) && n < len(indices); n++ {
			next, index := positions[n].Index()
			if next != section {
				break
			}
			indices[n] = index
		}
		if err := e.Table.LookupMany(section, indices[:n], out); err != nil {
			return err
		}
		positions, out = positions[n:], out[n:]
	}
	return nil
}
