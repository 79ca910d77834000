package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"solved/api"
	"solved/rules"
	"solved/server/flags"
	"solved/server/game"
)

// Who plays what, as --you says it.
const (
	youFirst  = "first"
	youSecond = "second"
	youBoth   = "both"
	youNone   = "none"
)

// longestShow is how many moves perfect play against itself goes on for at most.
const longestShow = 1000

func playCommand(games game.List) *cobra.Command {
	var table, you string
	var anyDigest bool
	var seed uint64
	c := &cobra.Command{
		Use:   "play RULES [POSITION]",
		Short: "Play a game in the terminal against perfect play",
		Long: `Play a game in the terminal against perfect play, from the start or from POSITION.

Type a move as it is written in the contract, or one of

  moves   list the legal moves
  hint    what the position is worth, and every move with its value
  undo    take back your last move, and what was answered to it
  new     begin again
  help    this list
  quit    end (so does the end of the input)

--you says which side is yours: first (the one to move), second, both, or none, and
then perfect play plays on to the end of the game, until a position returns that no
dice can lead out of, or for 1000 moves. Dice are thrown by the program; --seed throws them as another time.`,
		Example: `  solved play tic-tac-chec
  solved play pig --you second
  solved play nim 3,5,7,9`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return arguments(1, false)(c, args)
		},
		ValidArgsFunction: completeRules(games, false),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains([]string{youFirst, youSecond, youBoth, youNone}, you) {
				return &flags.UsageError{Err: fmt.Errorf("--you is %s, %s, %s or %s", youFirst, youSecond, youBoth, youNone), Command: c.CommandPath()}
			}
			g, err := games.Find(args[0])
			if err != nil {
				return err
			}
			start := g.Start()
			if len(args) == 2 {
				if start, err = g.Parse(args[1]); err != nil {
					return err
				}
			}
			p, done, err := answering(c.Context(), g, table, anyDigest, c.ErrOrStderr())
			if err != nil {
				return err
			}
			if !c.Flags().Changed("seed") {
				seed = rand.Uint64()
			}
			m := &Match{
				Prober: p,
				Yours:  [2]bool{you == youFirst || you == youBoth, you == youSecond || you == youBoth},
				Dice:   rand.New(rand.NewPCG(seed, 0)),
				In:     bufio.NewScanner(TextInput(c.InOrStdin())), Out: c.OutOrStdout(),
				Turns: []Turn{{Position: start}},
			}
			return errors.Join(m.Play(c.Context()), done())
		},
	}
	anyDigestFlag(c, &anyDigest)
	c.Flags().StringVar(&table, "table", "", "play from this table `file`, verified first, instead of the embedded table")
	c.Flags().StringVar(&you, "you", youFirst, "your `side`: first, second, both or none")
	c.Flags().Uint64Var(&seed, "seed", 0, "throw the dice that this `number` stands for (default: others each time)")
	return c
}

// Turn is a position of a match, and the side to move there: 0 for the first.
type Turn struct {
	Position rules.Position
	Side     int
}

// Match is a game that is being played.
type Match struct {
	Prober game.Prober
	Yours  [2]bool
	Dice   *rand.Rand
	In     *bufio.Scanner
	Out    io.Writer
	Turns  []Turn // the last is now
}

func (m *Match) Now() Turn { return m.Turns[len(m.Turns)-1] }

func (m *Match) say(format string, args ...any) { fmt.Fprintf(m.Out, format+"\n", args...) }

// errQuit says that the player has had enough.
var errQuit = errors.New("quit")

// Play plays to the end of the game, or of the input.
func (m *Match) Play(ctx context.Context) error {
	m.say("%s. Type help for what you can type.\n", game.DescribeAbout(m.Prober.Game().About()))
	m.show()
	for {
		over, err := m.over()
		switch {
		case err != nil:
			return err
		case over && !m.Yours[0] && !m.Yours[1]:
			return nil
		case over || m.Yours[m.Now().Side]:
			err = m.ask(ctx, over)
		default:
			err = m.answer(ctx)
		}
		if errors.Is(err, errQuit) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// show draws the position and says whose turn it is, unless it is over.
func (m *Match) show() {
	t := m.Now()
	fmt.Fprint(m.Out, t.Position.Diagram())
	switch {
	case t.Position.Result() != rules.Unknown:
	case m.Yours[0] == m.Yours[1]:
		m.say("It is the %s side's turn.", sideName(t.Side))
	case m.Yours[t.Side]:
		m.say("It is your turn.")
	default:
		m.say("It is the turn of perfect play.")
	}
}

// over says whether the game is over, and tells how it ended when it has just done so.
// Perfect play against itself is over also when it leads nowhere.
func (m *Match) over() (bool, error) {
	t := m.Now()
	if result := t.Position.Result(); result != rules.Unknown {
		switch {
		case result == rules.Draw:
			m.say("The game is over: a draw.")
		case m.Yours[0] == m.Yours[1]: // nobody is you
			m.say("The game is over: the %s side has won.", sideName(winner(t.Side, result)))
		case m.Yours[winner(t.Side, result)]:
			m.say("The game is over: you have won.")
		default:
			m.say("The game is over: you have lost.")
		}
		return true, nil
	}
	if m.Yours[0] || m.Yours[1] {
		return false, nil
	}
	if len(m.Turns) > longestShow {
		m.say("Those were %d moves; it goes on.", longestShow)
		return true, nil
	}
	if _, stochastic := t.Position.(rules.Stochastic); stochastic {
		return false, nil // the dice will not fall so again and again
	}
	for ply, before := range m.Turns[:len(m.Turns)-1] {
		if before.Side == t.Side && before.Position.String() == t.Position.String() {
			m.say("The position of ply %d has returned; so it goes on.", ply)
			return true, nil
		}
	}
	return false, nil
}

// winner is who has won when the game ended so for a side.
func winner(side int, result rules.Value) int {
	if result == rules.Win {
		return side
	}
	return 1 - side
}

func sideName(side int) string { return [...]string{youFirst, youSecond}[side] }

// ask asks the player what to do, until that changes the position.
func (m *Match) ask(ctx context.Context, over bool) error {
	for {
		fmt.Fprint(m.Out, "> ")
		more := m.In.Scan()
		if ctx.Err() != nil {
			m.say("")
			return context.Cause(ctx) // a line that was typed ahead is not played
		}
		if !more {
			m.say("")
			if err := m.In.Err(); err != nil {
				return fmt.Errorf("reading what was typed: %w", err)
			}
			return errQuit
		}
		switch typed := strings.TrimSpace(m.In.Text()); typed {
		case "":
		case "quit", "exit":
			return errQuit
		case "help":
			m.say("a move, such as %s; or: moves, hint, undo, new, quit", m.exampleMove())
		case "moves":
			m.list()
		case "hint":
			if err := m.hint(ctx); err != nil {
				return err
			}
		case "undo":
			if m.undo() {
				m.show()
				return nil
			}
			m.say("There is no move of yours to take back.")
		case "new":
			m.Turns = m.Turns[:1]
			m.show()
			return nil
		default:
			if over {
				m.say("The game is over. Type undo, new or quit.")
				continue
			}
			if err := m.move(typed); err != nil {
				m.say("%s", m.notPlayed(typed, err))
				continue
			}
			return nil
		}
	}
}

// exampleMove is the first legal move of the start, so that the game may be over.
func (m *Match) exampleMove() string {
	for move := range m.Prober.Game().Start().Moves() {
		return move
	}
	return ""
}

// list lists the legal moves, up to as many as a screen holds.
func (m *Match) list() {
	const most = 200
	var moves []string
	for move := range m.Now().Position.Moves() {
		if len(moves) == most {
			move = "…"
		}
		if moves = append(moves, move); len(moves) > most {
			break
		}
	}
	if len(moves) == 0 {
		m.say("There are none: the game is over.")
		return
	}
	m.say("%s", strings.Join(moves, " "))
}

// Probe asks what the position is worth.
func (m *Match) Probe(ctx context.Context) (api.Probe, error) {
	text := m.Now().Position.String()
	return game.ProbeOne(ctx, m.Prober, api.Question{Position: &text})
}

// hint tells what the position is worth.
func (m *Match) hint(ctx context.Context) error {
	if m.Now().Position.Result() != rules.Unknown {
		m.say("The game is over.")
		return nil
	}
	answer, err := m.Probe(ctx)
	var beyond *rules.BeyondBoundError
	if errors.As(err, &beyond) {
		m.say("%s", message(err))
		return nil
	}
	if err == nil {
		fmt.Fprint(m.Out, m.Prober.Game().ProbeText(answer))
	}
	return err
}

// undo takes back the moves down to the last one of the player, and says whether there
// is one.
func (m *Match) undo() bool {
	for i := len(m.Turns) - 2; i >= 0; i-- {
		if m.Yours[m.Turns[i].Side] {
			m.Turns = m.Turns[:i+1]
			return true
		}
	}
	return false
}

// move makes a move. What is left to chance is decided here.
func (m *Match) move(typed string) error {
	now := m.Now()
	move := typed
	if game, ok := now.Position.(rules.Stochastic); ok {
		if outcomes := game.Outcomes(typed); len(outcomes) > 0 {
			move = outcomes[m.Dice.IntN(len(outcomes))]
			m.say("%s: %s", typed, move)
		} else if m.claimsOutcome(game, typed) {
			return fmt.Errorf("the program throws the dice: type the move without what comes of it")
		}
	}
	next, passes, err := now.Position.Play(move)
	if err != nil {
		return err
	}
	side := now.Side
	if passes {
		side = 1 - side
	}
	m.Turns = append(m.Turns, Turn{next, side})
	m.show()
	return nil
}

// fewMoves is how many legal moves are told at most to who has typed an illegal one.
const fewMoves = 20

// notPlayed says why what was typed is not played. There is no list of moves here, and no
// ply, of which the contract speaks.
func (m *Match) notPlayed(typed string, err error) string {
	var malformed *rules.MalformedMoveError
	var illegal *rules.IllegalMoveError
	switch {
	case errors.As(err, &malformed):
		why := malformed.Detail
		if malformed.Offset > 0 {
			why = fmt.Sprintf("at byte %d, %s", malformed.Offset, why)
		}
		if _, stochastic := m.Now().Position.(rules.Stochastic); stochastic {
			why = fmt.Sprintf("the moves are %s", strings.Join(slices.Collect(m.Now().Position.Moves()), " and "))
		}
		return fmt.Sprintf("%q is no move and no command: %s. Type help for what you can type.", typed, why)
	case errors.As(err, &illegal) && len(illegal.Legal) > 0 && len(illegal.Legal) <= fewMoves:
		return fmt.Sprintf("%s cannot be played: %s. These can: %s.", typed, illegal.Detail, strings.Join(illegal.Legal, " "))
	case errors.As(err, &illegal):
		return fmt.Sprintf("%s cannot be played: %s. Type moves for those that can.", typed, illegal.Detail)
	}
	return message(err)
}

// claimsOutcome says whether a text is what comes of a move, which is not the player's
// to say.
func (m *Match) claimsOutcome(game rules.Stochastic, typed string) bool {
	for move := range m.Now().Position.Moves() {
		if slices.Contains(game.Outcomes(move), typed) {
			return true
		}
	}
	return false
}

// answer makes the first of the best moves; the first of all where none is known.
func (m *Match) answer(ctx context.Context) error {
	answer, err := m.Probe(ctx)
	var beyond *rules.BeyondBoundError
	switch {
	case errors.As(err, &beyond):
		m.say("\n%s\nPerfect play is not known here.", message(err))
	case err != nil:
		return err
	default:
		if choices := answer.Choices(); len(choices) > 0 {
			m.say("\nPerfect play answers %s.", choices[0].Move)
			return m.move(choices[0].Move)
		}
	}
	// One move is as good as another, as far as is known.
	var move string
	for move = range m.Now().Position.Moves() {
		break
	}
	m.say("\nThe answer is %s.", move)
	return m.move(move)
}
