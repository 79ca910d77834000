package game

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"solved/api"
	"solved/rules"
)

// WriteTable writes rows in columns, each ended by a newline.
func WriteTable(b *strings.Builder, rows func(w *tabwriter.Writer)) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	rows(w)
	w.Flush()
}

// Star marks optimal moves.
func Star(optimal bool) string {
	if optimal {
		return "*"
	}
	return " "
}

// WritePosition writes the diagram of a position, its text and key, and its ruleset.
func WritePosition(b *strings.Builder, g rules.Game, r api.Rules, position, key string, normalised bool) {
	if p, err := g.Parse(position); err == nil {
		b.WriteString(p.Diagram())
	}
	b.WriteString("\n" + position)
	if key != "" {
		b.WriteString("  " + key)
	}
	fmt.Fprintf(b, "\n%s (%s)", r.Name, r.Tag)
	if normalised {
		b.WriteString("; the key shows the mover as White")
	}
	b.WriteString("\n")
}

// WriteEnd writes the reason why a line ends, other than a cycle.
func WriteEnd(b *strings.Builder, end string) {
	switch end {
	case api.EndTerminal:
		b.WriteString("\nThe game is over.\n")
	case api.EndBound:
		b.WriteString("\nThe line ends here, as the best move is not known; the game goes on.\n")
	case api.EndChance:
		b.WriteString("\nThe die decides how the game goes on.\n")
	default:
		b.WriteString("\nThe line stops here; the game goes on.\n")
	}
}

// Verdict returns a value in words: "Win in 41", "Draw".
func Verdict(value string, distance *int) string {
	if distance == nil {
		return Name(value)
	}
	return fmt.Sprintf("%s in %d", Name(value), *distance)
}

// Name returns a word of the contract with a capital.
func Name(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// TrimLines removes the spaces at the ends of lines.
func TrimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Printable escapes, as in Go, everything in a text that a terminal does not just show: control
// characters, marks that change the direction of writing, and bytes that are not UTF-8.
func Printable(s string) string {
	if !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unprintable(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// FileName returns the name of a file for output. It quotes a name that a terminal would not show as it
// is.
func FileName(path string) string {
	if shown := Printable(path); shown != path {
		return strconv.Quote(path)
	}
	return path
}
