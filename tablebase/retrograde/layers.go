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
	// at 0, the others where the one before ends. There is one at least.
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
// context's cause when that ends, and with an error when a distance is past
// rules.MaxDistance.
func SolveLayers(ctx context.Context, l Layers, deep func(index uint64) rules.Code, threads int, progress Progress) ([]rules.Code, error) {
	return backwards(ctx, l, deep, threads, progress, func(_ uint64, children []rules.Code) (rules.Code, error) {
		return fromChildren(children)
	})
}

// ExpandLayers is SolveLayers for layers of which all losses are known: loss gives
// the distance of a lost position, and false for any other. A win is a position
// with a move to a loss, and nothing else is worked out.
func ExpandLayers(ctx context.Context, l Layers, deep func(index uint64) rules.Code, loss func(index uint64) (uint8, bool), threads int, progress Progress) ([]rules.Code, error) {
	return backwards(ctx, l, deep, threads, progress, func(index uint64, children []rules.Code) (rules.Code, error) {
		if distance, ok := loss(index); ok {
			return distance, nil
		}
		return oneMore(nearestLoss(children))
	})
}

// backwards finds the code of every position from its children's.
func backwards(ctx context.Context, l Layers, deep func(index uint64) rules.Code, threads int, progress Progress,
	judge func(index uint64, children []rules.Code) (rules.Code, error)) ([]rules.Code, error) {
	ends := l.Ends()
	codes := make([]rules.Code, ends[len(ends)-1])
	codeOf := deep
	for layer := len(ends) - 1; layer >= 0; layer-- {
		start, end := uint64(0), ends[layer]
		if layer > 0 {
			start = ends[layer-1]
		}
		done := progress.stage(fmt.Sprintf("layer %d", layer), end-start)
		err := ranges(ctx, max(threads, 1), start, end, func(lo, hi uint64) error {
			var indices []uint64
			var children []rules.Code
			for index := lo; index < hi; index++ {
				if l.Representative(index) != index {
					continue
				}
				indices, children = l.Children(index, indices[:0]), children[:0]
				for _, child := range indices {
					children = append(children, codeOf(child))
				}
				code, err := judge(index, children)
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
		codeOf = func(index uint64) rules.Code { return codes[index] }
	}
	return codes, nil
}

// fromChildren returns the code of a position from those of its children: a win
// by the nearest loss among them; a loss by the farthest win, if they all are
// wins; else a draw.
func fromChildren(children []rules.Code) (rules.Code, error) {
	if loss := nearestLoss(children); loss != rules.CodeDraw {
		return oneMore(loss)
	}
	farthest := -1
	for _, c := range children {
		if c == rules.CodeDraw {
			return rules.CodeDraw, nil
		}
		farthest = max(farthest, int(c))
	}
	if farthest < 0 {
		return 0, nil
	}
	return oneMore(rules.Code(farthest))
}

// nearestLoss returns the least distance of a loss among codes, or CodeDraw.
func nearestLoss(codes []rules.Code) rules.Code {
	nearest := rules.Code(rules.CodeDraw)
	for _, c := range codes {
		if c&1 == 0 {
			nearest = min(nearest, c)
		}
	}
	return nearest
}

// oneMore returns the code of a position one ply before a decided one; a draw's
// is a draw.
func oneMore(c rules.Code) (rules.Code, error) {
	if c == rules.CodeDraw {
		return c, nil
	}
	if c >= rules.MaxDistance {
		return 0, fmt.Errorf("distance %d is past the greatest that a table can hold", int(c)+1)
	}
	return c + 1, nil
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
