package retrograde

import (
	"context"
	"fmt"

	"solved/rules"
)

// Layers is the part of a game that lies before a graph: positions in layers, in
// which every move leads to the next layer and from the last one into the graph.
// All methods must be safe for concurrent use.
type Layers interface {
	// Ends lists, for each layer, the index just past it. The first layer begins
	// at 0, the others where the one before ends.
	Ends() []uint64
	// Representative returns the index of a position of the same layer that has
	// the same value and distance: the index itself, or a smaller one that is its
	// own representative.
	Representative(index uint64) uint64
	// Children appends the index of every child: in the layers, or in the graph
	// for a position of the last layer. A position without any has lost.
	Children(index uint64, dst []uint64) []uint64
}

// SolveLayers finds the code of every position of the layers, backwards from the
// last one, whose children's codes are given by deep. It stops with the
// context's error when that ends.
func SolveLayers(ctx context.Context, l Layers, deep func(index uint64) rules.Code, threads int, progress Progress) ([]rules.Code, error) {
	ends := l.Ends()
	codes := make([]rules.Code, ends[len(ends)-1])
	children := deep
	for layer := len(ends) - 1; layer >= 0; layer-- {
		start, end := uint64(0), ends[layer]
		if layer > 0 {
			start = ends[layer-1]
		}
		done := progress.stage(fmt.Sprintf("layer %d", layer), end-start)
		err := ranges(ctx, max(threads, 1), start, end, func(lo, hi uint64) error {
			var buffer []uint64
			for index := lo; index < hi; index++ {
				if l.Representative(index) != index {
					continue
				}
				buffer = l.Children(index, buffer[:0])
				code, err := fromChildren(buffer, children)
				if err != nil {
					return fmt.Errorf("position %d of the layers: %w", index, err)
				}
				codes[index] = code
			}
			done(hi - lo)
			return nil
		})
		if err != nil {
			return nil, err
		}
		// The others are copied once all representatives are there.
		err = ranges(ctx, max(threads, 1), start, end, func(lo, hi uint64) error {
			for index := lo; index < hi; index++ {
				if r := l.Representative(index); r != index {
					codes[index] = codes[r]
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		children = func(index uint64) rules.Code { return codes[index] }
	}
	return codes, nil
}

// fromChildren returns the code of a position from those of its children: a win
// by the nearest loss among them; a loss by the farthest win, if they all are
// wins; else a draw.
func fromChildren(children []uint64, code func(uint64) rules.Code) (rules.Code, error) {
	nearestLoss, farthestWin, draw := rules.Code(rules.CodeDraw), -1, false
	for _, child := range children {
		switch c := code(child); {
		case c == rules.CodeDraw:
			draw = true
		case c&1 == 0:
			nearestLoss = min(nearestLoss, c)
		default:
			farthestWin = max(farthestWin, int(c))
		}
	}
	distance := 0
	switch {
	case nearestLoss != rules.CodeDraw:
		distance = int(nearestLoss) + 1
	case draw:
		return rules.CodeDraw, nil
	default:
		distance = farthestWin + 1
	}
	if distance > rules.MaxDistance {
		return 0, fmt.Errorf("distance %d is past the greatest that a table can hold", distance)
	}
	return rules.Code(distance), nil
}

// ranges calls part with pieces of [start, end), concurrently.
func ranges(ctx context.Context, threads int, start, end uint64, part func(lo, hi uint64) error) error {
	const size = 1 << 14
	n := int((end - start + size - 1) / size)
	return parallel(ctx, threads, n, func(i int) error {
		lo := start + uint64(i)*size
		return part(lo, min(lo+size, end))
	})
}
