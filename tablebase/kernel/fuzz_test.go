package kernel

import (
	"bytes"
	"errors"
	"testing"

	"solved/tablebase"
)

// Any bytes decode or give a *tablebase.DamageError, as they are and with their
// checksum made right; and what decodes, keeps its promises and is the same once
// written plainly and decoded again.
func FuzzDecode(f *testing.F) {
	table := smallTable(f)
	for _, seed := range [][]byte{encode(f, table), plainFile(table, plainBody(table))} {
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
		for _, at := range []int{9, 13, 17, 41, 57, 113, 121, HeaderSize + 5, len(seed) - 14, len(seed) - 10, len(seed) - 1} {
			bad := bytes.Clone(seed)
			bad[at] ^= 0x11
			f.Add(bad)
			f.Add(resealed(bad))
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, resealing := range []bool{false, true} {
			if resealing { // so that the checksum does not end every hunt
				if len(data) < HeaderSize+ChecksumSize {
					return
				}
				data = resealed(data)
			}
			got, err := Decode(data, search, table.Ruleset)
			var damage *tablebase.DamageError
			if err != nil {
				if got != nil || !errors.As(err, &damage) || damage.Found == "" || damage.Expected == "" || damage.Offset < 0 {
					t.Fatal(got, err)
				}
				continue
			}
			checkTable(t, got)
			again, err := Decode(plainFile(got, plainBody(got)), search, table.Ruleset)
			if err != nil {
				t.Fatal(err)
			}
			if diff := sameButDigest(got, again); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
