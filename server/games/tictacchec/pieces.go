package tictacchec

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	"solved/server/tables"
)

// pieces answers about a ruleset of Tic Tac Chec, from entries.
type pieces struct{ rules *tictacchec.Rules }

// asked is a question understood.
type asked struct {
	position   tictacchec.Position
	normalised bool
	value      rules.Value // once it is answered
}

// parse understands a question.
func (g pieces) parse(q api.Question) (asked, error) {
	a := asked{position: tictacchec.Start()}
	if q.Position != nil {
		position, byKey, err := tictacchec.Parse(*q.Position)
		if err != nil {
			return a, err
		}
		a.position = position
		// Only the main phase is numbered with the mover shown as White.
		a.normalised = byKey && position.Section() == rules.Main
	}
	if q.Moves != "" {
		position, _, err := g.rules.PlayMoves(a.position, q.Moves)
		if err != nil {
			return a, err
		}
		a.position = position
	}
	return a, nil
}

func (g pieces) Canonical(q api.Question) (api.Canonical, error) {
	a, err := g.parse(q)
	if err != nil {
		return api.Canonical{}, err
	}
	return api.Canonical{Position: a.position.String(), Normalised: a.normalised}, nil
}

// Evaluate evaluates a position from a table that is held.
func (g pieces) Evaluate(from *game.Reader[EntryReader], v *Evaluation, held *tables.Loaded, position tictacchec.Position) error {
	err := from.Read(held, func(e EntryReader) error { return v.Evaluate(g.rules, e, position) })
	if err == nil {
		from.Count(v.Entry.Value.String())
	}
	return err
}

// atOnce is how many questions are answered in one go: enough for their look-ups to
// overlap and for the check of the file to weigh little, few enough to do again.
const atOnce = tictacchec.MaxMoves

func (g pieces) Probe(ctx context.Context, from *game.Reader[EntryReader], questions []api.Question, _ *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	understood, good := make([]asked, len(questions)), 0
	for i, q := range questions {
		if understood[i], answers[i].Err = g.parse(q); answers[i].Err == nil {
			good++
		}
	}
	if good == 0 {
		return answers, nil // questions that make no sense are refused as such, table or no table
	}
	held, err := from.Ready()
	if err != nil {
		return nil, err
	}
	defer held.Lease.Release()
	for first := 0; first < len(questions); first += atOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(first+atOnce, len(questions))
		q, u, a := questions[first:to], understood[first:to], answers[first:to]
		if err := from.Read(held, func(e EntryReader) error { return g.answer(from.Rules, e, q, u, a) }); err != nil {
			return nil, err
		}
		for i := range a {
			if a[i].Probe != nil {
				from.Count(u[i].value.String())
			}
		}
	}
	return answers, nil
}

// answer answers at most atOnce questions, but for those that have an error already,
// and sets the values in understood.
func (g pieces) answer(id api.Rules, table EntryReader, questions []api.Question, understood []asked, answers []api.Answer) error {
	found, err := lookUp(table, questions, understood, answers)
	if err != nil {
		return err
	}
	n := 0
	for i := range questions {
		u := &understood[i]
		switch {
		case answers[i].Err != nil:
			continue
		case questions[i].ValueOnly:
			if found[n].Value == rules.Unknown {
				return fmt.Errorf("the table has no value for %s", u.position)
			}
			answer := new(api.PiecesProbe)
			g.word(answer, id, u, found[n])
			answers[i].Probe, u.value = answer, found[n].Value
			n++
		default:
			v := evaluations.Get().(*Evaluation)
			if err := v.Evaluate(g.rules, table, u.position); err != nil {
				evaluations.Put(v)
				return err
			}
			u.value = v.Entry.Value
			answer := new(api.PiecesProbe)
			g.word(answer, id, u, v.Entry)
			answer.Moves = v.wordMoves()
			answers[i].Probe = answer
			evaluations.Put(v)
		}
	}
	return nil
}

// lookUp looks up the values that are asked for alone, together.
func lookUp(table EntryReader, questions []api.Question, understood []asked, answers []api.Answer) ([]rules.Entry, error) {
	var alone []tictacchec.Position
	for i := range questions {
		if questions[i].ValueOnly && answers[i].Err == nil {
			if alone == nil {
				alone = make([]tictacchec.Position, 0, len(questions)-i)
			}
			alone = append(alone, understood[i].position)
		}
	}
	if alone == nil {
		return nil, nil
	}
	found := make([]rules.Entry, len(alone))
	return found, table.Entries(alone, found)
}

// word says in the contract's words what a position is and its entry.
func (g pieces) word(answer *api.PiecesProbe, id api.Rules, a *asked, entry rules.Entry) {
	position := a.position
	*answer = api.PiecesProbe{
		Rules:      id,
		Kind:       string(api.KindPieces),
		Position:   position.String(),
		Key:        position.Key(),
		Normalised: a.normalised,
		Reachable:  g.rules.Reachable(position),
		SideToMove: position.Side().String(),
		Board:      BoardOf(position),
		PawnDirections: api.PawnDirections{
			White: DirectionOf(position, rules.White),
			Black: DirectionOf(position, rules.Black),
		},
		Hands:    api.Hands{White: hand(position, rules.White), Black: hand(position, rules.Black)},
		Value:    entry.Value.String(),
		Distance: game.PliesOf(entry),
	}
	if winner, line, ok := position.Winner(); ok {
		name := winner.String()
		answer.Terminal, answer.Winner = true, &name
		for _, square := range line {
			answer.WinningLine = append(answer.WinningLine, square.String())
		}
	}
}

// wordMoves returns the moves in the contract's words, best first.
func (v *Evaluation) wordMoves() []api.PiecesMove {
	moves := make([]api.PiecesMove, 0, len(v.Order))
	for _, o := range v.Order {
		i := o.Index()
		move, child, entry := v.moves[i], v.children[i], v.After(i)
		wire := api.PiecesMove{
			Move:           moveName(move),
			Index:          i,
			Piece:          pieceLetters[tictacchec.PieceOf(rules.White, move.Piece.Kind())], // in upper case
			To:             move.To.String(),
			Captures:       captured(v.position, move),
			Value:          entry.Value.String(),
			Distance:       game.PliesOf(entry),
			Optimal:        o.Worth() == v.Order[0].Worth(),
			PreservesValue: entry.Value == v.Entry.Value,
			Child: api.PiecesChild{
				Position: child.String(),
				Key:      child.Key(),
				Terminal: v.entries[i] == Won, // the only loss in 0
				Value:    v.entries[i].Value.String(),
				Distance: game.PliesOf(v.entries[i]),
			},
		}
		if move.From != tictacchec.NoSquare {
			wire.From = &squareNames[move.From]
		}
		moves = append(moves, wire)
	}
	return moves
}

func (g pieces) Line(ctx context.Context, from *game.Reader[EntryReader], q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	a, err := g.parse(q)
	if err != nil {
		return nil, err
	}
	held, err := from.Ready()
	if err != nil {
		return nil, err
	}
	defer held.Lease.Release()
	v := evaluations.Get().(*Evaluation)
	defer evaluations.Put(v)
	position := a.position
	if err := g.Evaluate(from, v, held, position); err != nil {
		return nil, err
	}
	answer := &api.PiecesLine{
		Rules:      from.Rules,
		Kind:       string(api.KindPieces),
		Position:   position.String(),
		Key:        position.Key(),
		Normalised: a.normalised,
		SideToMove: position.Side().String(),
		Value:      v.Entry.Value.String(),
		Distance:   game.PliesOf(v.Entry),
		Line:       []api.PiecesStep{},
		End:        api.EndLimit,
	}
	// Where each position first stood. Positions are equal only if everything
	// is: colours, side, phase and directions.
	first := map[tictacchec.Position]int{position: 0}
	for {
		if len(v.moves) == 0 {
			answer.End = api.EndTerminal
			return answer, nil
		}
		if len(answer.Line) == maxPlies {
			return answer, nil
		}
		if err := work.Pause(ctx); err != nil {
			return nil, err
		}
		i := v.Chosen()
		move, child := v.moves[i], v.children[i]
		step := api.PiecesStep{
			Ply:      len(answer.Line) + 1,
			Move:     move.String(),
			Captures: captured(position, move),
			Position: child.String(),
			Key:      child.Key(),
			Value:    v.entries[i].Value.String(),
			Distance: game.PliesOf(v.entries[i]),
		}
		answer.Line = append(answer.Line, step)
		position = child
		if ply, again := first[position]; again {
			answer.End, answer.CycleStart = api.EndCycle, &ply
			return answer, nil
		}
		first[position] = step.Ply
		if err := g.Evaluate(from, v, held, position); err != nil {
			return nil, err
		}
	}
}

// moveName is a move as Move.String writes it.
func moveName(m tictacchec.Move) string {
	if m.From == tictacchec.NoSquare {
		return moveNames[tictacchec.Squares+int(m.Piece.Kind())][m.To]
	}
	return moveNames[m.From][m.To]
}

// BoardOf is the board of a position.
func BoardOf(p tictacchec.Position) api.Board {
	const side = 4 // squares
	squares := make([]*string, tictacchec.Squares)
	for piece := range tictacchec.Piece(tictacchec.Pieces) {
		if at, ok := p.SquareOf(piece); ok {
			squares[at] = &pieceLetters[piece]
		}
	}
	return api.Board{Shape: api.ShapeGrid, Files: side, Ranks: side, Squares: squares}
}

// DirectionOf says which way a player's pawn travels, nil while it is in hand.
func DirectionOf(p tictacchec.Position, player rules.Player) *string {
	switch {
	case !p.On(tictacchec.PieceOf(player, tictacchec.Pawn)):
		return nil
	case p.PawnUp(player):
		return new(api.DirectionUp)
	}
	return new(api.DirectionDown)
}

// hand lists the pieces that a player holds, in the player's case.
func hand(p tictacchec.Position, player rules.Player) string {
	var letters [tictacchec.Kinds]byte
	n := 0
	for kind := range tictacchec.Kind(tictacchec.Kinds) {
		if piece := tictacchec.PieceOf(player, kind); !p.On(piece) {
			letters[n] = piece.Letter()
			n++
		}
	}
	return string(letters[:n])
}

// captured returns the letter of the piece that a move captures, nil for none.
func captured(p tictacchec.Position, m tictacchec.Move) *string {
	piece, ok := p.Captured(m)
	if !ok {
		return nil
	}
	return &pieceLetters[piece]
}

// What answers point to instead of to copies of their own. Nothing writes to it.
var (
	squareNames = func() (names [tictacchec.Squares]string) {
		for i := range names {
			names[i] = tictacchec.Square(i).String()
		}
		return names
	}()
	// moveNames are by the source and target, and placements by Squares and the kind.
	moveNames = func() (names [tictacchec.Squares + tictacchec.Kinds][tictacchec.Squares]string) {
		for to := range tictacchec.Square(tictacchec.Squares) {
			for from := range tictacchec.Square(tictacchec.Squares) {
				names[from][to] = tictacchec.Move{From: from, To: to}.String()
			}
			for kind := range tictacchec.Kind(tictacchec.Kinds) {
				placed := tictacchec.Move{Piece: tictacchec.PieceOf(rules.White, kind), From: tictacchec.NoSquare, To: to}
				names[tictacchec.Squares+int(kind)][to] = placed.String()
			}
		}
		return names
	}()
	pieceLetters = func() (letters [tictacchec.Pieces]string) {
		for i := range letters {
			letters[i] = string(tictacchec.Piece(i).Letter())
		}
		return letters
	}()
)

// piecesText writes a probe for people.
func piecesText(g rules.Game, probe api.Probe) string {
	p := probe.(*api.PiecesProbe)
	var b strings.Builder
	game.WritePosition(&b, g, p.Rules, p.Position, p.Key, p.Normalised)
	if !p.Reachable {
		b.WriteString("No game can come to this position.\n")
	}
	switch {
	case p.Terminal:
		fmt.Fprintf(&b, "The game is over: %s owns the line %s.\n", game.Name(*p.Winner), strings.Join(p.WinningLine, " "))
		return b.String()
	default:
		fmt.Fprintf(&b, "%s for %s.\n\n", game.Verdict(p.Value, p.Distance), game.Name(p.SideToMove))
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range p.Moves {
		mark, captures := " ", ""
		if m.Optimal {
			mark = "*"
		}
		if m.Captures != nil {
			captures = "takes " + *m.Captures
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\n", mark, m.Move, game.Verdict(m.Value, m.Distance), m.Child.Position, captures)
	}
	w.Flush()
	return game.TrimLines(b.String())
}

// piecesLineText writes a line of play for people.
func piecesLineText(g rules.Game, line api.Line) string {
	l := line.(*api.PiecesLine)
	var b strings.Builder
	game.WritePosition(&b, g, l.Rules, l.Position, l.Key, l.Normalised)
	fmt.Fprintf(&b, "%s for %s.\n\n", game.Verdict(l.Value, l.Distance), game.Name(l.SideToMove))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range l.Line {
		captures := ""
		if s.Captures != nil {
			captures = "takes " + *s.Captures
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, captures)
	}
	w.Flush()
	if l.CycleStart != nil {
		fmt.Fprintf(&b, "\nThe position of ply %d repeats, and the line goes on so for ever.\n", *l.CycleStart)
	} else {
		game.WriteEnd(&b, l.End)
	}
	return game.TrimLines(b.String())
}
