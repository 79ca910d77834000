package tablebase

import (
	"encoding/binary"
	"math/bits"
	"runtime/debug"

	"solved/rules"
)

// Source gives the entries of a solved game by index.
type Source interface {
	// Codes fills dst with the codes of the positions lo … lo+len(dst)−1 of a section.
	//
	// Writers call it concurrently for disjoint ranges, and for each range exactly once; with
	// one thread the ranges come in ascending order, the main section first, so that a stream
	// can be a Source.
	Codes(s rules.Section, lo uint64, dst []rules.Code) error
}

// Codes makes a Table a Source. Its errors are those of Lookup; after one, dst means nothing.
func (t *Table) Codes(s rules.Section, lo uint64, dst []rules.Code) (err error) {
	sec, err := t.section(s)
	if err != nil {
		return err
	}
	if len(dst) == 0 {
		return nil
	}
	if n := uint64(len(dst)); lo >= sec.positions || n > sec.positions-lo {
		return &IndexError{Section: s, Index: max(lo, sec.positions), Positions: sec.positions}
	}
	offset := sec.bitmap
	if t.mapping != nil {
		defer Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}

	// The positions before the first whole byte of the bitmap, and behind the last, are looked
	// up; in between the bitmap goes by in order, and the distances with it.
	head := min(int(-lo&7), len(dst))
	body := (len(dst) - head) &^ 7
	if err := t.codesSingly(sec, lo, dst[:head], &offset); err != nil {
		return err
	}
	if err := t.codesInOrder(sec, lo+uint64(head), dst[head:head+body], &offset); err != nil {
		return err
	}
	return t.codesSingly(sec, lo+uint64(head+body), dst[head+body:], &offset)
}

// codesSingly looks the positions up one by one.
func (t *Table) codesSingly(sec *section, lo uint64, dst []rules.Code, offset *int64) error {
	for i := range dst {
		index := lo + uint64(i)
		*offset = sec.bitmap + int64(index>>3)
		dst[i] = rules.CodeDraw
		if t.at(*offset)>>(index&7)&1 == 0 {
			continue
		}
		number, err := t.number(sec, index, offset)
		if err != nil {
			return err
		}
		entry, err := t.distance(sec, number, offset)
		if err != nil {
			return err
		}
		dst[i] = entry.Code()
	}
	return nil
}

// codesInOrder decodes whole bytes of the bitmap: lo and len(dst) are multiples of 8.
func (t *Table) codesInOrder(sec *section, lo uint64, dst []rules.Code, offset *int64) error {
	const allDraws = 0x0101010101010101 * uint64(rules.CodeDraw)
	var buffer [4096]byte
	started := false
	var distances distanceReader
	for len(dst) > 0 {
		bitmap := buffer[:min(len(buffer), len(dst)/8)]
		*offset = sec.bitmap + int64(lo/8)
		t.read(bitmap, *offset)
		for i, b := range bitmap {
			eight := dst[8*i:][:8]
			binary.LittleEndian.PutUint64(eight, allDraws)
			for ; b != 0; b &= b - 1 {
				k := bits.TrailingZeros8(b)
				if !started {
					number, err := t.number(sec, lo+uint64(8*i+k), offset)
					if err != nil {
						return err
					}
					distances = distanceReader{t: t, sec: sec, number: number}
					started = true
				}
				code, err := distances.next(offset)
				if err != nil {
					return err
				}
				eight[k] = code
			}
		}
		lo += uint64(8 * len(bitmap))
		dst = dst[8*len(bitmap):]
	}
	return nil
}

// distanceReader reads the six-bit distances of a section in order.
type distanceReader struct {
	t      *Table
	sec    *section
	number uint64 // of the decisive position whose distance is next
	word   uint64 // distances that are read and not used, the next one lowest
	left   int    // how many they are
}

func (r *distanceReader) next(offset *int64) (rules.Code, error) {
	if r.left == 0 {
		if err := r.fill(offset); err != nil {
			return 0, err
		}
	}
	code := rules.Code(r.word & 63)
	if code > r.sec.longest {
		return 0, r.t.badDistance(r.sec, r.number, code)
	}
	r.word >>= 6
	r.left--
	r.number++
	return code, nil
}

// fill reads up to ten distances, of which the first may begin within a byte.
func (r *distanceReader) fill(offset *int64) error {
	if r.number >= r.sec.decisive {
		block := r.sec.directory
		return r.t.damage(BadDirectory, "block directory", block,
			"such that there are more decisive positions than distances", "as many")
	}
	bit := 6 * r.number
	*offset = r.sec.distances + int64(bit/8)
	var b [8]byte
	r.t.read(b[:min(8, r.sec.end-*offset)], *offset)
	shift := bit % 8
	r.word = binary.LittleEndian.Uint64(b[:]) >> shift
	r.left = int(min((64-shift)/6, r.sec.decisive-r.number))
	return nil
}
