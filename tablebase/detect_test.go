package tablebase

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
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
		kind, isCompressed, err := DetectFile(opened(t, "file", c.data))
		if err != nil || kind != c.inside || isCompressed != c.compressed {
			t.Errorf("%s: %s, %v, %v", c.name, kind, isCompressed, err)
		}
	}
	bad := opened(t, "bad", append([]byte(zstdMagic), 0xff, 0xff, 0xff))
	var damage *DamageError
	if _, _, err := DetectFile(bad); !errors.As(err, &damage) || damage.Damage != BadZstd || damage.Path != bad.Name() {
		t.Errorf("a bad frame: %v", err)
	}
	bad.Close()
	if _, _, err := DetectFile(bad); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// skippable is a frame to be skipped, as pzstd writes them.
func skippable(id byte, content string) []byte {
	frame := binary.LittleEndian.AppendUint32([]byte{0x50 | id, 0x2a, 0x4d, 0x18}, uint32(len(content)))
	return append(frame, content...)
}

// A zstd file may begin with frames to be skipped, and have more of them further on.
func TestSkippableFrames(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	half := func(data []byte) []byte {
		n := len(data) / 2
		return slices.Concat(skippable(0, "0123"), compressed(t, data[:n]), skippable(15, ""), skippable(3, "more"), compressed(t, data[n:]), skippable(1, "end"))
	}
	packed := half(writeCompact(t, rs, codes))
	table, err := Open(tempFile(t, "skippable.ttb.zst", packed), Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Verify(t.Context(), 1); err != nil {
		t.Error(err)
	}
	checkSource(t, rs, table, codes)
	if kind, compressed, err := DetectFile(opened(t, "t", packed)); kind != KindCompact || !compressed || err != nil {
		t.Errorf("%s, %v, %v", kind, compressed, err)
	}
	stream, err := NewByteReader(bytes.NewReader(half(writeByteTable(t, rs, codes))), rs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), io.Discard, rs, stream, 1, nil); err != nil {
		t.Error(err)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want Damage
	}{
		"nothing else":              {skippable(0, "0123"), ShortHeader},
		"cut within":                {skippable(0, "0123")[:10], BadZstd},
		"cut within its length":     {skippable(0, "0123")[:6], BadZstd},
		"longer than the file":      {[]byte("\x50\x2a\x4d\x18\xff\xff\xff\xffand so on"), BadZstd},
		"something else behind":     {append(skippable(0, "0123"), "TTCCMP01"...), BadZstd},
		"a long window behind":      {append(skippable(0, "0123"), 0x28, 0xb5, 0x2f, 0xfd, 0, 21<<3, 1, 0, 0), LongWindow},
		"a long segment behind":     {append(skippable(0, "0123"), 0x28, 0xb5, 0x2f, 0xfd, 0b10100000, 0, 0, 0, 0x40, 1, 0, 0), LongWindow},
		"a number past the sixteen": {[]byte("\x60\x2a\x4d\x18\x00\x00\x00\x00"), BadMagic},
		"a number before the first": {[]byte("\x4f\x2a\x4d\x18\x00\x00\x00\x00"), BadMagic},
	} {
		if _, err := OpenBytes(c.data, rs); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file is what it was when it was opened, whatever is under its name later.
func TestOpenFileIsThatFile(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	f := opened(t, "table.ttb", writeCompact(t, rs, codes))
	if err := os.WriteFile(f.Name()+".new", []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.Name()+".new", f.Name()); err != nil {
		t.Fatal(err)
	}
	if kind, _, err := DetectFile(f); kind != KindCompact || err != nil {
		t.Errorf("%s, %v", kind, err)
	}
	for _, mode := range []Mode{Mapped, Memory} {
		table, err := OpenFile(t.Context(), f, mode, rs)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if _, err := table.Verify(t.Context(), 1); err != nil || table.Path() != f.Name() {
			t.Errorf("%s, %v", table.Path(), err)
		}
		checkSource(t, rs, table, codes)
	}
	f.Close()
	if _, err := OpenFile(t.Context(), f, Mapped, rs); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}
