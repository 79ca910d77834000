package tictactoe

import (
	"fmt"
	"strings"
)

// play is the move relation of the induction: the rules, or in a test another one.
type play struct {
	stops      []Line // a finished one of these ends the game
	alternates bool   // the sides take turns
}

// rulesOfPlay are those of the game.
var rulesOfPlay = play{stops: lines[:], alternates: true}

// query is a question to an SMT solver, a script in SMT-LIB 2 over bit vectors without
// quantifiers, together with the meaning of unsatisfiable.
type query struct {
	name, claim, script string
}

// induction returns the proof by induction that no position reached in play has finished
// lines of both sides. A board is two sets of squares, a bit for each, and whose turn it
// is. It is called legal here if no square has two marks, X has as many as O and one
// more when O is to move, and the side to move owns no line. The empty board is legal;
// a move leads from a legal board to a legal one; and no legal board has lines of both
// sides. Each query asks for a counterexample.
func induction(rule play) []query {
	start := Start()
	return []query{{
		name:  "tic-tac-toe-base",
		claim: "the empty board is legal",
		script: definitions(rule) + fmt.Sprintf(`
; The empty board, X to move, is not legal.
(assert (not (legal %s %s %s)))
(check-sat)
`, bitVector(start.marks[X]), bitVector(start.marks[O]), turn(start.Side())),
	}, {
		name:  "tic-tac-toe-step",
		claim: "a move leads from a legal board to a legal board",
		script: definitions(rule) + declarations("x", "o", "t", "move", "x1", "o1", "t1") + `
; A move leads from a legal board to one that is not.
(assert (legal x o t))
(assert (plays x o t move x1 o1 t1))
(assert (not (legal x1 o1 t1)))
(check-sat)
`,
	}, {
		name:  "tic-tac-toe-goal",
		claim: "no legal board has finished lines of both sides",
		script: definitions(rule) + declarations("x", "o", "t") + `
; A legal board has finished lines of both sides.
(assert (legal x o t))
(assert (and (line x) (line o)))
(check-sat)
`,
	}}
}

// definitions write the rules down for the solver.
func definitions(rule play) string {
	return strings.NewReplacer(
		"X-TURN", turn(X),
		"O-TURN", turn(O),
		"EMPTY", bitVector(0),
		"A-LINE", contains("m", lines[:]),
		"BITS", bitCount("m"),
		"STOPPING", contains("m", rule.stops),
		"ONE-SQUARE", oneSquare("move"),
		"NEXT-TURN", nextTurn(rule),
	).Replace(`(set-logic QF_BV)
; Generated from the rules. Squares are bits, a1 the lowest, then b1, c1, a2 and so on to c3.
; t is X-TURN when X is to move and O-TURN when O is.

(define-fun line ((m (_ BitVec 9))) Bool
  A-LINE)

(define-fun count ((m (_ BitVec 9))) (_ BitVec 4)
  BITS)

(define-fun legal ((x (_ BitVec 9)) (o (_ BitVec 9)) (t (_ BitVec 1))) Bool (and
  (= (bvand x o) EMPTY)
  (= (count x) (bvadd (count o) (concat #b000 t)))
  (not (line (ite (= t X-TURN) x o)))))

; A finished line that ends the game, so that no move may follow.
(define-fun stops ((m (_ BitVec 9))) Bool
  STOPPING)

(define-fun plays ((x (_ BitVec 9)) (o (_ BitVec 9)) (t (_ BitVec 1)) (move (_ BitVec 9))
                   (x1 (_ BitVec 9)) (o1 (_ BitVec 9)) (t1 (_ BitVec 1))) Bool (and
  (not (stops x))
  (not (stops o))
  ONE-SQUARE
  (= (bvand move (bvor x o)) EMPTY)
  (= x1 (ite (= t X-TURN) (bvor x move) x))
  (= o1 (ite (= t X-TURN) o (bvor o move)))
  (= t1 NEXT-TURN)))
`)
}

// bitVector writes a set of squares.
func bitVector(s set) string { return fmt.Sprintf("#b%0*b", Squares, s) }

// turn writes whose turn it is.
func turn(s Side) string { return fmt.Sprintf("#b%b", s) }

func nextTurn(rule play) string {
	if rule.alternates {
		return "(bvnot t)"
	}
	return "t"
}

// contains says that a set contains one of some lines.
func contains(name string, some []Line) string {
	var each []string
	for _, l := range some {
		each = append(each, fmt.Sprintf("(= (bvand %s %s) %[2]s)", name, bitVector(l.set())))
	}
	return either(each...)
}

// oneSquare says that a set is of one square.
func oneSquare(name string) string {
	var each []string
	for s := range Squares {
		each = append(each, fmt.Sprintf("(= %s %s)", name, bitVector(1<<s)))
	}
	return either(each...)
}

// either says that one of some things is so.
func either(each ...string) string {
	if len(each) == 0 {
		return "false"
	}
	return "(or " + strings.Join(each, "\n      ") + ")"
}

// bitCount counts the squares of a set, in four bits.
func bitCount(name string) string {
	var each []string
	for s := range Squares {
		each = append(each, fmt.Sprintf("(concat #b000 ((_ extract %d %[1]d) %s))", s, name))
	}
	return "(bvadd " + strings.Join(each, "\n         ") + ")"
}

// declarations declare sets of squares, and turns, whose names begin with t.
func declarations(names ...string) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, name := range names {
		width := Squares
		if name[0] == 't' {
			width = 1
		}
		fmt.Fprintf(&b, "(declare-const %s (_ BitVec %d))\n", name, width)
	}
	return b.String()
}
