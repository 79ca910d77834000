package probability

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"solved/rules"
	"solved/tablebase"
)

// Write writes the table of a ruleset, whose positions are all in its main section. entry is
// asked for each position once, in ascending order of the index. Equal entries give equal
// files. The digest is that of the file; its decisive positions mean nothing here.
//
// It is an error if a ruleset has no table in this format, or an entry's best action is
// neither 0 nor 1, besides those of w.
func Write(w io.Writer, rs rules.Ruleset, entry func(index uint64) Entry) (tablebase.Digest, error) {
	if err := checkRuleset(rs); err != nil {
		return tablebase.Digest{}, err
	}
	positions := rs.Positions[rules.Main]
	sha, sum := sha256.New(), uint64(0)
	out := bufio.NewWriterSize(writerFunc(func(b []byte) (int, error) {
		sha.Write(b)
		sum = checksum(sum, b)
		return w.Write(b)
	}), 1<<16)
	// A buffered writer keeps its first error, so only the last call needs a look.
	out.Write(header(rs))
	best := make([]byte, bitmapSize(positions))
	for index := range positions {
		e := entry(index)
		if e.Best > 1 {
			return tablebase.Digest{}, fmt.Errorf("probability: the best action of position %d is %d, neither 0 nor 1", index, e.Best)
		}
		best[index/8] |= e.Best << (index % 8)
		out.Write([]byte{byte(e.Probability), byte(e.Probability >> 8)})
	}
	out.Write(best)
	if err := out.Flush(); err != nil {
		return tablebase.Digest{}, err
	}
	digest := tablebase.Digest{CRC64: sum, Bytes: Length(positions)}
	trailer := binary.LittleEndian.AppendUint64(nil, sum)
	sha.Write(trailer)
	sha.Sum(digest.SHA256[:0])
	if _, err := w.Write(trailer); err != nil {
		return tablebase.Digest{}, err
	}
	return digest, nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
