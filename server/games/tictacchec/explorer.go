package tictacchec

import (
	"context"
	"fmt"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
)

// The published explorer's own contract names positions by paths: the places, in
// the published order, of the moves that lead there from the start.

// Explorer answers in the published explorer's contract, too.
type Explorer struct {
	game.Prober
	Rules *tictacchec.Rules
}

// Follow checks that a path can be played.
func (p Explorer) Follow(path []int) error {
	_, _, err := p.follow(path)
	return err
}

// follow plays a path, and returns the position at its end and the moves.
func (p Explorer) follow(path []int) (tictacchec.Position, []tictacchec.Move, error) {
	position := tictacchec.Start()
	history := make([]tictacchec.Move, 0, len(path))
	var space [tictacchec.MaxMoves]tictacchec.Move
	for ply, index := range path {
		moves := p.Rules.Moves(position, space[:0])
		switch {
		case len(moves) == 0:
			return position, nil, &api.PathError{Detail: fmt.Sprintf("The game is over after %d moves, but the path has %d.", ply, len(path))}
		case index < 0 || index >= len(moves):
			return position, nil, &api.PathError{Detail: fmt.Sprintf("Move %d of the path is out of range: there are %d moves there, numbered from 0.", ply+1, len(moves))}
		}
		history = append(history, moves[index])
		position = p.Rules.Play(position, moves[index])
	}
	return position, history, nil
}

// Explore answers for the position at the end of a path. It says in other words
// what Probe says, so the two cannot disagree.
func (p Explorer) Explore(ctx context.Context, path []int) (*api.Explored, error) {
	position, history, err := p.follow(path)
	if err != nil {
		return nil, err
	}
	text := position.String()
	probe, err := game.ProbeOne(ctx, p.Prober, api.Question{Position: &text})
	if err != nil {
		return nil, err
	}
	answer := Explored(position, probe.(*api.PiecesProbe))
	for _, m := range history {
		answer.History = append(answer.History, m.String())
	}
	return answer, nil
}

// Explored is a probe in the words of the published explorer, without a history.
func Explored(position tictacchec.Position, probe *api.PiecesProbe) *api.Explored {
	answer := &api.Explored{
		Position:   probe.Key,
		SideToMove: game.Name(probe.SideToMove),
		Value:      game.Name(probe.Value),
		Distance:   probe.Distance,
		Board:      make([]*api.PlacedPiece, tictacchec.Squares),
		Hands:      api.HeldPieces{White: held(position, rules.White), Black: held(position, rules.Black)},
		History:    []string{},
		Moves:      make([]api.ExploredMove, len(probe.Moves)),
	}
	for square := range answer.Board {
		if piece, ok := position.At(tictacchec.Square(square)); ok {
			answer.Board[square] = placed(position, piece)
		}
	}
	for i := range probe.Moves {
		m := &probe.Moves[i] // best first there
		answer.Moves[m.Index] = api.ExploredMove{
			Index:           m.Index,
			Notation:        m.Move,
			Child:           m.Child.Key,
			Result:          game.Name(m.Value),
			Distance:        m.Distance,
			PreservesResult: m.PreservesValue,
			Optimal:         m.Optimal,
		}
	}
	return answer
}

func placed(position tictacchec.Position, piece tictacchec.Piece) *api.PlacedPiece {
	p := &api.PlacedPiece{
		Color:  game.Name(piece.Owner().String()),
		Piece:  kindName(piece.Kind()),
		Symbol: string(piece.Kind().Letter()),
	}
	if piece.Kind() == tictacchec.Pawn {
		direction := "down"
		if position.PawnUp(piece.Owner()) {
			direction = "up"
		}
		p.Direction = &direction
	}
	return p
}

// held names the pieces that a player holds.
func held(position tictacchec.Position, player rules.Player) []string {
	names := []string{}
	for _, kind := range position.Hand(player) {
		names = append(names, kindName(kind))
	}
	return names
}

func kindName(kind tictacchec.Kind) string {
	return [tictacchec.Kinds]string{"Pawn", "Knight", "Bishop", "Rook"}[kind]
}
