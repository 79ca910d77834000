package api

import (
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"
)

// The answers that are asked for most are written without reflection, which else
// takes more time than everything about them together. What comes out is what
// encoding/json writes, byte for byte; a test holds the two together.

// appender is a value that appends its own JSON.
type appender interface{ appendJSON(b []byte) []byte }

func (p *PiecesProbe) appendJSON(b []byte) []byte {
	b = append(b, `{"rules":`...)
	b = p.Rules.appendJSON(b)
	b = appendField(b, `,"kind":`, p.Kind)
	b = appendField(b, `,"position":`, p.Position)
	b = appendField(b, `,"key":`, p.Key)
	b = strconv.AppendBool(append(b, `,"normalised":`...), p.Normalised)
	b = strconv.AppendBool(append(b, `,"reachable":`...), p.Reachable)
	b = appendField(b, `,"side_to_move":`, p.SideToMove)
	b = p.Board.appendJSON(append(b, `,"board":`...))
	b = appendNullable(b, `,"pawn_directions":{"white":`, p.PawnDirections.White)
	b = appendNullable(b, `,"black":`, p.PawnDirections.Black)
	b = appendField(b, `},"hands":{"white":`, p.Hands.White)
	b = appendField(b, `,"black":`, p.Hands.Black)
	b = strconv.AppendBool(append(b, `},"terminal":`...), p.Terminal)
	b = appendNullable(b, `,"winner":`, p.Winner)
	b = append(b, `,"winning_line":`...)
	if p.WinningLine == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i, square := range p.WinningLine {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, square)
		}
		b = append(b, ']')
	}
	b = appendField(b, `,"value":`, p.Value)
	b = appendPlies(b, `,"distance":`, p.Distance)
	b = append(b, `,"moves":`...)
	if p.Moves == nil {
		return append(b, "null}"...)
	}
	b = append(b, '[')
	for i := range p.Moves {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.Moves[i].appendJSON(b)
	}
	return append(b, "]}"...)
}

func (r Rules) appendJSON(b []byte) []byte {
	b = appendField(b, `{"name":`, r.Name)
	b = appendField(b, `,"tag":`, r.Tag)
	return append(b, '}')
}

func (a *Board) appendJSON(b []byte) []byte {
	b = appendField(b, `{"shape":`, a.Shape)
	b = strconv.AppendInt(append(b, `,"files":`...), int64(a.Files), 10)
	b = strconv.AppendInt(append(b, `,"ranks":`...), int64(a.Ranks), 10)
	b = append(b, `,"squares":`...)
	if a.Squares == nil {
		return append(b, "null}"...)
	}
	b = append(b, '[')
	for i, s := range a.Squares {
		before := ","
		if i == 0 {
			before = ""
		}
		b = appendNullable(b, before, s)
	}
	return append(b, "]}"...)
}

func (m *PiecesMove) appendJSON(b []byte) []byte {
	b = appendField(b, `{"move":`, m.Move)
	b = strconv.AppendInt(append(b, `,"index":`...), int64(m.Index), 10)
	b = appendField(b, `,"piece":`, m.Piece)
	b = appendNullable(b, `,"from":`, m.From)
	b = appendField(b, `,"to":`, m.To)
	b = appendNullable(b, `,"captures":`, m.Captures)
	b = appendField(b, `,"value":`, m.Value)
	b = appendPlies(b, `,"distance":`, m.Distance)
	b = strconv.AppendBool(append(b, `,"optimal":`...), m.Optimal)
	b = strconv.AppendBool(append(b, `,"preserves_value":`...), m.PreservesValue)
	b = appendField(b, `,"child":{"position":`, m.Child.Position)
	b = appendField(b, `,"key":`, m.Child.Key)
	b = strconv.AppendBool(append(b, `,"terminal":`...), m.Child.Terminal)
	b = appendField(b, `,"value":`, m.Child.Value)
	b = appendPlies(b, `,"distance":`, m.Child.Distance)
	return append(b, "}}"...)
}

func (a *BatchAnswer) appendJSON(b []byte) []byte {
	if a.Results == nil {
		return append(b, `{"results":null}`...)
	}
	b = append(b, `{"results":[`...)
	for i := range a.Results {
		if i > 0 {
			b = append(b, ',')
		}
		b = a.Results[i].appendJSON(b)
	}
	return append(b, "]}"...)
}

func (r BatchResult) appendJSON(b []byte) []byte {
	b = append(b, `{"probe":`...)
	if r.Probe == nil {
		b = append(b, "null"...)
	} else {
		b = AppendJSON(b, r.Probe)
	}
	b = append(b, `,"problem":`...)
	b = appendAny(b, r.Problem)
	return append(b, '}')
}

func (l *PiecesLine) appendJSON(b []byte) []byte {
	b = append(b, `{"rules":`...)
	b = l.Rules.appendJSON(b)
	b = appendField(b, `,"kind":`, l.Kind)
	b = appendField(b, `,"position":`, l.Position)
	b = appendField(b, `,"key":`, l.Key)
	b = strconv.AppendBool(append(b, `,"normalised":`...), l.Normalised)
	b = appendField(b, `,"side_to_move":`, l.SideToMove)
	b = appendField(b, `,"value":`, l.Value)
	b = appendPlies(b, `,"distance":`, l.Distance)
	b = append(b, `,"line":`...)
	if l.Line == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i := range l.Line {
			if i > 0 {
				b = append(b, ',')
			}
			b = l.Line[i].appendJSON(b)
		}
		b = append(b, ']')
	}
	b = appendField(b, `,"end":`, l.End)
	b = appendPlies(b, `,"cycle_start":`, l.CycleStart)
	return append(b, '}')
}

func (s *PiecesStep) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"ply":`...), int64(s.Ply), 10)
	b = appendField(b, `,"move":`, s.Move)
	b = appendNullable(b, `,"captures":`, s.Captures)
	b = appendField(b, `,"position":`, s.Position)
	b = appendField(b, `,"key":`, s.Key)
	b = appendField(b, `,"value":`, s.Value)
	b = appendPlies(b, `,"distance":`, s.Distance)
	return append(b, '}')
}

// AppendJSON appends the JSON of a value of this package, on one line.
func AppendJSON(b []byte, v any) []byte {
	if a, ok := v.(appender); ok {
		return a.appendJSON(b)
	}
	return appendAny(b, v)
}

// WriteJSON writes a value of this package as the body of an answer: one line
// of JSON, ended by a newline.
func WriteJSON(w io.Writer, v any) error {
	_, err := w.Write(append(AppendJSON(nil, v), '\n'))
	return err
}

// appendField appends a field that is a string, after what comes before it.
func appendField(b []byte, before, s string) []byte { return appendString(append(b, before...), s) }

func appendNullable(b []byte, before string, s *string) []byte {
	if b = append(b, before...); s == nil {
		return append(b, "null"...)
	}
	return appendString(b, *s)
}

func appendPlies(b []byte, before string, plies *int) []byte {
	if b = append(b, before...); plies == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(*plies), 10)
}

// appendString appends a string; what is in need of an escape is left to
// encoding/json.
func appendString(b []byte, s string) []byte {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if mayNeedEscape(s[i : i+8]) {
			return appendAny(b, s)
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendAny(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// mayNeedEscape says whether one of eight bytes may need an escape, all at once: of a
// byte in one word that is less than n, subtracting n sets the highest bit, which was
// not set. It may be wrong about the byte after one that does.
func mayNeedEscape(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, backslash := word^each*'"', word^each*'\\'
	return (word|(word-each*' ')|(quote-each)&^quote|(backslash-each)&^backslash)&high != 0
}

// appendAny appends whatever there is, by encoding/json.
func appendAny(b []byte, v any) []byte {
	if p, ok := v.(*Problem); ok && p == nil {
		return append(b, "null"...)
	}
	w := appendWriter{b}
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // a type of ours that cannot be encoded; becomes an internal error
	}
	return w.b[:len(w.b)-1] // without the encoder's newline
}

type appendWriter struct{ b []byte }

func (w *appendWriter) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}
