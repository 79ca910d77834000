package cli

import (
	"bytes"
	"errors"
	"io"
)

// TextInput returns a reader that leaves out a UTF-8 byte order mark at the start. Editors and
// shells of Windows write one. The mark of another encoding is an error of the first read. The
// reader reads only the mark ahead, so that the answer to the first line does not wait for the
// second.
func TextInput(in io.Reader) io.Reader { return &markedInput{in: in} }

// markedInput is text that may begin with a byte order mark.
type markedInput struct {
	in    io.Reader
	begun bool
	head  []byte // read already, and not part of a mark
}

// ErrNotUTF8 is the error of an input in UTF-16 or UTF-32.
var ErrNotUTF8 = errors.New("the input begins with the byte order mark of UTF-16 or UTF-32; it must be UTF-8")

func (m *markedInput) Read(p []byte) (int, error) {
	if !m.begun {
		m.begun = true
		if err := m.Begin(); err != nil {
			return 0, err
		}
	}
	if len(m.head) > 0 {
		n := copy(p, m.head)
		m.head = m.head[n:]
		return n, nil
	}
	return m.in.Read(p)
}

// Begin reads the mark byte by byte. If there is none, it keeps the bytes for Read.
func (m *markedInput) Begin() error {
	const utf8Mark = "\xef\xbb\xbf"
	marks := []string{utf8Mark, "\xfe\xff", "\xff\xfe"} // UTF-32's is that of UTF-16 and zeros, or comes after zeros
	for {
		possible := false
		for _, mark := range marks {
			switch {
			case string(m.head) == mark && mark != utf8Mark:
				return ErrNotUTF8
			case string(m.head) == mark:
				m.head = nil
				return nil
			case bytes.HasPrefix([]byte(mark), m.head):
				possible = true
			}
		}
		if !possible {
			return nil
		}
		var next [1]byte
		n, err := io.ReadFull(m.in, next[:])
		m.head = append(m.head, next[:n]...)
		if err != nil && len(m.head) > 0 {
			return nil // the next read returns the error again
		}
		if err != nil {
			return err
		}
	}
}
