package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
)

// table writes rows in columns, each ended by a newline.
func table(b *strings.Builder, rows func(w *tabwriter.Writer)) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	rows(w)
	w.Flush()
}

// star marks optimal moves.
func star(optimal bool) string {
	if optimal {
		return "*"
	}
	return " "
}

// writePosition writes the diagram of a position, its names, and its ruleset.
func writePosition(b *strings.Builder, g rules.Game, r api.Rules, position, key string, normalised bool) {
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

// writeEnd says why a line ends, but for a cycle.
func writeEnd(b *strings.Builder, end string) {
	switch end {
	case api.EndTerminal:
		b.WriteString("\nThe game is over.\n")
	case api.EndBound:
		b.WriteString("\nThe line ends here, as the best move is not worked out; the game goes on.\n")
	case api.EndChance:
		b.WriteString("\nIt is for the die to say how it goes on.\n")
	default:
		b.WriteString("\nThe line is cut here; it goes on.\n")
	}
}

// verdict is a value in words: "Win in 41", "Draw".
func verdict(value string, distance *int) string {
	if distance == nil {
		return name(value)
	}
	return fmt.Sprintf("%s in %d", name(value), *distance)
}

// name capitalises a word of the contract.
func name(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// trimLines removes the spaces with which empty last columns end.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
