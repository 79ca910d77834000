package tictacchec

import (
	"strings"

	"solved/rules"
)

// The reference rules: the game once more, written to be read against the
// printed rules and not to be fast. They share no code and no table with the
// fast rules, so that a test can compare them; an author who changes one
// must not "simplify" it by calling the other. A position is a board of letters,
// a move is its text.

// ReferenceBoard is a position as the reference rules hold it. Two are the same
// position exactly when they are equal with ==.
type ReferenceBoard struct {
	// Squares holds the letter of the piece on each square, from a1 to d4 row
	// by row: PNBR for White, pnbr for Black, '.' for none. A piece that is not
	// here is in its owner's hand.
	Squares [16]byte
	// WhitePawnUp and BlackPawnUp tell that the pawn travels up, toward row 4.
	// They are false for a pawn in hand.
	WhitePawnUp, BlackPawnUp bool
	BlackToMove              bool
	Opening                  bool
}

// Reference is one ruleset in plain words. The zero Reference is of no use; get
// one from [ReferenceOf].
type Reference struct{ tag rules.Tag }

// The tags, repeated here on purpose.
const (
	referenceCanonical      rules.Tag = 0x54544303
	referenceOutbound       rules.Tag = 0x54544301
	referenceTowardOpponent rules.Tag = 0x54544302
)

// ReferenceOf returns the reference rules for a tag, and false for a tag that is
// none of the game's.
func ReferenceOf(tag rules.Tag) (Reference, bool) {
	switch tag {
	case referenceCanonical, referenceOutbound, referenceTowardOpponent:
		return Reference{tag}, true
	}
	return Reference{}, false
}

// ReadReferenceBoard reads a position string with spaces, as [Position.String]
// writes it. It returns false where the text has not that shape, but it is no
// judge of what [Parse] accepts.
func ReadReferenceBoard(text string) (b ReferenceBoard, ok bool) {
	fields := strings.Split(text, " ")
	if len(fields) != 4 || len(fields[2]) != 2 {
		return b, false
	}
	rows := strings.Split(fields[0], "/")
	if len(rows) != 4 {
		return b, false
	}
	for i, row := range rows {
		for n := 1; n <= 4; n++ {
			row = strings.ReplaceAll(row, string(rune('0'+n)), strings.Repeat(".", n))
		}
		if len(row) != 4 {
			return b, false
		}
		copy(b.Squares[4*(3-i):], row)
	}
	b.WhitePawnUp = fields[2][0] == 'u'
	b.BlackPawnUp = fields[2][1] == 'u'
	b.BlackToMove = fields[1] == "b"
	b.Opening = fields[3] == "o"
	return b, true
}

// String returns the position string.
func (b ReferenceBoard) String() string {
	var rows []string
	for row := 3; row >= 0; row-- {
		text := string(b.Squares[4*row : 4*row+4])
		for n := 4; n >= 1; n-- {
			text = strings.ReplaceAll(text, strings.Repeat(".", n), string(rune('0'+n)))
		}
		rows = append(rows, text)
	}
	direction := func(pawn byte, up bool) string {
		if !b.has(pawn) {
			return "-"
		}
		if up {
			return "u"
		}
		return "d"
	}
	side, phase := "w", "m"
	if b.BlackToMove {
		side = "b"
	}
	if b.Opening {
		phase = "o"
	}
	return strings.Join(rows, "/") + " " + side + " " +
		direction('P', b.WhitePawnUp) + direction('p', b.BlackPawnUp) + " " + phase
}

// has reports whether a piece is on the board.
func (b ReferenceBoard) has(letter byte) bool {
	for _, found := range b.Squares {
		if found == letter {
			return true
		}
	}
	return false
}

// at returns the letter on a square, and a blank for a square off the board.
func (b ReferenceBoard) at(file, row int) byte {
	if file < 0 || file > 3 || row < 0 || row > 3 {
		return ' '
	}
	return b.Squares[4*row+file]
}

// white and black tell whose a letter is.
func white(letter byte) bool { return letter >= 'A' && letter <= 'Z' }
func black(letter byte) bool { return letter >= 'a' && letter <= 'z' }

// mine and theirs tell whether a letter is the mover's or the opponent's.
func (b ReferenceBoard) mine(letter byte) bool {
	if b.BlackToMove {
		return black(letter)
	}
	return white(letter)
}

func (b ReferenceBoard) theirs(letter byte) bool {
	if b.BlackToMove {
		return white(letter)
	}
	return black(letter)
}

// owns reports whether four squares in a line all belong to one side.
func (b ReferenceBoard) owns(belongs func(letter byte) bool) bool {
	// A line begins at an edge and has three more squares in its direction.
	line := func(file, row, files, rows int) bool {
		for i := range 4 {
			if !belongs(b.at(file+i*files, row+i*rows)) {
				return false
			}
		}
		return true
	}
	for i := range 4 {
		if line(0, i, 1, 0) || line(i, 0, 0, 1) {
			return true
		}
	}
	return line(0, 0, 1, 1) || line(0, 3, 1, -1)
}

// WhiteOwnsLine reports whether White has four in a line.
func (b ReferenceBoard) WhiteOwnsLine() bool { return b.owns(white) }

// BlackOwnsLine reports whether Black has four in a line.
func (b ReferenceBoard) BlackOwnsLine() bool { return b.owns(black) }

// Terminal reports whether the game is over.
func (b ReferenceBoard) Terminal() bool { return b.WhiteOwnsLine() || b.BlackOwnsLine() }

// Moves returns the legal moves in the published order; none when the game is
// over.
func (r Reference) Moves(b ReferenceBoard) []string {
	if b.Terminal() {
		return nil
	}
	var moves []string
	for _, kind := range "PNBR" {
		letter := byte(kind)
		if b.BlackToMove {
			letter = lower(letter)
		}
		if b.has(letter) {
			continue
		}
		for s, found := range b.Squares {
			if found == '.' {
				moves = append(moves, string(kind)+"@"+squareName(s))
			}
		}
	}
	if b.Opening {
		return moves
	}
	for from, letter := range b.Squares {
		if !b.mine(letter) {
			continue
		}
		for _, to := range r.targets(b, from) {
			moves = append(moves, squareName(from)+"-"+squareName(to))
		}
	}
	return moves
}

// targets returns where the mover's piece on a square can go, in published order.
func (r Reference) targets(b ReferenceBoard, from int) []int {
	var to []int
	file, row := from%4, from/4
	letter := b.Squares[from]

	// slide goes along a ray until something is in the way.
	slide := func(files, rows int) {
		for n := 1; ; n++ {
			found := b.at(file+n*files, row+n*rows)
			if found == '.' || b.theirs(found) {
				to = append(to, 4*(row+n*rows)+file+n*files)
			}
			if found != '.' {
				return
			}
		}
	}

	switch lower(letter) {
	case 'p':
		// "Ahead" is where it travels, "forth" is toward the opponent.
		ahead, forth := -1, -1
		if letter == 'P' && b.WhitePawnUp || letter == 'p' && b.BlackPawnUp {
			ahead = 1
		}
		if letter == 'P' {
			forth = 1
		}
		if b.at(file, row+ahead) == '.' {
			to = append(to, 4*(row+ahead)+file)
		}
		captures := 0 // the row that it captures on, relative to its own; 0 for none
		switch r.tag {
		case referenceCanonical:
			captures = ahead
		case referenceOutbound:
			if ahead == forth {
				captures = ahead
			}
		case referenceTowardOpponent:
			captures = forth
		}
		for _, files := range []int{-1, 1} {
			if captures != 0 && b.theirs(b.at(file+files, row+captures)) {
				to = append(to, 4*(row+captures)+file+files)
			}
		}
	case 'n':
		for _, by := range [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}} {
			if found := b.at(file+by[0], row+by[1]); found == '.' || b.theirs(found) {
				to = append(to, 4*(row+by[1])+file+by[0])
			}
		}
	case 'b':
		slide(1, 1)
		slide(1, -1)
		slide(-1, -1)
		slide(-1, 1)
	case 'r':
		slide(1, 0)
		slide(0, -1)
		slide(-1, 0)
		slide(0, 1)
	}
	return to
}

// Play returns the position after a legal move. Its result for another text is
// not defined, except that a text which is no move at all changes nothing.
func (r Reference) Play(b ReferenceBoard, move string) ReferenceBoard {
	var letter byte
	var to int
	switch {
	case len(move) == 4 && move[1] == '@':
		letter = move[0]
		to = squareNamed(move[2:])
		if b.BlackToMove {
			letter = lower(letter)
		}
		// A placed pawn points at the opponent.
		switch letter {
		case 'P':
			b.WhitePawnUp = true
		case 'p':
			b.BlackPawnUp = false
		}
	case len(move) == 5 && move[2] == '-':
		from := squareNamed(move[:2])
		to = squareNamed(move[3:])
		letter = b.Squares[from]
		b.Squares[from] = '.'
		// A captured pawn forgets its direction.
		switch b.Squares[to] {
		case 'P':
			b.WhitePawnUp = false
		case 'p':
			b.BlackPawnUp = false
		}
	default:
		return b
	}
	b.Squares[to] = letter
	// A pawn on an edge row turns round at once.
	up := &b.WhitePawnUp
	if letter == 'p' {
		up = &b.BlackPawnUp
	}
	if lower(letter) == 'p' && to/4 == 0 {
		*up = true
	}
	if lower(letter) == 'p' && to/4 == 3 {
		*up = false
	}
	b.BlackToMove = !b.BlackToMove
	if 16-strings.Count(string(b.Squares[:]), ".") == 6 {
		b.Opening = false
	}
	return b
}

// SwapColours returns the position with the colours exchanged and the board
// turned by 180°.
func (b ReferenceBoard) SwapColours() ReferenceBoard {
	c := ReferenceBoard{BlackToMove: !b.BlackToMove, Opening: b.Opening}
	for s, letter := range b.Squares {
		switch {
		case white(letter):
			letter = lower(letter)
		case black(letter):
			letter = upper(letter)
		}
		c.Squares[15-s] = letter
	}
	c.WhitePawnUp = b.has('p') && !b.BlackPawnUp
	c.BlackPawnUp = b.has('P') && !b.WhitePawnUp
	return c
}

// Index returns the position's place in the perfect index, which is the number
// of positions of its section that come before it.
func (b ReferenceBoard) Index() (rules.Section, uint64) {
	if b.Opening {
		return rules.Opening, b.openingIndex()
	}
	if b.BlackToMove {
		b = b.SwapColours()
	}
	mask := b.mask()
	index := uint64(0)
	for before := range mask {
		index += referencePawnStates(before) * referenceOtherStates(before)
	}
	index += b.pawnNumber() * referenceOtherStates(mask)
	// The pawns stand already; the others are placed one after another.
	board := b.Squares
	var squares []int
	for s, letter := range board {
		if lower(letter) != 'p' {
			board[s] = '.'
		}
	}
	for _, letter := range "NBRnbr" {
		if b.has(byte(letter)) {
			squares = append(squares, b.find(byte(letter)))
		}
	}
	return rules.Main, index + referencePlacement(board, squares)
}

// referenceLetters are the pieces in the order of their bits.
const referenceLetters = "PNBRpnbr"

// mask returns the set of pieces on the board.
func (b ReferenceBoard) mask() int {
	mask := 0
	for i, letter := range referenceLetters {
		if b.has(byte(letter)) {
			mask |= 1 << i
		}
	}
	return mask
}

// find returns the square of a piece on the board.
func (b ReferenceBoard) find(letter byte) int { return strings.IndexByte(string(b.Squares[:]), letter) }

// referenceCount returns the number of pieces in a set.
func referenceCount(mask int) int {
	n := 0
	for ; mask > 0; mask /= 2 {
		n += mask % 2
	}
	return n
}

// referencePawns returns the number of pawns in a set.
func referencePawns(mask int) int { return mask&1 + mask>>4&1 }

// referencePawnStates returns the number of ways in which the pawns of a set
// stand on the board.
func referencePawnStates(mask int) uint64 { return [...]uint64{1, 24, 536}[referencePawns(mask)] }

// referenceOtherStates returns the number of ways in which the other pieces of a
// set stand on the squares that its pawns leave free.
func referenceOtherStates(mask int) uint64 {
	pawns := referencePawns(mask)
	return referencePlacements(16-pawns, referenceCount(mask)-pawns)
}

// referencePlacements returns in how many ways so many pieces can be placed on
// free squares.
func referencePlacements(free, pieces int) uint64 {
	n := uint64(1)
	for i := range pieces {
		n *= uint64(free - i)
	}
	return n
}

// referencePlacement numbers the squares of pieces among all ways to place them:
// the first is the most significant digit, and each digit is the place of a
// square among those still free. The board shows the squares taken before.
func referencePlacement(board [16]byte, squares []int) uint64 {
	n := uint64(0)
	for _, square := range squares {
		free, digit := 0, 0
		for s, letter := range board {
			if letter != '.' {
				continue
			}
			if s < square {
				digit++
			}
			free++
		}
		n = n*uint64(free) + uint64(digit)
		board[square] = '#'
	}
	return n
}

// oriented is a pawn's square and direction.
type oriented struct {
	square int
	up     bool
}

// orientedPawns returns all there are in the order of their options: on each
// square down before up, where a pawn can have either.
func orientedPawns() []oriented {
	var options []oriented
	for square := range 16 {
		if square/4 != 0 {
			options = append(options, oriented{square, false})
		}
		if square/4 != 3 {
			options = append(options, oriented{square, true})
		}
	}
	return options
}

// pawnNumber numbers the state of the pawns on the board.
func (b ReferenceBoard) pawnNumber() uint64 {
	n := uint64(0)
	whitePawn := oriented{b.find('P'), b.WhitePawnUp}
	blackPawn := oriented{b.find('p'), b.BlackPawnUp}
	switch {
	case b.has('P') && b.has('p'):
		for _, w := range orientedPawns() {
			for _, k := range orientedPawns() {
				if w == whitePawn && k == blackPawn {
					return n
				}
				if w.square != k.square {
					n++
				}
			}
		}
	case b.has('P') || b.has('p'):
		pawn := whitePawn
		if b.has('p') {
			pawn = blackPawn
		}
		for _, option := range orientedPawns() {
			if option == pawn {
				return n
			}
			n++
		}
	}
	return n
}

// openingIndex is Index for the opening.
func (b ReferenceBoard) openingIndex() uint64 {
	mask := b.mask()
	ply := referenceCount(mask)
	index := uint64(0)
	for before := range ply {
		index += uint64(len(openingMasks(before))) * referencePlacements(16, before)
	}
	for _, before := range openingMasks(ply) {
		if before == mask {
			break
		}
		index += referencePlacements(16, ply)
	}
	// The board is empty at first, and all pieces are placed on it.
	var board [16]byte
	var squares []int
	for s := range board {
		board[s] = '.'
	}
	for _, letter := range referenceLetters {
		if b.has(byte(letter)) {
			squares = append(squares, b.find(byte(letter)))
		}
	}
	return index + referencePlacement(board, squares)
}

// openingMasks returns the sets of pieces that can be on the board at a ply, in
// the order of the index: White's set first, then Black's, each ascending.
func openingMasks(ply int) []int {
	var masks []int
	for whiteSet := range 16 {
		for blackSet := range 16 {
			if referenceCount(whiteSet) == (ply+1)/2 && referenceCount(blackSet) == ply/2 {
				masks = append(masks, whiteSet|blackSet<<4)
			}
		}
	}
	return masks
}

func lower(letter byte) byte { return letter | 0x20 }
func upper(letter byte) byte { return letter &^ 0x20 }

// squareName and squareNamed give a square its name and find it again; a name
// that is none gives a1.
func squareName(s int) string { return string([]byte{"abcd"[s%4], "1234"[s/4]}) }

func squareNamed(name string) int {
	for s := range 16 {
		if squareName(s) == name {
			return s
		}
	}
	return 0
}
