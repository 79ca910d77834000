package notakto

import (
	"slices"
	"strings"

	"solved/rules"
)

// Reference works out sums of up to three boards from the printed rules alone: it plays every
// move, and knows nothing of the misère quotient. It is written to be read, and shares nothing
// with [Position]. It remembers what it has found, for one goroutine at a time.
type Reference struct {
	boards  []string       // one of each set of symmetric live boards; number 0 is any dead board
	number  map[string]int // of every board that play can reach
	options [][]int        // by number: the boards one move on
	worth   map[[3]int]Worth
}

// Worth is the value of a position for the side to move, with its plies to the end.
type Worth struct {
	Value    rules.Value
	Distance int // when the winner hurries and the loser delays
}

// NewReference returns a reference that has worked out nothing yet.
func NewReference() *Reference {
	r := &Reference{boards: []string{"dead"}, number: map[string]int{}, options: [][]int{nil}, worth: map[[3]int]Worth{}}
	r.add(".........")
	return r
}

// Boards returns one board of each set of symmetric live boards, as nine letters from the
// top left to the bottom right.
func (r *Reference) Boards() []string { return r.boards[1:] }

// add numbers a board, after all that can come of it, and returns its number.
func (r *Reference) add(board string) int {
	if n, ok := r.number[board]; ok {
		return n
	}
	if referenceDead(board) {
		r.number[board] = 0
		return 0
	}
	var options []int
	for i := range board {
		if board[i] == '.' {
			options = append(options, r.add(board[:i]+"X"+board[i+1:]))
		}
	}
	for _, same := range referenceSymmetric(board) {
		if n, ok := r.number[same]; ok {
			r.number[board] = n
			return n
		}
	}
	n := len(r.boards)
	r.boards, r.options, r.number[board] = append(r.boards, board), append(r.options, options), n
	return n
}

// referenceDead says whether there are three in a row: in a row of letters, a column or
// one of the two diagonals.
func referenceDead(board string) bool {
	for _, line := range strings.Fields("012 345 678 036 147 258 048 246") {
		if board[line[0]-'0'] == 'X' && board[line[1]-'0'] == 'X' && board[line[2]-'0'] == 'X' {
			return true
		}
	}
	return false
}

// referenceSymmetric returns a board turned by each quarter, and the mirror images of these.
func referenceSymmetric(board string) (all []string) {
	for range 4 {
		quarter, mirror := "", ""
		for _, i := range "630741852" {
			quarter += board[i-'0' : i-'0'+1]
		}
		for _, i := range "210543876" {
			mirror += quarter[i-'0' : i-'0'+1]
		}
		board = quarter
		all = append(all, quarter, mirror)
	}
	return all
}

// Of works out a position of at most three boards, given as Boards gives them.
func (r *Reference) Of(boards ...string) Worth {
	var sum [3]int
	for i, board := range boards {
		sum[i] = r.number[board]
	}
	return r.of(sum)
}

func (r *Reference) of(sum [3]int) Worth {
	slices.Sort(sum[:])
	if sum == [3]int{} {
		return Worth{Value: rules.Win} // the other side has killed the last board
	}
	if worth, ok := r.worth[sum]; ok {
		return worth
	}
	win, fewest, most := false, 0, 0
	for i, board := range sum {
		for _, option := range r.options[board] {
			next := sum
			next[i] = option
			child := r.of(next)
			plies := child.Distance + 1
			if child.Value == rules.Loss && (!win || plies < fewest) {
				win, fewest = true, plies
			}
			most = max(most, plies)
		}
	}
	worth := Worth{Value: rules.Loss, Distance: most}
	if win {
		worth = Worth{Value: rules.Win, Distance: fewest}
	}
	r.worth[sum] = worth
	return worth
}
