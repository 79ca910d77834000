package tictacchec

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"solved/rules"
)

// Reasons for which a position that is written correctly is refused, in the
// order in which they are tested. They are stable: programs may compare them.
const (
	// ReasonPawnDirection: a pawn on the board has no direction, or one in hand
	// has one, or a pawn on an edge row points off the board.
	ReasonPawnDirection = "pawn-direction"
	// ReasonOpeningCount: the phase is the opening, but the numbers of White's
	// and Black's pieces are not those of a ply 0 to 5.
	ReasonOpeningCount = "opening-count"
	// ReasonOpeningSide: the wrong side is to move for that ply of the opening.
	ReasonOpeningSide = "opening-side"
	// ReasonOpeningPawn: a pawn of the opening has turned round.
	ReasonOpeningPawn = "opening-pawn"
	// ReasonTwoLines: both sides own a line.
	ReasonTwoLines = "two-lines"
	// ReasonMoverLine: the side to move owns a line.
	ReasonMoverLine = "mover-line"
)

// MaxListMoves is the greatest number of moves that a list of moves may hold.
const MaxListMoves = 1000

const (
	mainPrefix    = "post:"
	openingPrefix = "opening:"

	// MaxStringLen is the length of the longest position string: four rows in
	// which no digit stands for more than one square, and the other fields.
	MaxStringLen = len("1P1N/1B1R/1p1n/1b1r w dd m")
	// MaxKeyLen is the length of the longest key.
	MaxKeyLen  = len("opening:14236864")
	maxMoveLen = len("a1-b3")
)

// Parse reads a position string such as "Pb2/n1R1/2rp/N3 w dd m" (spaces or
// underscores throughout) or a key such as "post:1059850930"; byKey tells which
// it was. A post: key denotes the position with the mover shown as White.
//
// A text that is neither is refused with a *[rules.MalformedPositionError],
// whose offset is that of the first byte with which no position string or key
// can go on; it is the text's length when more should have followed. A position
// that cannot be played on is refused with a *[rules.IllegalPositionError] and
// one of the reasons above. Whether a game can reach the position is not tested.
func Parse(text string) (p Position, byKey bool, err error) {
	var reason, detail string
	// Only a key can begin with these: no piece has the letter o.
	if strings.HasPrefix(text, "o") || strings.HasPrefix(text, "po") {
		byKey = true
		if p, err = parseKey(text); err == nil {
			reason, detail = p.lineFault()
		}
	} else {
		var directions [2]byte
		if p, directions, err = parseFields(text); err == nil {
			reason, detail = p.fault(directions)
		}
	}
	if reason != "" {
		err = &rules.IllegalPositionError{Position: text, Reason: reason, Detail: detail}
	}
	if err != nil {
		return Position{}, byKey, err
	}
	return p, byKey, nil
}

// malformed reports that a text cannot be right from the byte at offset on.
func malformed(text string, offset int, expected string) error {
	return &rules.MalformedPositionError{Position: text, Offset: offset, Detail: rules.Found(text, offset) + ", expected " + expected}
}

// parseFields reads a position string. The directions are returned as written,
// as a Position cannot hold those that contradict its board.
func parseFields(text string) (p Position, directions [2]byte, err error) {
	i := 0
	for row := 3; row >= 0; row-- {
		if row < 3 {
			if i == len(text) || text[i] != '/' {
				return p, directions, malformed(text, i, "a slash, as the row has its four squares")
			}
			i++
		}
		afterDigit := false
		for file := 0; file < 4; i++ {
			if i == len(text) {
				return p, directions, malformed(text, i, "more squares of the row, which has "+strconv.Itoa(file)+" of 4")
			}
			c := text[i]
			if piece, ok := pieceByLetter(c); ok {
				if p.On(piece) {
					return p, directions, malformed(text, i, "each piece at most once")
				}
				p = p.put(piece, Square(4*row+file))
				file++
				afterDigit = false
				continue
			}
			n := int(c) - '0'
			switch {
			case n < 1 || n > 4:
				return p, directions, malformed(text, i, "a piece of PNBRpnbr or a number of empty squares, as the row has "+strconv.Itoa(file)+" of 4 squares")
			case afterDigit:
				return p, directions, malformed(text, i, "a piece after a digit")
			case file+n > 4:
				return p, directions, malformed(text, i, "at most "+strconv.Itoa(4-file)+" more squares in the row")
			case file+n < 4 && p.board == 255:
				return p, directions, malformed(text, i, strconv.Itoa(4-file)+", as no piece is left for the rest of the row")
			}
			file += n
			afterDigit = true
		}
	}
	// The rest has a fixed length. The first separator decides on the others.
	separator := " _"
	if i < len(text) {
		switch text[i] {
		case ' ':
			separator = " "
		case '_':
			separator = "_"
		}
	}
	tail := i
	for _, field := range [...]struct{ allowed, name string }{
		{separator, "a space or an underscore"},
		{"wb", "the side to move, w or b"},
		{separator, "the same separator as before"},
		{"ud-", "the direction of White's pawn, u, d or -"},
		{"ud-", "the direction of Black's pawn, u, d or -"},
		{separator, "the same separator as before"},
		{"om", "the phase, o or m"},
	} {
		if i == len(text) || strings.IndexByte(field.allowed, text[i]) < 0 {
			return p, directions, malformed(text, i, field.name)
		}
		i++
	}
	if i < len(text) {
		return p, directions, malformed(text, i, "the end of the text")
	}
	if text[tail+1] == 'b' {
		p.side = rules.Black
	}
	directions = [2]byte{text[tail+3], text[tail+4]}
	for player, direction := range directions {
		if direction == 'u' {
			p.up |= 1 << player
		}
	}
	if text[tail+6] == 'o' {
		p.phase = OpeningPhase
	}
	return p, directions, nil
}

func pieceByLetter(c byte) (Piece, bool) {
	switch c {
	case 'P':
		return WhitePawn, true
	case 'N':
		return WhiteKnight, true
	case 'B':
		return WhiteBishop, true
	case 'R':
		return WhiteRook, true
	case 'p':
		return BlackPawn, true
	case 'n':
		return BlackKnight, true
	case 'b':
		return BlackBishop, true
	case 'r':
		return BlackRook, true
	}
	return 0, false
}

// parseKey reads a key.
func parseKey(text string) (Position, error) {
	prefix, section, count := mainPrefix, rules.Main, uint64(MainPositions)
	if text[0] == 'o' {
		prefix, section, count = openingPrefix, rules.Opening, OpeningPositions
	}
	i := 0
	for ; i < len(prefix); i++ {
		if i == len(text) || text[i] != prefix[i] {
			return Position{}, malformed(text, i, strconv.Quote(prefix)+" and a number")
		}
	}
	first := i
	index := uint64(0)
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c < '0' || c > '9':
			return Position{}, malformed(text, i, "a decimal number to the end")
		case i > first && index == 0:
			return Position{}, malformed(text, i, "no digit after a leading zero")
		}
		// index is below 2³² here, so this cannot overflow.
		if index = 10*index + uint64(c-'0'); index >= count {
			return Position{}, malformed(text, i, "a number of at most "+strconv.FormatUint(count-1, 10))
		}
	}
	if i == first {
		return Position{}, malformed(text, i, "a number")
	}
	p, _ := FromIndex(section, index)
	return p, nil
}

// fault returns the first reason for which a position string is refused, or "".
func (p Position) fault(directions [2]byte) (reason, detail string) {
	for player, direction := range directions {
		pawn := PieceOf(rules.Player(player), Pawn)
		s, on := p.SquareOf(pawn)
		switch {
		case on && direction == '-':
			return ReasonPawnDirection, fmt.Sprintf("the pawn %c on %s has no direction", pawn.Letter(), s)
		case !on && direction != '-':
			return ReasonPawnDirection, fmt.Sprintf("the pawn %c is in hand and has a direction", pawn.Letter())
		case on && !pawnStands(s, direction == 'u'):
			return ReasonPawnDirection, fmt.Sprintf("the pawn %c on %s points off the board: on row 1 it travels up, on row 4 down", pawn.Letter(), s)
		}
	}
	if p.phase == OpeningPhase {
		white, black := bits.OnesCount8(p.board&15), bits.OnesCount8(p.board>>4)
		ply := white + black
		if ply >= OpeningPlies || white != (ply+1)/2 {
			return ReasonOpeningCount, fmt.Sprintf("%d white and %d black pieces on the board: plies 0 to 5 have 0/0, 1/0, 1/1, 2/1, 2/2 and 3/2", white, black)
		}
		if mover := rules.Player(ply & 1); p.side != mover {
			return ReasonOpeningSide, fmt.Sprintf("ply %d of the opening has %s to move", ply, mover)
		}
		for player, direction := range directions {
			pawn := PieceOf(rules.Player(player), Pawn)
			if s, on := p.SquareOf(pawn); on && (direction == 'u') != pawnPlaced(rules.Player(player), s) {
				return ReasonOpeningPawn, fmt.Sprintf("the pawn %c on %s does not point at the opponent, yet no pawn has moved in the opening", pawn.Letter(), s)
			}
		}
	}
	return p.lineFault()
}

// lineFault returns the reason for which a position is refused that has a line
// where there cannot be one, or "".
func (p Position) lineFault() (reason, detail string) {
	if lineAt[p.occupied(p.side)] != completeLine {
		return "", ""
	}
	if lineAt[p.occupied(p.side.Opponent())] == completeLine {
		return ReasonTwoLines, "both sides own a line, but a game ends with the first"
	}
	return ReasonMoverLine, fmt.Sprintf("%s owns a line and is to move, but the game has ended with it", p.side)
}

// String returns the position string, with spaces between its fields.
func (p Position) String() string {
	var buffer [MaxStringLen]byte
	return string(p.AppendString(buffer[:0]))
}

// rowShape is how a row is written whose occupied squares are known. Byte k is
// digits[k] or the letter on square files[k] of the row: one of the two is zero,
// as a digit refers to an empty square, so they can be joined without a branch.
type rowShape struct {
	digits [4]byte
	files  [4]uint8
	length uint8
}

// rowShapes holds the shapes by the set of occupied files.
var rowShapes = func() (t [16]rowShape) {
	for set := range t {
		shape := &t[set]
		for file := uint8(0); file < 4; shape.length++ {
			shape.files[shape.length] = file
			if set>>file&1 == 1 {
				file++
				continue
			}
			shape.digits[shape.length] = '0'
			for ; file < 4 && set>>file&1 == 0; file++ {
				shape.digits[shape.length]++
			}
		}
	}
	return t
}()

// AppendString appends the position string to dst and returns it.
func (p Position) AppendString(dst []byte) []byte {
	var letters [Squares]byte
	for set := p.board; set != 0; set &= set - 1 {
		piece := Piece(bits.TrailingZeros8(set))
		letters[p.square(piece)] = piece.Letter()
	}
	occupied := p.occupied(rules.White) | p.occupied(rules.Black)
	// A row is at most four bytes and a slash. All four are written; those past
	// its length are written over.
	var text [MaxStringLen]byte
	n := 0
	for row := 3; row >= 0; row-- {
		shape := &rowShapes[occupied>>(4*row)&15]
		out := text[n : n+5]
		for k := range 4 {
			out[k] = shape.digits[k] | letters[4*row+int(shape.files[k]&3)]
		}
		out[shape.length] = '/'
		n += int(shape.length) + 1
	}
	// The separator takes the place of the last slash.
	copy(text[n-1:], " w -- m")
	if p.side == rules.Black {
		text[n] = 'b'
	}
	text[n+2], text[n+3] = p.direction(rules.White), p.direction(rules.Black)
	if p.phase == OpeningPhase {
		text[n+5] = 'o'
	}
	return append(dst, text[:n+6]...)
}

// direction returns the letter of a pawn's direction.
func (p Position) direction(player rules.Player) byte {
	switch {
	case !p.On(PieceOf(player, Pawn)):
		return '-'
	case p.PawnUp(player):
		return 'u'
	}
	return 'd'
}

// Key returns the position's key: "post:" or "opening:" and its index. A post:
// key does not tell which colour is to move; reading it gives White.
func (p Position) Key() string {
	var buffer [MaxKeyLen]byte
	return string(p.AppendKey(buffer[:0]))
}

// AppendKey appends the position's key to dst and returns it.
func (p Position) AppendKey(dst []byte) []byte {
	section, index := p.Index()
	if section == rules.Opening {
		dst = append(dst, openingPrefix...)
	} else {
		dst = append(dst, mainPrefix...)
	}
	return strconv.AppendUint(dst, index, 10)
}

// Diagram draws the position for people, in six lines that end with a line
// break. A pawn is followed by ^ when it travels up and by v when it travels
// down.
func (p Position) Diagram() string {
	var b strings.Builder
	for row := 3; row >= 0; row-- {
		line := []byte{'1' + byte(row), ' '}
		for file := range 4 {
			line = append(line, ' ')
			piece, ok := p.At(Square(4*row + file))
			switch {
			case !ok:
				line = append(line, '.', ' ')
			case piece.Kind() != Pawn:
				line = append(line, piece.Letter(), ' ')
			case p.PawnUp(piece.Owner()):
				line = append(line, piece.Letter(), '^')
			default:
				line = append(line, piece.Letter(), 'v')
			}
		}
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	b.WriteString("   a  b  c  d\n")
	mover, phase := "White", "main phase"
	if p.side == rules.Black {
		mover = "Black"
	}
	if p.phase == OpeningPhase {
		phase = "opening"
	}
	fmt.Fprintf(&b, "%s to move, %s; in hand: White %s, Black %s\n", mover, phase, p.handLetters(rules.White), p.handLetters(rules.Black))
	return b.String()
}

func (p Position) handLetters(player rules.Player) string {
	var letters []byte
	for _, kind := range p.Hand(player) {
		letters = append(letters, PieceOf(player, kind).Letter())
	}
	if letters == nil {
		return "-"
	}
	return string(letters)
}

// AppendString appends the move as [Move.String] writes it to dst and returns it.
func (m Move) AppendString(dst []byte) []byte {
	if m.From == NoSquare {
		dst = append(dst, m.Piece.Kind().Letter(), '@')
	} else {
		dst = append(dst, 'a'+byte(m.From&3), '1'+byte(m.From>>2), '-')
	}
	return append(dst, 'a'+byte(m.To&3), '1'+byte(m.To>>2))
}

// ParseMove reads one move, such as "N@c2" or "a1-b3", and finds it among the
// legal moves of a position. It refuses as [Rules.PlayMoves] does, with ply 1.
func (r *Rules) ParseMove(p Position, text string) (Move, error) {
	written, offset, expected := parseMove(text)
	if expected != "" {
		return Move{}, &rules.MalformedMoveError{Ply: 1, Move: text, Offset: offset, Detail: rules.Found(text, offset) + ", expected " + expected}
	}
	m, ok := r.legal(p, written)
	if !ok {
		return Move{}, r.illegalMove(p, written, 1)
	}
	return m, nil
}

// PlayMoves plays a comma-separated list of at most [MaxListMoves] moves from a
// position; an empty list holds none. It returns the position reached and the
// moves.
//
// The list is read to its end before anything is played, so a list that is
// malformed anywhere is refused as such, with a *[rules.MalformedMoveError]
// for its first such move; the offset is counted from the start of the list and
// is that of the first byte that cannot be right, or of the whole move where
// there are too many. A move that cannot be played, such as any after the end of
// the game, is refused with a *[rules.IllegalMoveError].
func (r *Rules) PlayMoves(p Position, list string) (Position, []Move, error) {
	if list == "" {
		return p, nil, nil
	}
	moves := make([]Move, 0, min(strings.Count(list, ",")+1, MaxListMoves))
	for start, more := 0, true; more; {
		text := list[start:]
		var length int
		if length = strings.IndexByte(text, ','); length >= 0 {
			text = text[:length]
		} else {
			more = false
		}
		if len(moves) == MaxListMoves {
			return Position{}, nil, &rules.MalformedMoveError{Ply: MaxListMoves + 1, Move: text, Offset: start,
				Detail: "more than " + strconv.Itoa(MaxListMoves) + " moves"}
		}
		written, offset, expected := parseMove(text)
		if expected != "" {
			return Position{}, nil, &rules.MalformedMoveError{Ply: len(moves) + 1, Move: text, Offset: start + offset,
				Detail: rules.Found(list, start+offset) + ", expected " + expected}
		}
		moves = append(moves, written)
		start += length + 1
	}
	for i, written := range moves {
		m, ok := r.legal(p, written)
		if !ok {
			return Position{}, nil, r.illegalMove(p, written, i+1)
		}
		moves[i] = m
		p = r.Play(p, m)
	}
	return p, moves, nil
}

// parseMove reads a move as written. Without a position it is not known whose
// piece moves: the result's Piece is White's of the kind placed, and of no
// meaning for a move on the board. When the text is malformed, it returns the
// offset of the first byte that cannot be right and what was expected there.
func parseMove(text string) (m Move, offset int, expected string) {
	if len(text) > 0 && strings.IndexByte("PNBR", text[0]) >= 0 {
		for i, field := range [...]struct{ allowed, name string }{
			{"PNBR", "a piece"}, {"@", "@ and a square"}, {"abcd", "a file, a to d"}, {"1234", "a row, 1 to 4"},
		} {
			if i == len(text) || strings.IndexByte(field.allowed, text[i]) < 0 {
				return Move{}, i, field.name
			}
		}
		if len(text) > 4 {
			return Move{}, 4, "the end of the move"
		}
		kind := Pawn
		switch text[0] {
		case 'N':
			kind = Knight
		case 'B':
			kind = Bishop
		case 'R':
			kind = Rook
		}
		return Move{PieceOf(rules.White, kind), NoSquare, squareAt(text[2:])}, 0, ""
	}
	for i, field := range [...]struct{ allowed, name string }{
		{"abcd", "a move such as N@c2 or a1-b3"}, {"1234", "a row, 1 to 4"}, {"-", "- and a square"},
		{"abcd", "a file, a to d"}, {"1234", "a row, 1 to 4"},
	} {
		if i == len(text) || strings.IndexByte(field.allowed, text[i]) < 0 {
			return Move{}, i, field.name
		}
	}
	m = Move{0, squareAt(text), squareAt(text[3:])}
	if m.From == m.To {
		return Move{}, 4, "another square than the one it comes from"
	}
	if len(text) > maxMoveLen {
		return Move{}, maxMoveLen, "the end of the move"
	}
	return m, 0, ""
}

// squareAt returns the square whose valid name a text begins with.
func squareAt(text string) Square { return Square(text[0]-'a') + 4*Square(text[1]-'1') }

// legal returns the legal move that was written, and false if there is none.
func (r *Rules) legal(p Position, written Move) (Move, bool) {
	var buffer [MaxMoves]Move
	for _, m := range r.Moves(p, buffer[:0]) {
		if m.To == written.To && m.From == written.From && (m.From != NoSquare || m.Piece.Kind() == written.Piece.Kind()) {
			return m, true
		}
	}
	return Move{}, false
}

// illegalMove says why a move that is written correctly cannot be played.
func (r *Rules) illegalMove(p Position, written Move, ply int) error {
	legal := []string{}
	for _, m := range r.Moves(p, nil) {
		legal = append(legal, m.String())
	}
	var detail string
	victim, occupied := p.At(written.To)
	mover, own := p.At(written.From)
	own = own && mover.Owner() == p.side
	switch placement := written.From == NoSquare; {
	case p.Terminal():
		detail = "the game is over"
	case placement && occupied:
		detail = fmt.Sprintf("%s is occupied", written.To)
	case placement:
		detail = fmt.Sprintf("%s has no %c in hand", p.side, written.Piece.Kind().Letter())
	case p.phase == OpeningPhase:
		detail = "a turn of the opening is a placement"
	case !own:
		detail = fmt.Sprintf("%s has no piece on %s", p.side, written.From)
	case occupied && victim.Owner() == p.side:
		detail = fmt.Sprintf("%s holds a piece of the same side", written.To)
	default:
		detail = fmt.Sprintf("the %c on %s cannot move to %s", mover.Letter(), written.From, written.To)
	}
	return &rules.IllegalMoveError{Ply: ply, Move: written.String(), Legal: legal, Detail: detail}
}
