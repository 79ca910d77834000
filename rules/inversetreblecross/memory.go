package inversetreblecross

import "math/bits"

// memory remembers the known values of parts, at most as many as it has entries. It begins
// small and doubles. Once it cannot, a smaller part makes room for a greater one, which
// would be more work to search again. What it remembers depends on nothing but what
// it has been given.
type memory struct {
	entries []remembered // a power of two; a part is in one of two that are neighbours
	used    int
	most    int // entries
}

// remembered is an entry, empty when its part is.
type remembered struct {
	part
	exact uint8  // the value and 1, or 0
	low   uint16 // reached values, of those below 16
}

// maxMemory is the number of entries that a search has at most. They are of 24 bytes,
// so that a search takes no more than MaxSearchBytes, the smaller entries that it moves
// out of while it grows and its stack included.
const maxMemory = 1 << 14

// MaxSearchBytes is the bytes of memory that one search takes at most.
const MaxSearchBytes = 1 << 20

func newMemory(most int) memory {
	return memory{entries: make([]remembered, min(most, 64)), most: most}
}

// slots returns the two entries that a part can be in.
func (m *memory) slots(g part) (a, b *remembered) {
	h := g.first*0x9e3779b97f4a7c15 ^ bits.RotateLeft64((g.last^uint64(g.ring))*0xbf58476d1ce4e5b9, 32)
	h = (h ^ h>>29) * 0x94d049bb133111eb
	i := (h ^ h>>32) & uint64(len(m.entries)-1)
	return &m.entries[i], &m.entries[i^1]
}

// get returns the entry of a part.
func (m *memory) get(g part) known {
	a, b := m.slots(g)
	if b.part == g {
		a = b
	}
	switch {
	case a.part != g:
		return known{}
	case a.exact > 0:
		return known{exact: true, value: a.exact - 1}
	}
	return known{reached: uint64(a.low)}
}

// put stores the entry of a part.
func (m *memory) put(g part, now known) {
	entry := remembered{part: g, low: uint16(now.reached)}
	if now.exact {
		entry.exact = now.value + 1
	}
	if 2*m.used > len(m.entries) && len(m.entries) < m.most {
		old := m.entries
		m.entries, m.used = make([]remembered, 2*len(old)), 0
		for _, e := range old {
			if e.part != (part{}) {
				m.place(e)
			}
		}
	}
	m.place(entry)
}

func (m *memory) place(entry remembered) {
	a, b := m.slots(entry.part)
	switch {
	case a.part == entry.part:
	case b.part == entry.part:
		a = b
	case a.part == (part{}):
		m.used++
	case b.part == (part{}):
		a = b
		m.used++
	case b.empty() < a.empty():
		a = b
	}
	*a = entry
}
