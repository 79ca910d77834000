package tablebase

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the greatest history, in bytes, that a zstd frame may ask for: what the zstd
// command itself accepts without --long or --memory.
const maxWindow = 128 << 20

// decompressor reads a zstd stream and tells damage to it from trouble with the input.
type decompressor struct {
	in   *inputErrors
	z    *zstd.Decoder
	read int64
}

// inputErrors remembers the error of a reader, as a decoder mixes it with its own.
type inputErrors struct {
	r   io.Reader
	err error
}

func (r *inputErrors) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// newDecompressor begins to read a zstd stream. No frame that claims more than maxContent
// bytes (or maxWindow, if that is more) is accepted, and the memory that a frame makes the
// decoder allocate is bounded by the same; for the first frame, by maxWindow.
func newDecompressor(r io.Reader, maxContent int64) (*decompressor, error) {
	in := &inputErrors{r: r}
	buffered := bufio.NewReaderSize(in, 1<<16)
	d := &decompressor{in: in}
	if err := CheckWindow(buffered, maxWindow); err != nil {
		return nil, d.damage(err)
	}
	z, err := zstd.NewReader(buffered,
		zstd.WithDecoderMaxWindow(maxWindow),
		zstd.WithDecoderMaxMemory(uint64(max(maxContent, maxWindow))))
	if err != nil {
		return nil, d.damage(err)
	}
	d.z = z
	return d, nil
}

// CheckWindow passes over the skippable frames at the start of a zstd stream (pzstd writes one),
// and returns a *DamageError if the frame behind them asks for a window of more than most bytes.
// A decoder finds any other damage. r has room for zstd.HeaderMaxSize.
func CheckWindow(r *bufio.Reader, most uint64) error {
	for {
		first, _ := r.Peek(zstd.HeaderMaxSize)
		var header zstd.Header
		if err := header.Decode(first); err != nil {
			return nil
		}
		if header.Skippable {
			frame := int64(header.HeaderSize) + int64(header.SkippableSize)
			if _, err := io.CopyN(io.Discard, r, frame); err != nil {
				return err
			}
			continue
		}
		window := header.WindowSize
		if header.SingleSegment {
			// Its content is its window, which a decoder does not hold against its limit.
			window = header.FrameContentSize
		}
		if window <= most {
			return nil
		}
		return &DamageError{Damage: LongWindow, Field: "zstd frame", Found: fmt.Sprintf("one with a window of %d bytes", window),
			Expected: fmt.Sprintf("a window of at most %d bytes, as zstd --long=%d gives", most, bits.Len64(most)-1)}
	}
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.z.Read(p)
	d.read += int64(n)
	if err != nil && err != io.EOF {
		err = d.damage(err)
	}
	return n, err
}

// damage returns the input's own error, if there is one.
func (d *decompressor) damage(err error) error {
	if d.in.err != nil {
		return d.in.err
	}
	var known *DamageError
	if errors.As(err, &known) {
		return err
	}
	return BadFrame(err, d.read)
}

// BadFrame is the *DamageError of a zstd stream that a decoder has refused with an error when it
// had given that many bytes.
func BadFrame(err error, given int64) error {
	found, expected := fmt.Sprintf("damaged (%v)", err), "a frame that decompresses"
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		found = "one whose window is too long, or too short for what is in it"
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		found, expected = "one that claims to hold more than any table", "a frame of one table"
	}
	return &DamageError{Damage: BadZstd, Field: "zstd frame", Offset: given, Found: found, Expected: expected, Err: err}
}

// Close stops the decoder's goroutines.
func (d *decompressor) Close() { d.z.Close() }
