// Package strip holds strips of cells, some of them marked, with their notation and moves. It
// knows no rules: the games that are played on strips add theirs.
//
// A strip is written as runs of empty cells as numbers and each mark as an X, "4X5", and kept by
// its runs, so it can have as many as 2⁶³−1 cells. A move is the number of the cell that it
// marks, from 1.
//
// # Trust
//
// [Parse] and [ParseMove] are made for texts from strangers: they never panic, return typed
// errors of package rules, and do work in proportion to the length of the text.
package strip

import (
	"iter"
	"math"
	"slices"
	"strconv"
)

// MaxLength is the greatest number of cells that a strip can have.
const MaxLength = math.MaxInt64

// Strip is a row of cells, some of them marked. It is immutable and safe for concurrent use. It
// takes memory in proportion to its marks, not to its cells. The zero value is not a strip.
type Strip struct {
	// Runs of empty cells and of marks take turns: empty[0], marks[0], empty[1], and so on. Only
	// the first and the last run of empty cells can be 0.
	empty, marks []uint64
	length       uint64
}

// Empty returns the strip of so many cells, at most [MaxLength], without a mark.
func Empty(length uint64) Strip { return Strip{empty: []uint64{length}, length: length} }

// OfRuns returns the strip of runs of empty cells and of marks by turns. The first run and the
// last are of empty cells, and only these two can be 0.
func OfRuns(runs ...uint64) Strip {
	var s Strip
	for i, n := range runs {
		if i%2 == 0 {
			s.empty = append(s.empty, n)
		} else {
			s.marks = append(s.marks, n)
		}
		s.length += n
	}
	return s
}

// Runs returns the lengths of the runs of empty cells and of marks, which take turns: empty[0],
// marks[0], empty[1], and so on to the last run of empty cells. Only the first and the last of
// empty can be 0. The caller must not change them.
func (s Strip) Runs() (empty, marks []uint64) { return s.empty, s.marks }

// Length returns the number of cells.
func (s Strip) Length() uint64 { return s.length }

// IsEmpty says whether no cell is marked.
func (s Strip) IsEmpty() bool { return len(s.marks) == 0 }

// LongestRow returns the greatest number of marks in a row.
func (s Strip) LongestRow() uint64 {
	if s.IsEmpty() {
		return 0
	}
	return slices.Max(s.marks)
}

// NumEmpty returns the number of empty cells.
func (s Strip) NumEmpty() uint64 {
	count := uint64(0)
	for _, n := range s.empty {
		count += n
	}
	return count
}

// EmptyCells yields the empty cells, from 1, ascending.
func (s Strip) EmptyCells() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		first := uint64(1)
		for i, n := range s.empty {
			for j := range n {
				if !yield(first + j) {
					return
				}
			}
			first += n
			if i < len(s.marks) {
				first += s.marks[i]
			}
		}
	}
}

// Marked says of each cell, from the first, whether it is marked. It has as many entries as the
// strip has cells, so the caller bounds them by [Strip.Length] first.
func (s Strip) Marked() []bool {
	cells := make([]bool, 0, s.length)
	for i, n := range s.empty {
		cells = append(cells, make([]bool, n)...)
		if i < len(s.marks) {
			for range s.marks[i] {
				cells = append(cells, true)
			}
		}
	}
	return cells
}

// Find returns the run of empty cells that a cell, from 1, is in, and its place there, from 0;
// the run is -1 when the cell is marked or does not exist.
func (s Strip) Find(cell uint64) (run int, place uint64) {
	if cell == 0 {
		return -1, 0
	}
	place = cell - 1
	for i, n := range s.empty {
		if place < n {
			return i, place
		}
		place -= n
		if i < len(s.marks) {
			if place < s.marks[i] {
				return -1, 0
			}
			place -= s.marks[i]
		}
	}
	return -1, 0
}

// Mark returns the strip after a cell, from 1, has been marked; ok is false when the cell is
// marked already or does not exist.
func (s Strip) Mark(cell uint64) (next Strip, ok bool) {
	i, j := s.Find(cell)
	if i < 0 {
		return Strip{}, false
	}
	next = Strip{empty: slices.Clone(s.empty), marks: slices.Clone(s.marks), length: s.length}
	left, right := j, s.empty[i]-j-1
	joinsLeft, joinsRight := left == 0 && i > 0, right == 0 && i < len(s.marks)
	switch {
	case joinsLeft && joinsRight:
		next.marks[i-1] += 1 + next.marks[i]
		next.marks = slices.Delete(next.marks, i, i+1)
		next.empty = slices.Delete(next.empty, i, i+1)
	case joinsLeft:
		next.marks[i-1]++
		next.empty[i] = right
	case joinsRight:
		next.marks[i]++
		next.empty[i] = left
	default:
		next.empty[i] = left
		next.empty = slices.Insert(next.empty, i+1, right)
		next.marks = slices.Insert(next.marks, i, 1)
	}
	return next, true
}

// String returns the strip as it is written: runs of empty cells as numbers, each mark as an X,
// "4X5"; "0" when there is no cell.
func (s Strip) String() string {
	if len(s.marks) == 0 {
		return strconv.FormatUint(s.empty[0], 10)
	}
	var b []byte
	for i, n := range s.empty {
		if n > 0 {
			b = strconv.AppendUint(b, n, 10)
		}
		if i < len(s.marks) {
			for range s.marks[i] {
				b = append(b, 'X')
			}
		}
	}
	return string(b)
}
