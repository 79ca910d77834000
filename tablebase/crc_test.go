package tablebase

import (
	"hash/crc64"
	"testing"

	"pgregory.net/rapid"
)

// The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms.
func TestCRCCheckValue(t *testing.T) {
	const want = 0x995dc9bbdf1939fa
	if got := crc64.Checksum([]byte("123456789"), crcTable); got != want {
		t.Errorf("hash/crc64 gives %016x, want %016x", got, uint64(want))
	}
	if got := plainCRC([]byte("123456789")); got != want {
		t.Errorf("plainCRC gives %016x, want %016x", got, uint64(want))
	}
}

// The checksum of two parts joined is that of the whole.
func TestCombineCRC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOf(rapid.Byte()).Draw(t, "a")
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		want := crc64.Checksum(append(append([]byte(nil), a...), b...), crcTable)
		got := combineCRC(crc64.Checksum(a, crcTable), crc64.Checksum(b, crcTable), int64(len(b)))
		if got != want {
			t.Fatalf("combined %016x, want %016x", got, want)
		}
	})
}

// A length of gigabytes, which no slice of random bytes has: the shift is by as many zeros.
func TestCombineCRCLong(t *testing.T) {
	const length = 3 << 20
	zeros := crc64.Checksum(make([]byte, length), crcTable)
	a := crc64.Checksum([]byte("a table"), crcTable)
	want := crc64.Update(a, crcTable, make([]byte, length))
	if got := combineCRC(a, zeros, length); got != want {
		t.Errorf("combined %016x, want %016x", got, want)
	}
	// And in steps up to 3 GiB both ways.
	once, times := zeros, int64(1)
	for times < 1024 {
		once = combineCRC(once, once, times*length)
		times *= 2
	}
	stepwise := a
	for range 1024 {
		stepwise = combineCRC(stepwise, zeros, length)
	}
	if got := combineCRC(a, once, times*length); got != stepwise {
		t.Errorf("combined at once %016x, in steps %016x", got, stepwise)
	}
}
