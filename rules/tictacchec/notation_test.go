package tictacchec

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"solved/rules"

	"pgregory.net/rapid"
)

// eachLine decodes every line of a file of JSON objects in testdata.
func eachLine[T any](t *testing.T, name string, visit func(T)) (seen int) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		visit(v)
		seen++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return seen
}

// refusal is one line of the published list of texts that must be refused.
type refusal struct {
	Position, Name, Reason string
	Status                 int
}

func TestRefusals(t *testing.T) {
	seen := eachLine(t, "refusals.jsonl", func(v refusal) {
		p, _, err := Parse(v.Position)
		if p != (Position{}) {
			t.Errorf("%q: refused, yet a position is returned", v.Position)
		}
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case errors.As(err, &malformed):
			if v.Status != 400 || v.Name != "malformed-position" {
				t.Errorf("%v, want %+v", err, v)
			}
		case errors.As(err, &illegal):
			if v.Status != 422 || v.Name != "illegal-position" || illegal.Reason != v.Reason {
				t.Errorf("%v, want %+v", err, v)
			}
		default:
			t.Errorf("%q: %v, want %+v", v.Position, err, v)
		}
		checkParse(t, v.Position)
	})
	if seen != 56 {
		t.Errorf("saw %d refusals, want 56", seen)
	}
}

// TestMalformedOffsets pins the first byte that cannot be right.
func TestMalformedOffsets(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
	}{
		{"", 0},
		{" ", 0},
		{"x", 0},
		{"w", 0},
		{"\x00", 0},
		{"\xff\xfe", 0},
		{"４", 0},
		{"0", 0},
		{"5", 0},
		{"/", 0},
		{"4", 1},
		{"4/", 2},
		{"45", 1},
		{"22", 1},
		{"2P2", 2},
		{"3/", 1},
		{"PP", 1},
		{"PNBRp", 4},
		{"4/4/4 w -- o", 5},
		{"4/4/4/4/4 w -- o", 7},
		{"4/4/4/3 w -- o", 7},
		{"4/4/4/４ w -- o", 6},
		{"p3/4/p3/4 w -d m", 5},
		{"PNBR/pnbr/3", 10}, // no piece is left to fill the row
		{"PNBR/pnb1/2r2", 12},
		{"4/4/4/4", 7},
		{"4/4/4/4 ", 8},
		{"4/4/4/4\tw -- o", 7},
		{"4/4/4/4-w", 7},
		{"4/4/4/4  w -- o", 8},
		{"4/4/4/4 W -- o", 8},
		{"4/4/4/4 w", 9},
		{"4/4/4/4 w_-- o", 9},
		{"4/4/4/4_w -- o", 9},
		{"4/4/4/4_w_-- o", 12},
		{"4/4/4/4 w - o", 11},
		{"4/4/4/4 w --- o", 12},
		{"4/4/4/4 w UD o", 10},
		{"4/4/4/4 w -D o", 11},
		{"4/4/4/4 w -- O", 13},
		{"4/4/4/4 w --", 12},
		{"4/4/4/4 w -- ", 13},
		{"4/4/4/4 w -- o ", 14},
		{"4/4/4/4 w -- o\n", 14},
		{"4/4/4/4 w -- om", 14},
		{"p", 1},
		{"po", 2},
		{"pos1", 3},
		{"post", 4},
		{"post:", 5},
		{"post: 1", 5},
		{"post:-1", 5},
		{"post:+1", 5},
		{"post:01", 6},
		{"post:00", 6},
		{"post:1.0", 6},
		{"post:1_000", 6},
		{"post:1 ", 6},
		{"post:0x1", 6},
		{"post:١", 5},
		{"post:2462360745", 14},
		{"post:2462360750", 14}, // 246236075 is in range
		{"post:9999999999", 14},
		{"post:99999999990", 14},
		{"post:3000000000", 14},
		{"post:18446744073709551616", 15},
		{"post:24623607440", 15},
		{"POST:1", 1},
		{"Post:1", 1},
		{"o", 1},
		{"opening", 7},
		{"opening:", 8},
		{"openinG:1", 6},
		{"opening:14236865", 15},
		{"opening:142368640", 16},
		{"opening:00", 9},
	} {
		_, _, err := Parse(c.text)
		var malformed *rules.MalformedPositionError
		if !errors.As(err, &malformed) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if malformed.Offset != c.offset {
			t.Errorf("%v, want byte %d", err, c.offset)
		}
		checkParse(t, c.text)
	}
}

func TestIllegalPositions(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"4/4/4/P3 w -- m", ReasonPawnDirection},
		{"4/4/4/P3 w uu m", ReasonPawnDirection},
		{"4/4/P3/4 w -d m", ReasonPawnDirection},
		{"4/4/4/4_w_-u_m", ReasonPawnDirection},
		{"4/4/4/P3 w d- m", ReasonPawnDirection},
		{"P3/4/4/4 w u- m", ReasonPawnDirection},
		{"4/4/4/p3 w -d o", ReasonPawnDirection}, // before opening-count
		{"4/4/4/n3 w -- o", ReasonOpeningCount},
		{"PNBR/4/4/4 b d- o", ReasonOpeningCount}, // before lines
		{"NBR1/nbr1/4/4 b -- o", ReasonOpeningCount},
		{"PNB1/pnbr/4/4 w dd o", ReasonOpeningCount},
		{"4/4/4/4 b -- o", ReasonOpeningSide},
		{"4/N3/P3/p3 w du o", ReasonOpeningSide}, // before opening-pawn
		{"4/N3/P3/p3 b du o", ReasonOpeningPawn},
		{"4/4/P3/4 b d- o", ReasonOpeningPawn},
		{"N3/4/p3/4 w -u o", ReasonOpeningPawn},
		{"PNBR/4/4/pnbr b du m", ReasonTwoLines},
		{"PNBR/4/4/pnbr w du m", ReasonTwoLines},
		{"PNBR/4/4/4 w d- m", ReasonMoverLine},
		{"3p/2n1/1b2/r3 b -d m", ReasonMoverLine},
	} {
		_, byKey, err := Parse(c.text)
		var illegal *rules.IllegalPositionError
		if !errors.As(err, &illegal) || illegal.Reason != c.reason || byKey {
			t.Errorf("%q: by key %v, %v, want %s", c.text, byKey, err, c.reason)
		}
		checkParse(t, c.text)
	}
}

// TestIllegalKeys: the index counts positions in which the mover owns a line;
// their keys are refused with the same reasons as their strings.
func TestIllegalKeys(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"PNBR/4/4/4 w d- m", ReasonMoverLine},
		{"PNBR/pn2/br2/4 w dd m", ReasonMoverLine},
		{"PNBR/4/4/pnbr w du m", ReasonTwoLines},
	} {
		// Parse refuses the string, so the position is built from the reference's.
		board, ok := ReadReferenceBoard(c.text)
		if !ok {
			t.Fatal(c.text)
		}
		_, index := board.Index()
		key := "post:" + strconv.FormatUint(index, 10)
		_, byKey, err := Parse(key)
		var illegal *rules.IllegalPositionError
		if !errors.As(err, &illegal) || illegal.Reason != c.reason || illegal.Position != key || !byKey {
			t.Errorf("%s (%s): by key %v, %v, want %s", key, c.text, byKey, err, c.reason)
		}
		checkParse(t, key)
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		text, want, key string
		byKey           bool
	}{
		{"4/4/4/4 w -- o", "4/4/4/4 w -- o", "opening:0", false},
		{"4/4/4/4_w_--_o", "4/4/4/4 w -- o", "opening:0", false},
		{"opening:0", "4/4/4/4 w -- o", "opening:0", true},
		{"post:0", "4/4/4/4 w -- m", "post:0", true},
		{"4/4/4/4 b -- m", "4/4/4/4 b -- m", "post:0", false},
		{"Pb2/n1R1/2rp/N3_w_dd_m", "Pb2/n1R1/2rp/N3 w dd m", "post:1059850930", false},
		{"post:1059850930", "Pb2/n1R1/2rp/N3 w dd m", "post:1059850930", true},
		{"Pb2/n1R1/2rp/N2B b dd m", "Pb2/n1R1/2rp/N2B b dd m", "post:1937912181", false},
		{"post:1937912181", "b2n/PR2/1r1N/2Bp w uu m", "post:1937912181", true},
		{"4/1Nn1/BPRr/b3 b u- m", "4/1Nn1/BPRr/b3 b u- m", "post:1276048331", false},
		{"post:2148899478", "4/pnP1/1BRr/Nb2 w uu m", "post:2148899478", true},
		{"1P1N/1B1R/1p1n/1b1r w du m", "1P1N/1B1R/1p1n/1b1r w du m", "", false},
		{"PNBR/4/4/4 b d- m", "PNBR/4/4/4 b d- m", "", false}, // terminal, and legal
	} {
		p, byKey, err := Parse(c.text)
		if err != nil || byKey != c.byKey {
			t.Errorf("%q: by key %v, %v", c.text, byKey, err)
			continue
		}
		if got := p.String(); got != c.want {
			t.Errorf("%q is printed as %q, want %q", c.text, got, c.want)
		}
		if got := p.Key(); c.key != "" && got != c.key {
			t.Errorf("%q has key %s, want %s", c.text, got, c.key)
		}
		checkParse(t, c.text)
	}
	last := "post:2462360744"
	if p, _, err := Parse(last); err == nil && p.Key() != last {
		t.Errorf("%s has key %s", last, p.Key())
	}
	if p, _, err := Parse("opening:14236864"); err != nil || p.Key() != "opening:14236864" {
		t.Errorf("the last of the opening: %s, %v", p, err)
	}
}

// TestReading holds random positions against what is printed of them.
func TestReading(t *testing.T) {
	rng := newRand(50)
	for range 20_000 {
		p := randomMain(rng)
		if rng.IntN(4) == 0 {
			p = randomOpening(rng)
		}
		text := p.String()
		moverLine := lineAt[p.occupied(p.side)] == completeLine
		for _, text := range [2]string{text, strings.ReplaceAll(text, " ", "_")} {
			if q, byKey, err := Parse(text); !moverLine && (q != p || byKey || err != nil) || moverLine && err == nil {
				t.Fatalf("%q is read as %s, by key %v, %v", text, q, byKey, err)
			}
		}
		normal := p
		if p.phase == MainPhase && p.side == rules.Black {
			normal = p.SwapColours()
		}
		if q, byKey, err := Parse(p.Key()); !moverLine && (q != normal || !byKey || err != nil) || moverLine && err == nil {
			t.Fatalf("%s, the key of %s, is read as %s, by key %v, %v", p.Key(), p, q, byKey, err)
		}
	}
}

// wellFormed is the grammar once more, as a pattern and three side conditions.
func wellFormed(text string) bool {
	if number, isKey := strings.CutPrefix(text, "post:"); isKey {
		return keyNumber.MatchString(number) && (len(number) < 10 || len(number) == 10 && number < "2462360745")
	}
	if number, isKey := strings.CutPrefix(text, "opening:"); isKey {
		return keyNumber.MatchString(number) && (len(number) < 8 || len(number) == 8 && number < "14236865")
	}
	if !positionPattern.MatchString(text) {
		return false
	}
	board, _, _ := strings.Cut(strings.ReplaceAll(text, "_", " "), " ")
	for row := range strings.SplitSeq(board, "/") {
		width := 0
		for i := range len(row) {
			if row[i] >= '1' && row[i] <= '4' {
				width += int(row[i] - '0')
				if i > 0 && row[i-1] >= '1' && row[i-1] <= '4' {
					return false
				}
			} else {
				width++
			}
		}
		if width != 4 {
			return false
		}
	}
	for _, piece := range "PNBRpnbr" {
		if strings.Count(board, string(piece)) > 1 {
			return false
		}
	}
	return true
}

var (
	keyNumber       = regexp.MustCompile(`\A(0|[1-9][0-9]*)\z`)
	positionPattern = regexp.MustCompile(`\A[PNBRpnbr1-4]+(/[PNBRpnbr1-4]+){3}( [wb] [ud-]{2} [om]|_[wb]_[ud-]{2}_[om])\z`)
)

// firstFault is the list of illegal positions once more, over the letters of a
// well-formed position string.
func firstFault(text string) string {
	fields := strings.Fields(strings.ReplaceAll(text, "_", " "))
	b, _ := ReadReferenceBoard(strings.Join(fields, " "))
	whites, blacks := 0, 0
	for _, letter := range b.Squares {
		if white(letter) {
			whites++
		}
		if black(letter) {
			blacks++
		}
	}
	for i, pawn := range []byte("Pp") {
		direction := fields[2][i]
		s := slices.Index(b.Squares[:], pawn)
		if (s < 0) != (direction == '-') || s >= 0 && s < 4 && direction == 'd' || s >= 12 && direction == 'u' {
			return "pawn-direction"
		}
	}
	if b.Opening {
		ply := slices.Index([]string{"0/0", "1/0", "1/1", "2/1", "2/2", "3/2"}, strconv.Itoa(whites)+"/"+strconv.Itoa(blacks))
		if ply < 0 {
			return "opening-count"
		}
		if b.BlackToMove != (ply%2 == 1) {
			return "opening-side"
		}
		if s := slices.Index(b.Squares[:], 'P'); s >= 4 && s < 12 && fields[2][0] == 'd' {
			return "opening-pawn"
		}
		if s := slices.Index(b.Squares[:], 'p'); s >= 4 && s < 12 && fields[2][1] == 'u' {
			return "opening-pawn"
		}
	}
	if b.WhiteOwnsLine() && b.BlackOwnsLine() {
		return "two-lines"
	}
	if b.BlackToMove && b.BlackOwnsLine() || !b.BlackToMove && b.WhiteOwnsLine() {
		return "mover-line"
	}
	return ""
}

// checkParse holds everything that is true of Parse for every text.
func checkParse(t reporter, text string) {
	t.Helper()
	p, byKey, err := Parse(text)
	var malformed *rules.MalformedPositionError
	var illegal *rules.IllegalPositionError
	switch {
	case errors.As(err, &malformed):
		if wellFormed(text) {
			t.Fatalf("%q is well formed: %v", text, err)
		}
		if malformed.Position != text || malformed.Detail == "" || malformed.Offset < 0 || malformed.Offset > len(text) {
			t.Fatalf("%q: %+v", text, malformed)
		}
		checkOffset(t, text, malformed.Offset)
		return
	case errors.As(err, &illegal):
		if illegal.Position != text || illegal.Detail == "" {
			t.Fatalf("%q: %+v", text, illegal)
		}
	case err != nil:
		t.Fatalf("%q: an error of another type: %v", text, err)
	}
	if !wellFormed(text) {
		t.Fatalf("%q is not well formed, yet: %v", text, err)
	}
	if byKey != strings.Contains(text, ":") {
		t.Fatalf("%q: by key %v", text, byKey)
	}
	switch {
	case illegal != nil && byKey:
		if illegal.Reason != ReasonTwoLines && illegal.Reason != ReasonMoverLine {
			t.Fatalf("%q: %v", text, err)
		}
	case illegal != nil:
		if want := firstFault(text); illegal.Reason != want {
			t.Fatalf("%q: %v, want %q", text, err, want)
		}
	case byKey:
		if p.Key() != text || p.phase == MainPhase && p.side != rules.White || firstFault(p.String()) != "" {
			t.Fatalf("%q is read as %s, %s", text, p, p.Key())
		}
	default:
		if want := firstFault(text); want != "" {
			t.Fatalf("%q is accepted, want %s", text, want)
		}
		printed := p.String()
		if printed != strings.ReplaceAll(text, "_", " ") {
			t.Fatalf("%q is printed as %q", text, printed)
		}
		if again, _, err := Parse(printed); again != p || err != nil {
			t.Fatalf("%q is printed as %q, which is %s, %v", text, printed, again, err)
		}
	}
}

// checkOffset shows that an offset is that of the first byte that cannot be
// right: what is before it can go on to something well formed, and with the
// byte at it, it cannot.
func checkOffset(t reporter, text string, offset int) {
	t.Helper()
	prefix := text[:offset]
	for n := 0; !wellFormed(prefix); n++ {
		next, ok := viable(prefix)
		if !ok || n > 30 {
			t.Fatalf("%q: nothing goes on from %q", text, prefix)
		}
		prefix = next
	}
	if offset < len(text) {
		if _, _, err := Parse(text[:offset+1]); !stopsAt(err, offset) {
			t.Fatalf("%q: byte %d cannot be right, but in %q it can: %v", text, offset, text[:offset+1], err)
		}
	}
}

// viable returns the text with one more byte that Parse does not stop at.
func viable(text string) (string, bool) {
	for _, c := range []byte("4321PNBRpnbr/ wb-uom:0_stening") {
		next := text + string(c)
		if _, _, err := Parse(next); !stopsAt(err, len(text)) {
			return next, true
		}
	}
	return "", false
}

func stopsAt(err error, offset int) bool {
	var malformed *rules.MalformedPositionError
	return errors.As(err, &malformed) && malformed.Offset <= offset
}

// TestOffsetsOfPrefixes: every beginning of something well formed is right as
// far as it goes.
func TestOffsetsOfPrefixes(t *testing.T) {
	rng := newRand(51)
	for range 2_000 {
		p := randomMain(rng)
		for _, text := range []string{p.String(), strings.ReplaceAll(p.String(), " ", "_"), p.Key(), randomOpening(rng).Key()} {
			for n := range len(text) {
				_, _, err := Parse(text[:n])
				var malformed *rules.MalformedPositionError
				if errors.As(err, &malformed) && malformed.Offset != n {
					t.Fatalf("%q begins %q, yet %v", text[:n], text, err)
				}
			}
		}
	}
}

// anyText draws texts that look like positions: right ones, ones with a few bytes
// changed, and ones with fields that do not belong together.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var text string
		if rapid.Bool().Draw(t, "key") {
			text = rapid.SampledFrom([]string{"post:", "opening:"}).Draw(t, "prefix") +
				strconv.FormatUint(rapid.Uint64Range(0, 3_000_000_000).Draw(t, "number"), 10)
		} else {
			squares := slices.Repeat([]byte("."), 16)
			for _, piece := range []byte("PNBRpnbr") {
				if rapid.Bool().Draw(t, "on") {
					squares[rapid.IntRange(0, 15).Draw(t, "square")] = piece
				}
			}
			b := ReferenceBoard{
				Squares:     [16]byte(squares),
				BlackToMove: rapid.Bool().Draw(t, "black"),
				Opening:     rapid.Bool().Draw(t, "opening"),
			}
			fields := strings.Fields(b.String())
			fields[2] = rapid.StringMatching("[ud-]{2}").Draw(t, "directions")
			text = strings.Join(fields, rapid.SampledFrom([]string{" ", "_"}).Draw(t, "separator"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			until := min(at+rapid.IntRange(0, 2).Draw(t, "dropped"), len(text))
			text = text[:at] + rapid.StringMatching(`[PNBRpnbr1-4/ _wbud:om0-9-]{0,2}`).Draw(t, "inserted") + text[until:]
		}
		return text
	})
}

func TestParseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkParse(t, anyText().Draw(t, "text")) })
	// rapid draws few texts; the same laws over many with one byte changed.
	rng := newRand(52)
	for range 20_000 {
		text := []byte(randomMain(rng).String())
		if rng.IntN(4) == 0 {
			text = []byte(randomOpening(rng).Key())
		}
		text[rng.IntN(len(text))] = "PNBRpnbr1234/ wbud-om:0_\x00\xff"[rng.IntN(26)]
		checkParse(t, string(text))
	}
}

// reporter is what *testing.T and *rapid.T have in common that is needed here.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "4/4/4/4 w -- o", "4/4/4/4_w_--_o", "Pb2/n1R1/2rp/N3 w dd m", "1P1N/1B1R/1p1n/1b1r w du m", "PNBR/pnbr/3",
		"PNBR/4/4/pnbr w du m", "4/P3/4/4 b d- o", "4/4/4/４ w -- o", "post:0", "post:2462360744", "post:2462360745", "post:01",
		"opening:14236864", "opening:-1", "post", "\xff", "4/4/4/4 w -- o\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkParse(t, text) })
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	p, _, err := Parse("Pb2/n1R1/2rp/N3 w dd m")
	if err != nil {
		t.Fatal(err)
	}
	got := []byte("x ")
	got = append(p.AppendString(got), ' ')
	got = append(p.AppendKey(got), ' ')
	got = append(Move{WhiteBishop, NoSquare, 3}.AppendString(got), ' ')
	got = Move{WhiteRook, 10, 11}.AppendString(got)
	if want := "x Pb2/n1R1/2rp/N3 w dd m post:1059850930 B@d1 c3-d3"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNotationAllocates(t *testing.T) {
	p, _, _ := Parse("1P1N/1B1R/1p1n/1b1r w du m")
	var buffer [64]byte
	for _, c := range []struct {
		name string
		want float64
		run  func()
	}{
		{"Parse", 0, func() { Parse("1P1N/1B1R/1p1n/1b1r w du m") }},
		{"Parse of a key", 0, func() { Parse("post:1059850930") }},
		{"AppendString", 0, func() { p.AppendString(buffer[:0]) }},
		{"AppendKey", 0, func() { p.AppendKey(buffer[:0]) }},
		{"Move.AppendString", 0, func() { Move{WhiteRook, 10, 11}.AppendString(buffer[:0]) }},
		{"String", 1, func() { sink = p.String() }},
		{"Key", 1, func() { sink = p.Key() }},
	} {
		if got := testing.AllocsPerRun(100, c.run); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
}

// sink keeps results that would otherwise not be computed.
var sink string

func TestDiagram(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"4/4/4/4 w -- o", `4  .  .  .  .
3  .  .  .  .
2  .  .  .  .
1  .  .  .  .
   a  b  c  d
White to move, opening; in hand: White PNBR, Black pnbr
`},
		{"Pb2/n1R1/2rp/N3 b du m", `4  Pv b  .  .
3  n  .  R  .
2  .  .  r  p^
1  N  .  .  .
   a  b  c  d
Black to move, main phase; in hand: White B, Black -
`},
	} {
		p, _, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Diagram(); got != c.want {
			t.Errorf("%s:\n%s", c.text, got)
		}
	}
}
