package main

import (
	"context"
	"strings"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/inversetreblecross"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	inversetreblecrossgame "solved/server/games/inversetreblecross"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	tictactoegame "solved/server/games/tictactoe"
)

// drawn is a board as text: the ranks from the highest, a dot for an empty square.
func drawn(t *testing.T, b api.Board) string {
	t.Helper()
	if len(b.Squares) != b.Files*b.Ranks {
		t.Fatalf("%d squares in %d files and %d ranks", len(b.Squares), b.Files, b.Ranks)
	}
	ranks := make([]string, b.Ranks)
	for i, s := range b.Squares {
		letter := "."
		if s != nil {
			letter = *s
		}
		ranks[b.Ranks-1-i/b.Files] += letter
	}
	return strings.Join(ranks, "/")
}

// spread replaces each number in a position string by as many dots.
func spread(text string) string {
	var b strings.Builder
	n := 0
	for _, c := range text + "|" {
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
			continue
		}
		b.WriteString(strings.Repeat(".", n))
		b.WriteRune(c)
		n = 0
	}
	return strings.TrimSuffix(b.String(), "|")
}

// TestBoards checks the boards against the position strings, and the pawns' directions.
func TestBoards(t *testing.T) {
	positions := append(randomMain(500), tictacchec.Start())
	for _, p := range positions {
		fields := strings.Fields(p.String())
		if board := tictacchecgame.BoardOf(p); board.Shape != api.ShapeGrid || drawn(t, board) != spread(fields[0]) {
			t.Errorf("%s is drawn as %s, a %s", p, drawn(t, board), board.Shape)
		}
		for i, player := range []rules.Player{rules.White, rules.Black} {
			want := map[byte]string{'u': "up", 'd': "down", '-': ""}[fields[2][i]]
			got := ""
			if d := tictacchecgame.DirectionOf(p, player); d != nil {
				got = *d
			}
			if got != want {
				t.Errorf("%s: the pawn of %s travels %q, want %q", p, player, got, want)
			}
		}
	}
	for _, text := range []string{".../.../...", "X../.O./..X", "XO./OX./..X", "OXO/XXO/XOX"} {
		p, err := tictactoe.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if board := tictactoegame.MarksBoard(p); board.Shape != api.ShapeGrid || drawn(t, board) != text {
			t.Errorf("%s is drawn as %s, a %s", p, drawn(t, board), board.Shape)
		}
	}
	for _, r := range inversetreblecross.Rulesets() {
		for _, text := range []string{"0", "1", "12", "X", "4X5", "X3X", "1X2XX1X", "49X50"} {
			p, err := r.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			shape := map[bool]string{false: api.ShapeStrip, true: api.ShapeRing}[r.Ring()]
			if board := inversetreblecrossgame.TreblecrossBoard(p.(inversetreblecross.Position)); board == nil || board.Shape != shape || board.Ranks != 1 || drawn(t, *board) != spread(text) {
				t.Errorf("%s of %s is drawn as %+v", p, r.About().Name, board)
			}
		}
		for _, text := range []string{"101", "50X50", "9223372036854775807"} {
			if p, err := r.Parse(text); err == nil && inversetreblecrossgame.TreblecrossBoard(p.(inversetreblecross.Position)) != nil {
				t.Errorf("%s of %s is drawn", text, r.About().Name)
			}
		}
	}
}

// TestBoardOfMoves checks that the squares that moves name are those of the board: a move
// goes from a piece of the mover's to where the captured piece stands, or nothing.
func TestBoardOfMoves(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	prober := tictacchectest.ProberOn(r, tictacchectest.DrawnEntries{})
	for _, p := range randomMain(100) {
		answer, err := tictacchectest.Probe(context.Background(), prober, api.Question{Position: new(p.String())})
		if err != nil {
			t.Fatal(err)
		}
		on := func(square string) string {
			file, rank := int(square[0]-'a'), int(square[1]-'1')
			if s := answer.Board.Squares[answer.Board.Files*rank+file]; s != nil {
				return *s
			}
			return ""
		}
		for _, m := range answer.Moves {
			captured := ""
			if m.Captures != nil {
				captured = *m.Captures
			}
			if on(m.To) != captured || m.From != nil && strings.ToUpper(on(*m.From)) != m.Piece {
				t.Errorf("%s of %s: %q captured on %q", m.Move, answer.Position, captured, on(m.To))
			}
		}
	}
}
