package api

// Board is a position as a client draws it, without reading the position string: what
// stands on each square. It has one form for all games that have a board.
type Board struct {
	Shape string `json:"shape" enum:"grid,strip,ring" doc:"How the squares lie, and what moves call them. A grid has files a, b, … from the left and ranks 1, 2, … from below, as in b2. A strip is one rank of cells that are called by their numbers, from 1. A ring is a strip whose last cell is next to the first."`
	Files int    `json:"files" doc:"How many squares a rank has." example:"4"`
	Ranks int    `json:"ranks" doc:"How many ranks there are." example:"4"`
	// Squares has Files·Ranks entries; nil is an empty square.
	Squares []*string `json:"squares" nullable:"false" doc:"What stands on each square: null for nothing, else the letter that position strings use. The square of file f and rank r, both from 0, is entry files·r + f; so entry 0 is a1, or cell 1."`
}

// The values of Board.Shape.
const (
	ShapeGrid  = "grid"
	ShapeStrip = "strip"
	ShapeRing  = "ring"
)

// MaxBoard is the greatest number of squares that an answer shows, of all boards of a
// position together.
const MaxBoard = 100

// PawnDirections says which way the pawns travel.
type PawnDirections struct {
	White *string `json:"white" enum:"up,down" doc:"Up is toward the highest rank; null while the pawn is in hand."`
	Black *string `json:"black" enum:"up,down" doc:"As for White."`
}

// The values of PawnDirections.
const (
	DirectionUp   = "up"
	DirectionDown = "down"
)
