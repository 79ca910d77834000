package tablebase

import (
	"context"
	"encoding/binary"
	"io"
	"math/bits"

	"solved/rules"
)

// WriteBytes writes the byte-per-position table (TTCTB001) of a ruleset to w. It is as Write in
// everything else, but streams: it holds only a few chunks per thread.
func WriteBytes(ctx context.Context, w io.Writer, rs rules.Ruleset, src Source, threads int, progress func(done uint64)) (Digest, error) {
	if err := checkRuleset(rs); err != nil {
		return Digest{}, err
	}
	d := newDigester(w)
	if _, err := d.Write(Header{Kind: KindBytes, Tag: rs.Tag, Positions: rs.Positions}.encode()); err != nil {
		return Digest{}, err
	}
	type part struct {
		codes    []rules.Code
		decisive int
	}
	var (
		work     = chunks(rs.Positions)
		free     = make(chan []rules.Code, 2*max(threads, 1)) // codes that were written
		decisive [rules.Sections]uint64
		done     uint64
	)
	err := inOrder(ctx, len(work), threads,
		func(_, i int) (part, error) {
			c := work[i]
			var codes []rules.Code
			select {
			case codes = <-free:
			default:
				codes = make([]rules.Code, chunkPositions)
			}
			codes = codes[:c.hi-c.lo]
			if err := src.Codes(c.section, c.lo, codes); err != nil {
				return part{}, err
			}
			longest := rs.Longest[c.section]
			if i := firstBadCode(codes, longest); i >= 0 {
				return part{}, &CodeError{Section: c.section, Index: c.lo + uint64(i), Code: codes[i], Longest: longest}
			}
			return part{codes, countDecisive(codes)}, nil
		},
		func(i int, p part) error {
			if _, err := d.Write(p.codes); err != nil {
				return err
			}
			decisive[work[i].section] += uint64(p.decisive)
			done += uint64(len(p.codes))
			if progress != nil {
				progress(done)
			}
			select {
			case free <- p.codes[:cap(p.codes)]:
			default:
			}
			return nil
		})
	if err != nil {
		return Digest{}, err
	}
	return d.finish(decisive)
}

// countDecisive counts the distances among good codes: the bytes with the top bit clear.
func countDecisive(codes []rules.Code) int {
	count, i := 0, 0
	for ; i+8 <= len(codes); i += 8 {
		count += bits.OnesCount64(^binary.LittleEndian.Uint64(codes[i:]) & eachTopBit)
	}
	for ; i < len(codes); i++ {
		if codes[i] != rules.CodeDraw {
			count++
		}
	}
	return count
}
