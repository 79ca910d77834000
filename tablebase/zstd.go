package tablebase

import (
	"bufio"
	"errors"
	"fmt"
	"io"

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
	// A single-segment frame is its own window, which the decoder does not hold against its
	// limit for windows.
	first, _ := buffered.Peek(zstd.HeaderMaxSize)
	var header zstd.Header
	if err := header.Decode(first); err == nil && header.SingleSegment && header.FrameContentSize > maxWindow {
		return nil, d.damage(zstd.ErrWindowSizeExceeded)
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

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.z.Read(p)
	d.read += int64(n)
	if err != nil && err != io.EOF {
		err = d.damage(err)
	}
	return n, err
}

// damage returns the input's own error, if that is what happened.
func (d *decompressor) damage(err error) error {
	if d.in.err != nil {
		return d.in.err
	}
	var known *DamageError
	if errors.As(err, &known) {
		return err
	}
	return &DamageError{Damage: BadZstd, Field: "zstd frame", Offset: d.read,
		Found: fmt.Sprintf("damaged (%v)", err), Expected: "a frame that decompresses", Err: err}
}

// Close stops the decoder's goroutines.
func (d *decompressor) Close() { d.z.Close() }
