package tablebase

import (
	"errors"
	"fmt"

	"solved/rules"
)

// Damage is one way in which a file can fail to be a table of the ruleset wanted. It is an
// error, so that errors.Is(err, tablebase.BadChecksum) asks for the kind of damage; errors.As with a
// *DamageError asks where.
type Damage uint8

// The kinds of damage, in the order in which they are looked for.
const (
	// ShortHeader: the file ends before its header does.
	ShortHeader Damage = iota + 1
	// BadMagic: the file is something else.
	BadMagic
	// BadVersion: the file is of a version this package does not know.
	BadVersion
	// BadEncoding: the values are stored in a way this package does not know.
	BadEncoding
	// BadBlockSize: not 512 positions per block (compact).
	BadBlockSize
	// BadReserved: the reserved field is not zero (bytes).
	BadReserved
	// UnknownTag: none of the known rulesets has this tag.
	UnknownTag
	// WrongTag: the table is not of the one ruleset that was asked for.
	WrongTag
	// BadDimensions: a number of positions is not the ruleset's.
	BadDimensions
	// BadDecisive: more decisive positions than positions (compact).
	BadDecisive
	// BadLength: the file is cut short, or has trailing bytes.
	BadLength
	// BadDirectory: a block directory entry is not the count of the bits before it (compact).
	BadDirectory
	// BadCount: the header's count of decisive positions is not the bitmap's (compact).
	BadCount
	// BadPadding: an unused trailing bit is set (compact).
	BadPadding
	// BadDistance: a distance is above the ruleset's longest, or a reserved code.
	BadDistance
	// BadChecksum: the CRC-64 is not that of the bytes before it.
	BadChecksum
	// BadZstd: the zstd frame around or in the table is damaged.
	BadZstd
	// LongWindow: the zstd frame is not damaged, but asks for a longer window than is allowed.
	LongWindow
	// BadSearch: the losses were chosen for another search (kernel).
	BadSearch
	// BadIndex: an index is out of order, or past the end of its section (kernel).
	BadIndex
)

// damageText has one line per Damage.
var damageText = [...]string{
	ShortHeader:   "too short for a header",
	BadMagic:      "not a table of this format",
	BadVersion:    "unknown version",
	BadEncoding:   "unknown encoding",
	BadBlockSize:  "unsupported block size",
	BadReserved:   "reserved field in use",
	UnknownTag:    "unknown ruleset",
	WrongTag:      "not the ruleset asked for",
	BadDimensions: "wrong dimensions",
	BadDecisive:   "impossible decisive count",
	BadLength:     "wrong length",
	BadDirectory:  "block directory damaged",
	BadCount:      "decisive count does not match the bitmap",
	BadPadding:    "padding not zero",
	BadDistance:   "distance out of range",
	BadChecksum:   "checksum does not match",
	BadZstd:       "zstd frame damaged",
	LongWindow:    "zstd window too long",
	BadSearch:     "made for another search",
	BadIndex:      "index out of order or range",
}

// Error names the damage, without the particulars of a file.
func (d Damage) Error() string {
	if int(d) < len(damageText) && damageText[d] != "" {
		return damageText[d]
	}
	return fmt.Sprintf("damage %d", uint8(d))
}

// DamageError describes the damage of a file: its kind, place and field.
type DamageError struct {
	// Path is the name of the file, empty for bytes without one.
	Path string
	// Damage is the kind.
	Damage Damage
	// Field names the part of the file, such as "rules tag".
	Field string
	// Offset is where the field is, in bytes from the start of the uncompressed file. Of
	// BadZstd it is the number of bytes that could still be decompressed; of BadLength and
	// ShortHeader, where the shorter of the file and the expected bytes ends.
	Offset int64
	// Found and Expected are for people.
	Found, Expected string
	// Err is the cause that another library gave, if any.
	Err error
}

// Error gives the file, the damage, the place, the bytes found and those expected.
func (e *DamageError) Error() string {
	name := ""
	if e.Path != "" {
		name = e.Path + ": "
	}
	return fmt.Sprintf("%s%s: %s at byte %d is %s, expected %s", name, e.Damage, e.Field, e.Offset, e.Found, e.Expected)
}

// Unwrap returns the Damage, and the cause if there is one.
func (e *DamageError) Unwrap() []error {
	if e.Err != nil {
		return []error{e.Damage, e.Err}
	}
	return []error{e.Damage}
}

// IndexError says that an index is outside its section: the question is wrong, not the file.
type IndexError struct {
	Section   rules.Section
	Index     uint64
	Positions uint64 // of the section; indices are below it
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("index %d is outside the %s section of %d positions", e.Index, e.Section, e.Positions)
}

// FaultError says that the memory behind a mapped file could not be read: another program cut the
// file short, or its storage failed. The table is lost, the process is not. (A system pads the
// last page of a file with zeros, so up to that much behind a cut is read without a fault.)
type FaultError struct {
	Path   string
	Offset int64 // where the read that failed began, in bytes from the start of the file
	Err    error // the runtime's error
}

func (e *FaultError) Error() string {
	return fmt.Sprintf("%s: reading the mapped file at byte %d: cut short or failing storage: %v", e.Path, e.Offset, e.Err)
}

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.Err }

// CodeError says that a Source gave a code that is no entry of its ruleset. It is an error of
// the author of the source, and nothing that was written is good.
type CodeError struct {
	Section rules.Section
	Index   uint64
	Code    rules.Code
	Longest uint8 // greatest distance of the section, in plies
}

func (e *CodeError) Error() string {
	return fmt.Sprintf("code %d for %s position %d is neither a draw (%d) nor a distance up to %d",
		e.Code, e.Section, e.Index, rules.CodeDraw, e.Longest)
}

// SequenceError says that a stream was asked for codes out of order, or closed before all
// were read.
type SequenceError struct {
	// Next is the next position in the stream, counted from 0 over both sections.
	Next uint64
	// Asked is the position asked for, or the number of positions when closed early.
	Asked uint64
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("a stream of codes is at position %d, not %d: it is read once, in order, to the end", e.Next, e.Asked)
}

// withPath names the file in an error of this package; other errors get it as a prefix.
func withPath(err error, path string) error {
	var damage *DamageError
	switch {
	case err == nil || path == "":
		return err
	case errors.As(err, &damage):
		if damage.Path == "" {
			named := *damage
			named.Path = path
			return &named
		}
		return err
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
}
