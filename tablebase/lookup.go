package tablebase

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime/debug"

	"solved/rules"
)

// Lookup returns the entry of the position with an index, which is below the number of
// positions of the section. It allocates nothing.
//
// Errors are an *IndexError for an index out of range; a *FaultError; a *DamageError where
// what is read cannot be right, so that a file that was damaged after it was verified (or never
// was) gives an error rather than an impossible answer.
func (t *Table) Lookup(s rules.Section, index uint64) (entry rules.Entry, err error) {
	sec, err := t.section(s)
	if err != nil {
		return rules.Entry{}, err
	}
	if index >= sec.positions {
		return rules.Entry{}, &IndexError{Section: s, Index: index, Positions: sec.positions}
	}
	offset := sec.bitmap + int64(index>>3)
	if t.mapping != nil {
		defer Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}
	if t.at(offset)>>(index&7)&1 == 0 {
		return rules.Entry{Value: rules.Draw}, nil
	}
	number, err := t.number(sec, index, &offset)
	if err != nil {
		return rules.Entry{}, err
	}
	return t.distance(sec, number, &offset)
}

// lookupBatch is how many look-ups LookupMany has under way at once: as many as the longest
// move list of the games so far.
const lookupBatch = 64

// LookupMany looks up several positions of one section, and sets the first len(indices) of out.
// It is faster than as many calls of Lookup, because the waits for memory overlap. It allocates
// nothing. Its errors are those of Lookup; after one, out means nothing.
func (t *Table) LookupMany(s rules.Section, indices []uint64, out []rules.Entry) (err error) {
	sec, err := t.section(s)
	if err != nil {
		return err
	}
	if len(out) < len(indices) {
		return fmt.Errorf("tablebase: %d entries for %d look-ups", len(out), len(indices))
	}
	out = out[:len(indices)]
	offset := sec.bitmap
	if t.mapping != nil {
		defer Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}
	for len(indices) > lookupBatch {
		if err := t.lookupSome(s, sec, indices[:lookupBatch], out, &offset); err != nil {
			return err
		}
		indices, out = indices[lookupBatch:], out[lookupBatch:]
	}
	return t.lookupSome(s, sec, indices, out, &offset)
}

// lookupSome looks up at most lookupBatch positions in three loops. No step of a loop waits for
// another, so the processor has many reads of memory under way; one look-up alone is a chain of
// up to three.
func (t *Table) lookupSome(s rules.Section, sec *section, indices []uint64, out []rules.Entry, offset *int64) error {
	var (
		decisive [lookupBatch]uint8  // places of the decisive ones in indices
		numbers  [lookupBatch]uint64 // their numbers among the decisive positions of the section
		n        int
	)
	for i, index := range indices {
		if index >= sec.positions {
			return &IndexError{Section: s, Index: index, Positions: sec.positions}
		}
		// Without a branch on the bit, which would have to wait for it.
		*offset = sec.bitmap + int64(index>>3)
		bit := t.at(*offset) >> (index & 7) & 1
		out[i] = rules.Entry{Value: rules.Draw}
		decisive[n%lookupBatch] = uint8(i)
		n += int(bit)
	}
	for i, place := range decisive[:n] {
		number, err := t.number(sec, indices[place], offset)
		if err != nil {
			return err
		}
		numbers[i] = number
	}
	for i, place := range decisive[:n] {
		entry, err := t.distance(sec, numbers[i], offset)
		if err != nil {
			return err
		}
		out[place] = entry
	}
	return nil
}

// number returns how many decisive positions of the section come before a decisive one: the
// count before its block, and the bits before it within its block. offset follows the reads.
func (t *Table) number(sec *section, index uint64, offset *int64) (uint64, error) {
	block := index / BlockPositions
	*offset = sec.directory + int64(block)*entryBytes
	var entry [entryBytes]byte
	t.read(entry[:], *offset)
	number := uint64(binary.LittleEndian.Uint32(entry[:]))

	*offset = sec.bitmap + int64(block)*blockBytes
	var bitmap [blockBytes]byte
	t.read(bitmap[:min(blockBytes, sec.directory-*offset)], *offset)
	number += uint64(bitsBefore(&bitmap, int(index%BlockPositions)))

	if number >= sec.decisive {
		*offset = sec.directory + int64(block)*entryBytes
		return 0, t.damage(BadDirectory, "block directory entry", *offset,
			fmt.Sprintf("such that a decisive position has the number %d", number), fmt.Sprintf("a number below %d", sec.decisive))
	}
	return number, nil
}

// bitsBefore counts the bits set in a block before its bit k. All eight words are counted under
// a mask, because a loop that ends at k costs more in wrong guesses of the processor.
func bitsBefore(bitmap *[blockBytes]byte, k int) int {
	count := 0
	for w := range blockBytes / 8 {
		// k−64w bits of the word count: none if that is negative, all from 64 on (in Go a
		// shift by that much gives 0, and 0−1 all ones).
		mask := uint64(1)<<uint(max(k-64*w, 0)) - 1
		count += bits.OnesCount64(binary.LittleEndian.Uint64(bitmap[8*w:]) & mask)
	}
	return count
}

// distance returns the entry of a decisive position by its number. Its six bits lie in one or
// two bytes; the second is in the file even if it is the checksum's.
func (t *Table) distance(sec *section, number uint64, offset *int64) (rules.Entry, error) {
	bit := 6 * number
	*offset = sec.distances + int64(bit/8)
	two := uint16(t.at(*offset)) | uint16(t.at(*offset+1))<<8
	code := rules.Code(two >> (bit % 8) & 63)
	if code > sec.longest {
		return rules.Entry{}, t.badDistance(sec, number, code)
	}
	return rules.EntryOf(code), nil
}

func (t *Table) badDistance(sec *section, number uint64, code rules.Code) error {
	return t.damage(BadDistance, fmt.Sprintf("distance of decisive position %d", number), sec.distances+int64(6*number/8),
		fmt.Sprint(code), fmt.Sprintf("at most %d", sec.longest))
}
