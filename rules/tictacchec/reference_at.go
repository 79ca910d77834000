package tictacchec

import "solved/rules"

// ReferenceAt returns the board at a place in a section, and false past its end. A
// main-phase board is given with White to move. It undoes [ReferenceBoard.Index]
// step by step.
func ReferenceAt(section rules.Section, index uint64) (ReferenceBoard, bool) {
	var b ReferenceBoard
	for s := range b.Squares {
		b.Squares[s] = '.'
	}
	if section == rules.Opening {
		b.Opening = true
		for ply := range 6 {
			for _, mask := range openingMasks(ply) {
				if n := referencePlacements(16, ply); index >= n {
					index -= n
					continue
				}
				b.BlackToMove = ply%2 == 1
				b.place(mask, "PNBRpnbr", index)
				// In the opening every pawn still has the direction it was placed
				// with: toward the opponent, or back from the opponent's edge row.
				if b.has('P') {
					b.WhitePawnUp = b.find('P')/4 != 3
				}
				if b.has('p') {
					b.BlackPawnUp = b.find('p')/4 == 0
				}
				return b, true
			}
		}
		return ReferenceBoard{}, false
	}
	for mask := range 256 {
		others := referenceOtherStates(mask)
		if n := referencePawnStates(mask) * others; index >= n {
			index -= n
			continue
		}
		b.placePawns(mask, index/others)
		b.place(mask, "NBRnbr", index%others)
		return b, true
	}
	return ReferenceBoard{}, false
}

// placePawns puts the pawns of a set of pieces where their number says.
func (b *ReferenceBoard) placePawns(mask int, number uint64) {
	whitePawn, blackPawn := mask%2 == 1, mask/16%2 == 1
	for _, w := range orientedPawns() {
		for _, k := range orientedPawns() {
			// A pawn in hand has one state, the first.
			if !whitePawn && w != orientedPawns()[0] || !blackPawn && k != orientedPawns()[0] ||
				whitePawn && blackPawn && w.square == k.square {
				continue
			}
			if number > 0 {
				number--
				continue
			}
			if whitePawn {
				b.Squares[w.square], b.WhitePawnUp = 'P', w.up
			}
			if blackPawn {
				b.Squares[k.square], b.BlackPawnUp = 'p', k.up
			}
			return
		}
	}
}

// place puts those of some pieces that are in a set where their placement says: the
// first piece's digit is the most significant, and tells how many of the squares
// that are still free come before its own.
func (b *ReferenceBoard) place(mask int, letters string, placement uint64) {
	var pieces []byte
	for i := range len(referenceLetters) {
		for j := range len(letters) {
			if mask>>i%2 == 1 && referenceLetters[i] == letters[j] {
				pieces = append(pieces, letters[j])
			}
		}
	}
	for i, letter := range pieces {
		var free []int
		for s, found := range b.Squares {
			if found == '.' {
				free = append(free, s)
			}
		}
		weight := referencePlacements(len(free)-1, len(pieces)-i-1)
		b.Squares[free[placement/weight]] = letter
		placement %= weight
	}
}
