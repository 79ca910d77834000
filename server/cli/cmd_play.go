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

// The values of --you: the sides that the user plays.
const (
	youFirst  = "first"
	youSecond = "second"
	youBoth   = "both"
	youNone   = "none"
)

// longestShow bounds the moves of a game in which the program plays both sides.
const longestShow = 1000

// playCommand returns the command that plays against the user in the terminal.
func playCommand(games game.List) *cobra.Command {
	var table, you string
	var anyDigest bool
	var seed uint64
	c := &cobra.Command{
		Use:   "play RULES [POSITION]",
		Short: "Play a game in the terminal against perfect play",
		Long: `Play a game in the terminal against perfect play, from the start or from POSITION.

Type a move in the notation of the game ('solved probe' shows it), or one of

  moves   list the legal moves
  hint    give the value of the position, and every move with its value
  undo    take back your last move, and the program's answer to it
  new     begin again
  help    show these commands
  quit    end the game (so does the end of the input)

--you names your side: first (the side to move), second, both or none. With none, the
program plays both sides until the game ends, a position repeats, or 1000 moves. In a
game with dice, a repeated position does not end it. The program throws the dice;
with the same --seed it throws the same.`,
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
				return &flags.UsageError{Err: fmt.Errorf("--you must be %s, %s, %s or %s", youFirst, youSecond, youBoth, youNone), Command: c.CommandPath()}
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
	c.Flags().Uint64Var(&seed, "seed", 0, "`number` from which the throws of the dice follow (default: another each time)")
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

// Now returns the current position and the side to move.
func (m *Match) Now() Turn { return m.Turns[len(m.Turns)-1] }

// say prints a line.
func (m *Match) say(format string, args ...any) { fmt.Fprintf(m.Out, format+"\n", args...) }

// errQuit ends a match at the wish of the player.
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

// over says whether the match is over, and prints the result if it is. A match in which the
// program plays both sides is over also when a position repeats or after longestShow moves.
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
		m.say("The program stops after %d moves.", longestShow)
		return true, nil
	}
	if _, stochastic := t.Position.(rules.Stochastic); stochastic {
		return false, nil // another throw of the dice leads out of the repetition
	}
	for ply, before := range m.Turns[:len(m.Turns)-1] {
		if before.Side == t.Side && before.Position.String() == t.Position.String() {
			m.say("The position of ply %d has been repeated.", ply)
			return true, nil
		}
	}
	return false, nil
}

// winner returns the side that has won, if the game ended with this result for a side.
func winner(side int, result rules.Value) int {
	if result == rules.Win {
		return side
	}
	return 1 - side
}

// sideName returns the name of a side, as --you writes it.
func sideName(side int) string { return [...]string{youFirst, youSecond}[side] }

// ask reads commands and moves of the player until one changes the position.
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
				return fmt.Errorf("reading the input: %w", err)
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

// exampleMove returns a legal move of the start position, for the help.
func (m *Match) exampleMove() string {
	for move := range m.Prober.Game().Start().Moves() {
		return move
	}
	return ""
}

// list prints the legal moves, up to a number that fits a screen.
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

// Probe returns the value and the moves of the current position.
func (m *Match) Probe(ctx context.Context) (api.Probe, error) {
	text := m.Now().Position.String()
	return game.ProbeOne(ctx, m.Prober, api.Question{Position: &text})
}

// hint prints the value of the position and every move with its value.
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

// undo takes back the moves down to the last one of the player. It returns false if the player
// has not moved.
func (m *Match) undo() bool {
	for i := len(m.Turns) - 2; i >= 0; i-- {
		if m.Yours[m.Turns[i].Side] {
			m.Turns = m.Turns[:i+1]
			return true
		}
	}
	return false
}

// move plays a move. If chance decides its outcome, move throws the dice.
func (m *Match) move(typed string) error {
	now := m.Now()
	move := typed
	if game, ok := now.Position.(rules.Stochastic); ok {
		if outcomes := game.Outcomes(typed); len(outcomes) > 0 {
			move = outcomes[m.Dice.IntN(len(outcomes))]
			m.say("%s: %s", typed, move)
		} else if m.claimsOutcome(game, typed) {
			return fmt.Errorf("the program throws the dice: type the move without its outcome")
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

// fewMoves bounds the list of legal moves after an illegal one.
const fewMoves = 20

// notPlayed explains why the program did not play a typed move. The error's own text is for the
// contract: it speaks of plies and of a list of moves.
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
		return fmt.Sprintf("%q is neither a move nor a command: %s. Type help for what you can type.", typed, why)
	case errors.As(err, &illegal) && len(illegal.Legal) > 0 && len(illegal.Legal) <= fewMoves:
		return fmt.Sprintf("%s cannot be played: %s. These can: %s.", typed, illegal.Detail, strings.Join(illegal.Legal, " "))
	case errors.As(err, &illegal):
		return fmt.Sprintf("%s cannot be played: %s. Type moves for those that can.", typed, illegal.Detail)
	}
	return message(err)
}

// claimsOutcome says whether a text is the outcome of a move. Chance decides outcomes, so a
// player cannot type one.
func (m *Match) claimsOutcome(game rules.Stochastic, typed string) bool {
	for move := range m.Now().Position.Moves() {
		if slices.Contains(game.Outcomes(move), typed) {
			return true
		}
	}
	return false
}

// answer plays the first of the best moves, or the first legal move if no best move is known.
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
	// No move is known to be better than another.
	var move string
	for move = range m.Now().Position.Moves() {
		break
	}
	m.say("\nThe answer is %s.", move)
	return m.move(move)
}
