package tablebase

import (
	"errors"
	"io/fs"
	"testing"
)

func TestDetect(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	compact, byteTable := writeCompact(t, rs, codes), writeByteTable(t, rs, codes)
	for _, c := range []struct {
		name       string
		data       []byte
		kind       Kind
		inside     Kind
		compressed bool
	}{
		{"compact", compact, KindCompact, KindCompact, false},
		{"bytes", byteTable, KindBytes, KindBytes, false},
		{"compressed compact", compressed(t, compact), KindZstd, KindCompact, true},
		{"compressed bytes", compressed(t, byteTable), KindZstd, KindBytes, true},
		{"compressed text", compressed(t, []byte("some text")), KindZstd, KindOther, true},
		{"compressed nothing", compressed(t, nil), KindZstd, KindOther, true},
		{"twice", compressed(t, compressed(t, compact)), KindZstd, KindZstd, true},
		{"seven bytes", compact[:7], KindOther, KindOther, false},
		{"eight bytes", compact[:8], KindCompact, KindCompact, false},
		{"empty", nil, KindOther, KindOther, false},
		{"text", []byte("TTCCMP02 and so on"), KindOther, KindOther, false},
	} {
		if got := Detect(c.data); got != c.kind {
			t.Errorf("%s: %s", c.name, got)
		}
		kind, isCompressed, err := DetectFile(tempFile(t, "file", c.data))
		if err != nil || kind != c.inside || isCompressed != c.compressed {
			t.Errorf("%s: %s, %v, %v", c.name, kind, isCompressed, err)
		}
	}
	path := tempFile(t, "bad", append([]byte(zstdMagic), 0xff, 0xff, 0xff))
	var damage *DamageError
	if _, _, err := DetectFile(path); !errors.As(err, &damage) || damage.Damage != BadZstd || damage.Path != path {
		t.Errorf("a bad frame: %v", err)
	}
	if _, _, err := DetectFile(path + ".not"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
