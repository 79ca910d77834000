package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// batchReader reads a batch token by token, since encoding/json alone lets pass
// what must not quietly mean something else: a name in another case, a field
// given twice, null.
type batchReader struct {
	*json.Decoder
	text []byte
}

// ParseBatch reads the body of a batch strictly. It overwrites a byte order mark with
// white space. Its errors are problems.
func ParseBatch(text []byte) (BatchRequest, error) {
	var b BatchRequest
	if err := skipMark(text); err != nil {
		return b, err
	}
	in := batchReader{json.NewDecoder(bytes.NewReader(text)), text}
	in.UseNumber() // one that is too large for float64 is as wrong as any other
	if err := in.delimiter('{', "an object"); err != nil {
		return b, err
	}
	seen := make(map[string]bool, 2)
	for in.More() {
		at := in.next()
		token, err := in.Token()
		if err != nil {
			return b, in.syntax(err)
		}
		name, _ := token.(string) // the decoder has seen to it
		if seen[name] {
			return b, badBody(at, "the field %q is given more than once", name)
		}
		seen[name] = true
		switch name {
		case "positions":
			if b.Positions, err = in.positions(); err != nil {
				return b, err
			}
		case "moves":
			at := in.next()
			token, err := in.Token()
			if err != nil {
				return b, in.syntax(err)
			}
			moves, ok := token.(bool)
			if !ok {
				return b, badBody(at, "moves is true or false")
			}
			b.Moves = moves
		default:
			return b, badBody(at, "there is no field %q; known are positions and moves", name)
		}
	}
	if _, err := in.Token(); err != nil { // the closing brace
		return b, in.syntax(err)
	}
	if end := in.next(); end < len(text) {
		return b, badBody(end, "there is more after the object")
	}
	if len(b.Positions) == 0 {
		return b, NewProblem(BadBody, "The body names no position.")
	}
	return b, nil
}

// skipMark overwrites a byte order mark before a body with white space, so that the
// offsets of what follows stay; RFC 8259, section 8.1, lets a parser ignore it.
func skipMark(body []byte) error {
	if bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe")) {
		return badBody(0, "there is the byte order mark of UTF-16 or UTF-32; the body is JSON in UTF-8")
	}
	if mark := "\ufeff"; bytes.HasPrefix(body, []byte(mark)) {
		copy(body, "   ")
	}
	return nil
}

// positions reads the list of positions.
func (in batchReader) positions() ([]string, error) {
	if err := in.delimiter('[', "a list of strings"); err != nil {
		return nil, err
	}
	var all []string
	for in.More() {
		at := in.next()
		token, err := in.Token()
		if err != nil {
			return nil, in.syntax(err)
		}
		position, ok := token.(string)
		if !ok {
			return nil, badBody(at, "a position is a string")
		}
		if len(all) == MaxBatch {
			return nil, BatchTooLargeProblem(MaxBatch, "The batch has more than %d positions.", MaxBatch)
		}
		all = append(all, position)
	}
	if _, err := in.Token(); err != nil { // the closing bracket
		return nil, in.syntax(err)
	}
	return all, nil
}

// delimiter reads what opens an object or a list.
func (in batchReader) delimiter(want json.Delim, what string) error {
	at := in.next()
	token, err := in.Token()
	if err != nil {
		return in.syntax(err)
	}
	if token != want {
		return badBody(at, "%s is expected", what)
	}
	return nil
}

// next returns the offset of the next token: InputOffset is the end of the last
// one, before what separates the two.
func (in batchReader) next() int {
	at := int(in.InputOffset())
	for at < len(in.text) && strings.IndexByte(" \t\r\n,:", in.text[at]) >= 0 {
		at++
	}
	return at
}

// syntax is the problem that an error of the decoder is.
func (in batchReader) syntax(err error) *Problem {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		// Where the token begins: the error's own offset counts from several
		// places.
		return badBody(in.next(), "it is not JSON: %s", syntax)
	default: // io.EOF and io.ErrUnexpectedEOF
		return badBody(len(in.text), "it ends too early")
	}
}

func badBody(offset int, format string, args ...any) *Problem {
	p := NewProblem(BadBody, "The body does not parse: at byte %d, %s.", offset, fmt.Sprintf(format, args...))
	p.Offset = &offset
	return p
}
