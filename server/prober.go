package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
)

// prober answers the contract's questions for one ruleset from whatever table
// it holds at the time.
type prober struct {
	rules    *tictacchec.Rules
	id       api.Rules
	ruleset  api.Ruleset // without the table
	examples []api.Example
	// probes count the positions answered, by value; nil where nobody counts.
	probes [values]prometheus.Counter
	// table is nil when none is configured.
	table atomic.Pointer[loadedTable]

	// spare, if not nil, gives a table to fall back on when reading the
	// configured one fails. faulted, if not nil, is told of the failure.
	spare    func() (*loadedTable, error)
	faulted  func(error)
	changing sync.Mutex // held while another table takes the place of this one
}

// loadedTable is a table as a prober holds it. It is not changed any more once
// it is there; a change of state is a new one.
type loadedTable struct {
	// entries is nil until the table is verified.
	entries entries
	// lease keeps what the entries come from open; nil if that cannot be closed.
	lease *lease
	// intact, if not nil, returns an error when the file has changed since it was
	// opened, so that what was just read may not be what was verified.
	intact func() error
	// size is how many bytes the table has, mapping the file that they are mapped
	// from, nil if they are not, and verifying how long verifying them took.
	size      int64
	mapping   *os.File
	verifying time.Duration
	wire      api.Table
	// instead describes the configured table that this one stands in for.
	instead *api.Table
	state   string // one of api's states
	reason  string // of a state that is not ready
}

// values is how many values of type rules.Value there are, rules.Unknown included.
const values = int(rules.Draw) + 1

func newProber(r *tictacchec.Rules) *prober {
	id := api.Rules{Name: r.Ruleset().Name, Tag: r.Ruleset().Tag.String()}
	return &prober{
		rules: r,
		id:    id,
		ruleset: api.Ruleset{Name: id.Name, Tag: id.Tag, Game: gameName, Title: r.Title(), Summary: r.Summary(),
			Start: tictacchec.Start().String()},
		examples: examples(r),
	}
}

// Ruleset describes the ruleset and its table.
func (p *prober) Ruleset() api.Ruleset {
	r := p.ruleset
	if t := p.table.Load(); t != nil {
		wire := t.wire
		r.Table = &wire
	}
	return r
}

// Examples names a few positions.
func (p *prober) Examples() []api.Example { return p.examples }

// asked is a question understood.
type asked struct {
	position   tictacchec.Position
	normalised bool
	value      rules.Value // once it is answered
}

// parse understands a question.
func (p *prober) parse(q api.Question) (asked, error) {
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
		position, _, err := p.rules.PlayList(a.position, q.Moves)
		if err != nil {
			return a, err
		}
		a.position = position
	}
	return a, nil
}

// Canonical names the position asked about.
func (p *prober) Canonical(q api.Question) (api.Canonical, error) {
	a, err := p.parse(q)
	if err != nil {
		return api.Canonical{}, err
	}
	return api.Canonical{Position: a.position.String(), Normalised: a.normalised}, nil
}

// hold returns the table that is there now, and keeps it open until its lease is
// released; nil when none is configured.
func (p *prober) hold() *loadedTable {
	for {
		t := p.table.Load()
		if t == nil || t.lease.acquire() {
			return t
		}
		// Another has taken its place since it was loaded.
	}
}

// replace puts a table in place of the one that is there now, which is closed
// when its last reader is done, and returned.
func (p *prober) replace(t *loadedTable) (old *loadedTable) {
	p.changing.Lock()
	old = p.table.Swap(t)
	p.changing.Unlock()
	if old != nil {
		old.lease.retire()
	}
	return old
}

// ready returns the table to answer from and holds it, so that whoever asks has
// to release it.
func (p *prober) ready() (*loadedTable, error) {
	t := p.hold()
	switch {
	case t == nil:
		return nil, api.ErrNoTable
	case t.entries == nil:
		t.lease.release()
		return nil, api.ErrUnavailable
	}
	return t, nil
}

// read lets f read a table that is held, and returns the errors of the contract:
// the question is good by now, so whatever goes wrong is the table's doing. Then the
// table that has come instead is read, or else the spare one, now and from now on:
// f may be called more than once, and only the last time counts.
func (p *prober) read(table *loadedTable, f func(entries) error) error {
	err := table.read(f)
	for err != nil {
		next := p.fallBack(table, err)
		if next == nil {
			return fmt.Errorf("%w: %w", api.ErrUnavailable, err)
		}
		err = next.read(f)
		next.lease.release()
		table = next
	}
	return nil
}

// read lets f read the table. What it has found is what was verified, unless there
// is an error.
func (t *loadedTable) read(f func(entries) error) error {
	if err := f(t.entries); err != nil {
		return err
	}
	if t.intact == nil {
		return nil
	}
	// Asked after the reads: a file that is whole now was so before. A read behind
	// the end of a file that was cut short need not fail, as the system pads the
	// last page with zeros.
	return t.intact()
}

// evaluate evaluates a position from a table that is held.
func (p *prober) evaluate(v *evaluation, table *loadedTable, position tictacchec.Position) error {
	err := p.read(table, func(e entries) error { return v.evaluate(p.rules, e, position) })
	if err == nil {
		p.count(v.entry.Value)
	}
	return err
}

// count counts a position answered.
func (p *prober) count(v rules.Value) {
	if c := p.probes[v]; c != nil {
		c.Inc()
	}
}

// fallBack returns what answers now in place of a table whose reading has failed,
// and holds it; nil if there is nothing. If no other has come meanwhile, that is
// the spare one.
func (p *prober) fallBack(failed *loadedTable, cause error) *loadedTable {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.table.Load() != failed { // somebody was faster
		now := p.hold()
		if now != nil && now.entries == nil {
			now.lease.release()
			return nil
		}
		return now
	}
	if p.faulted != nil {
		p.faulted(cause)
	}
	if p.spare == nil || failed.instead != nil {
		return nil
	}
	spare, err := p.spare()
	if err != nil {
		return nil
	}
	spare.state, spare.reason = api.StateDegraded, "Reading the table failed; the embedded one answers."
	spare.instead = &failed.wire
	p.table.Store(spare)
	failed.lease.retire()
	spare.lease.acquire()
	return spare
}

// check falls back if the table that is there now is not what was verified any
// more, without waiting for somebody to ask.
func (p *prober) check() {
	now := p.hold()
	if now == nil {
		return
	}
	defer now.lease.release()
	if now.intact == nil {
		return
	}
	if err := now.intact(); err != nil {
		if next := p.fallBack(now, err); next != nil {
			next.lease.release()
		}
	}
}

// atOnce is how many questions are answered in one go: enough for their look-ups to
// overlap and for the check of the file to weigh little, few enough to do again.
const atOnce = tictacchec.MaxMoves

// Probe answers questions.
func (p *prober) Probe(ctx context.Context, questions []api.Question) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	understood, good := make([]asked, len(questions)), 0
	for i, q := range questions {
		if understood[i], answers[i].Err = p.parse(q); answers[i].Err == nil {
			good++
		}
	}
	if good == 0 {
		return answers, nil // questions that make no sense are refused as such, table or no table
	}
	table, err := p.ready()
	if err != nil {
		return nil, err
	}
	defer table.lease.release()
	for from := 0; from < len(questions); from += atOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+atOnce, len(questions))
		q, u, a := questions[from:to], understood[from:to], answers[from:to]
		if err := p.read(table, func(e entries) error { return p.answer(e, q, u, a) }); err != nil {
			return nil, err
		}
		for i := range a {
			if a[i].Probe != nil {
				p.count(u[i].value)
			}
		}
	}
	return answers, nil
}

// answer answers at most atOnce questions, but for those that have an error already,
// and sets the values in understood.
func (p *prober) answer(table entries, questions []api.Question, understood []asked, answers []api.Answer) error {
	found, err := lookUp(table, questions, understood, answers)
	if err != nil {
		return err
	}
	n := 0
	var words texts
	words.Grow(len(found) * textsPerMove)
	for i := range questions {
		u := &understood[i]
		switch {
		case answers[i].Err != nil:
			continue
		case questions[i].ValueOnly:
			if found[n].Value == rules.Unknown {
				return fmt.Errorf("the table has no value for %s", u.position)
			}
			answers[i].Probe, u.value = p.word(&words, u, found[n]), found[n].Value
			n++
		default:
			v := evaluations.Get().(*evaluation)
			err := v.evaluate(p.rules, table, u.position)
			if err == nil {
				words.Grow((1 + len(v.order)) * textsPerMove)
				answers[i].Probe, u.value = p.word(&words, u, v.entry), v.entry.Value
				answers[i].Probe.Moves = v.wordMoves(&words)
			}
			evaluations.Put(v)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lookUp looks up the values that are asked for alone, together.
func lookUp(table entries, questions []api.Question, understood []asked, answers []api.Answer) ([]rules.Entry, error) {
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
func (p *prober) word(words *texts, a *asked, entry rules.Entry) *api.Probe {
	position := a.position
	answer := &api.Probe{
		Rules:      p.id,
		Position:   words.position(position),
		Key:        words.key(position),
		Normalised: a.normalised,
		SideToMove: position.Side().String(),
		Hands:      api.Hands{White: hand(position, rules.White), Black: hand(position, rules.Black)},
		Value:      entry.Value.String(),
		Distance:   pliesOf(entry),
	}
	if winner, line, ok := position.Winner(); ok {
		name := winner.String()
		answer.Terminal, answer.Winner = true, &name
		for _, square := range line {
			answer.WinningLine = append(answer.WinningLine, square.String())
		}
	}
	return answer
}

// wordMoves says what the moves are, best first.
func (v *evaluation) wordMoves(words *texts) []api.Move {
	moves := make([]api.Move, 0, len(v.order))
	for _, o := range v.order {
		i := o.index()
		move, child, entry := v.moves[i], v.children[i], v.after(i)
		wire := api.Move{
			Move:           words.move(move),
			Index:          i,
			Piece:          string(move.Piece.Kind().Letter()),
			To:             move.To.String(),
			Captures:       captured(v.position, move),
			Value:          entry.Value.String(),
			Distance:       pliesOf(entry),
			Optimal:        o.worth() == v.order[0].worth(),
			PreservesValue: entry.Value == v.entry.Value,
			Child: api.Child{
				Position: words.position(child),
				Key:      words.key(child),
				Terminal: child.Terminal(),
				Value:    v.entries[i].Value.String(),
				Distance: pliesOf(v.entries[i]),
			},
		}
		if move.From != tictacchec.NoSquare {
			wire.From = &squareNames[move.From]
		}
		moves = append(moves, wire)
	}
	return moves
}

// one answers a single question.
func (p *prober) one(ctx context.Context, q api.Question) (*api.Probe, error) {
	answers, err := p.Probe(ctx, []api.Question{q})
	if err != nil {
		return nil, err
	}
	return answers[0].Probe, answers[0].Err
}

// Line answers with a line of optimal play.
func (p *prober) Line(ctx context.Context, q api.Question, maxPlies int) (*api.Line, error) {
	a, err := p.parse(q)
	if err != nil {
		return nil, err
	}
	table, err := p.ready()
	if err != nil {
		return nil, err
	}
	defer table.lease.release()
	v := evaluations.Get().(*evaluation)
	defer evaluations.Put(v)
	position := a.position
	if err := p.evaluate(v, table, position); err != nil {
		return nil, err
	}
	answer := &api.Line{
		Rules:      p.id,
		Position:   position.String(),
		Key:        position.Key(),
		Normalised: a.normalised,
		SideToMove: position.Side().String(),
		Value:      v.entry.Value.String(),
		Distance:   pliesOf(v.entry),
		Line:       []api.Step{},
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
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := v.chosen()
		move, child := v.moves[i], v.children[i]
		step := api.Step{
			Ply:      len(answer.Line) + 1,
			Move:     move.String(),
			Captures: captured(position, move),
			Position: child.String(),
			Key:      child.Key(),
			Value:    v.entries[i].Value.String(),
			Distance: pliesOf(v.entries[i]),
		}
		answer.Line = append(answer.Line, step)
		position = child
		if ply, again := first[position]; again {
			answer.End, answer.CycleStart = api.EndCycle, &ply
			return answer, nil
		}
		first[position] = step.Ply
		if err := p.evaluate(v, table, position); err != nil {
			return nil, err
		}
	}
}

// texts holds the texts of an answer one after the other in one piece of memory:
// each is a part of what has been written so far, which never changes.
type texts struct{ strings.Builder }

// textsPerMove is the room, in bytes, that the texts about a move or a position
// take: a position string, a key and a move.
const textsPerMove = 48

func (t *texts) add(b []byte) string {
	from := t.Len()
	t.Write(b)
	return t.String()[from:]
}

func (t *texts) position(p tictacchec.Position) string {
	var b [32]byte
	return t.add(p.AppendString(b[:0]))
}

func (t *texts) key(p tictacchec.Position) string {
	var b [32]byte
	return t.add(p.AppendKey(b[:0]))
}

func (t *texts) move(m tictacchec.Move) string {
	var b [8]byte
	return t.add(m.AppendString(b[:0]))
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

// pliesOf returns the distance of an entry, nil for a draw.
func pliesOf(e rules.Entry) *int {
	if e.Value == rules.Draw {
		return nil
	}
	return &distances[e.Distance]
}

// What answers point to instead of to copies of their own. Nothing writes to it.
var (
	squareNames = func() (names [tictacchec.Squares]string) {
		for i := range names {
			names[i] = tictacchec.Square(i).String()
		}
		return names
	}()
	pieceLetters = func() (letters [tictacchec.Pieces]string) {
		for i := range letters {
			letters[i] = string(tictacchec.Piece(i).Letter())
		}
		return letters
	}()
	distances = func() (plies [rules.MaxDistance + 2]int) { // a move's is one more than its child's
		for i := range plies {
			plies[i] = i
		}
		return plies
	}()
)
