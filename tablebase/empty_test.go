package tablebase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"solved/rules"
)

// emptySections are rulesets of games that have one section only, or hardly any
// positions.
func emptySections() []rules.Ruleset {
	var list []rules.Ruleset
	for i, positions := range [][rules.Sections]uint64{{5478, 0}, {512, 0}, {1, 0}, {0, 607}, {0, 1}, {0, 0}} {
		list = append(list, rules.Ruleset{
			Name:      fmt.Sprintf("made-up-%d-%d", positions[0], positions[1]),
			Tag:       rules.Tag(0x454d5000 + i),
			Positions: positions,
			Longest:   [rules.Sections]uint8{9, 9},
		})
	}
	return list
}

// A section without positions takes no bytes, and all else is as ever: both formats are written
// through Create, plain and compressed, opened in each mode, verified and looked up.
func TestEmptySections(t *testing.T) {
	ctx := context.Background()
	opened := 0
	for _, rs := range emptySections() {
		for _, perDecisive := range []int{1, 3, 1 << 30} { // all decisive, some, none
			codes := madeUpCodes(rs, 1, perDecisive)
			data, byteTable := writeCompact(t, rs, codes), writeByteTable(t, rs, codes)
			if want := plainCompact(rs, codes); !bytes.Equal(data, want) {
				t.Errorf("%s: not as in FORMAT.md", rs.Name)
			}
			for _, name := range []string{"t.ttb", "t.ttb.zst"} {
				path := filepath.Join(t.TempDir(), name)
				if err := Create(path, func(w io.Writer) error {
					_, err := Write(ctx, w, rs, codes, 2, nil)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				for _, mode := range []Mode{Mapped, Memory} {
					table, err := Open(path, mode, emptySections()...)
					if err != nil {
						t.Fatalf("%s: %v", rs.Name, err)
					}
					checkSource(t, rs, table, codes)
					for s, n := range rs.Positions {
						var indexError *IndexError
						if _, err := table.Lookup(rules.Section(s), n); !errors.As(err, &indexError) {
							t.Errorf("%s: past the end of the %s section: %v", rs.Name, rules.Section(s), err)
						}
						if err := table.LookupMany(rules.Section(s), []uint64{n}, make([]rules.Entry, 1)); !errors.As(err, &indexError) {
							t.Errorf("%s: past the end of the %s section: %v", rs.Name, rules.Section(s), err)
						}
						if err := table.Codes(rules.Section(s), n, nil); err != nil {
							t.Errorf("%s: no codes of the %s section: %v", rs.Name, rules.Section(s), err)
						}
					}
					for _, threads := range []int{1, 3} {
						digest, err := table.Verify(ctx, threads)
						if err != nil {
							t.Fatalf("%s: %v", rs.Name, err)
						}
						checkDigest(t, rs.Name, digest, data, codes)
					}
					if err := table.Close(); err != nil {
						t.Error(err)
					}
					opened++
				}
			}
			r, err := NewByteReader(bytes.NewReader(byteTable), emptySections()...)
			if err != nil {
				t.Fatalf("%s: %v", rs.Name, err)
			}
			var again bytes.Buffer
			if _, err := Write(ctx, &again, r.Ruleset(), r, 1, nil); err != nil || r.Close() != nil || !bytes.Equal(again.Bytes(), data) {
				t.Errorf("%s: converted: %v", rs.Name, err)
			}
		}
	}
	if opened != 6*3*4 {
		t.Errorf("%d tables opened", opened)
	}
}

// Of a table with an empty section, too, no byte can be changed and none cut off or added without
// an error; and the checksum is not the only one to notice where there is something else to.
func TestEmptySectionsDamaged(t *testing.T) {
	refused := 0
	for _, rs := range emptySections() {
		codes := madeUpCodes(rs, 2, 3)
		for i, data := range [][]byte{writeCompact(t, rs, codes), writeByteTable(t, rs, codes)} {
			read := openAndVerify
			if i == 1 {
				read = readByteTable
			}
			if err := read(data, rs); err != nil {
				t.Fatal(err)
			}
			check := func(what string, err error) {
				t.Helper()
				var damage *DamageError
				if !errors.As(err, &damage) {
					t.Fatalf("%s, %s: %v", rs.Name, what, err)
				}
				refused++
			}
			for at := 0; at < len(data); at += 1 + len(data)/500 {
				bad := bytes.Clone(data)
				bad[at] ^= 0x20
				check(fmt.Sprintf("byte %d changed", at), read(bad, rs))
				check(fmt.Sprintf("cut to %d bytes", at), read(data[:at], rs))
			}
			check("a byte more", read(append(bytes.Clone(data), 0), rs))
		}

		// A header that claims positions in the empty section, or decisive ones.
		data := writeCompact(t, rs, codes)
		for s, n := range rs.Positions {
			if n > 0 {
				continue
			}
			for offset, want := range map[int]Damage{offPositions + 8*s: BadDimensions, offDecisive + 8*s: BadDecisive} {
				bad := bytes.Clone(data)
				bad[offset] = 1
				if err := openAndVerify(resealed(bad), rs); !errors.Is(err, want) {
					t.Errorf("%s: byte %d: %v, want %s", rs.Name, offset, err, want)
				}
				refused++
			}
		}
	}
	if refused != 4782 {
		t.Errorf("%d damaged tables refused, want 4782", refused)
	}
}
