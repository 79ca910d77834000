package tablebase_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"solved/rules"
	"solved/tablebase"
)

// countdown is a made-up game for the examples: position i is over for i = 0, every move goes to
// i−1 or i−2, and who cannot move has lost. The opening has one position, a draw.
type countdown struct{}

func (countdown) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	for i := range dst {
		n := lo + uint64(i)
		switch {
		case s == rules.Opening:
			dst[i] = rules.CodeDraw
		case n%3 == 0: // lost: whatever one takes, the other makes it three
			dst[i] = rules.Code(2 * (n / 3))
		default:
			dst[i] = rules.Code(2*(n/3) + 1)
		}
	}
	return nil
}

var countdownRules = rules.Ruleset{Name: "countdown", Tag: 0x434e5401, Positions: [rules.Sections]uint64{30, 1}, Longest: [rules.Sections]uint8{19, 0}}

// Write a table, open it, verify it, and look something up.
func Example() {
	dir, err := os.MkdirTemp("", "tablebase")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "countdown.ttb")
	ctx := context.Background()

	err = tablebase.Create(path, func(w io.Writer) error {
		_, err := tablebase.Write(ctx, w, countdownRules, countdown{}, 2, nil)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	table, err := tablebase.Open(path, tablebase.Mapped, countdownRules)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	digest, err := table.Verify(ctx, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(digest.Bytes, "bytes, decisive:", digest.Decisive)

	for _, index := range []uint64{0, 7, 12} {
		entry, err := table.Lookup(rules.Main, index)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(index, "is a", entry)
	}
	_, err = table.Lookup(rules.Main, 30)
	fmt.Println(err)
	// Output:
	// 100 bytes, decisive: [30 0]
	// 0 is a loss in 0
	// 7 is a win in 5
	// 12 is a loss in 8
	// index 30 is outside the main section of 30 positions
}

// A table of other rules does not open, and the error says why.
func ExampleOpen_wrongRules() {
	data := []byte("TTCCMP01\x01\x00\x00\x00\x02TNC\x01\x00\x00\x00\x00\x02\x00\x00" + string(make([]byte, 32)))
	_, err := tablebase.OpenBytes(data, countdownRules)
	fmt.Println(errors.Is(err, tablebase.WrongTag))
	fmt.Println(err)
	// Output:
	// true
	// not the ruleset asked for: rules tag at byte 12 is 0x434e5402, expected 0x434e5401 (countdown)
}

// A byte-per-position table is converted in one pass, and trusted once its end was right.
func ExampleNewByteReader() {
	ctx := context.Background()
	in, out := io.Pipe()
	go func() {
		_, err := tablebase.WriteBytes(ctx, out, countdownRules, countdown{}, 1, nil)
		out.CloseWithError(err)
	}()

	r, err := tablebase.NewByteReader(in, countdownRules)
	if err != nil {
		log.Fatal(err)
	}
	// With one thread a writer asks in order, as a stream needs.
	digest, err := tablebase.Write(ctx, io.Discard, r.Ruleset(), r, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := r.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Digest().Bytes, "bytes became", digest.Bytes)
	// Output: 79 bytes became 100
}
