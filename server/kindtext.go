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

func marksText(g rules.Game, p *api.MarksProbe) string {
	var b strings.Builder
	writePosition(&b, g, p.Rules, p.Position, "", false)
	switch {
	case p.Winner != nil:
		fmt.Fprintf(&b, "The game is over: %s owns the line %s.\n", *p.Winner, strings.Join(p.WinningLine, " "))
		return b.String()
	case p.Terminal:
		b.WriteString("The game is over: a draw.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s for %s.\n\n", verdict(p.Value, p.Distance), p.SideToMove)
	table(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\n", star(m.Optimal), m.Move, verdict(m.Value, m.Distance), m.Child.Position)
		}
	})
	return trimLines(b.String())
}

func marksLineText(g rules.Game, l *api.MarksLine) string {
	var b strings.Builder
	writePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s for %s.\n\n", verdict(l.Value, l.Distance), l.SideToMove)
	table(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\n", s.Ply, s.Move, s.Position)
		}
	})
	writeEnd(&b, l.End)
	return trimLines(b.String())
}

// grundyVerdict is a value with its Grundy value in words: "Win in 5, Grundy value 1".
func grundyVerdict(value string, distance *int, grundy *uint64) string {
	words := verdict(value, distance)
	if grundy != nil {
		words += ", " + grundyWords(grundy)
	}
	return words
}

// grundyWords is a Grundy value in words, empty for none.
func grundyWords(grundy *uint64) string {
	if grundy == nil {
		return ""
	}
	return fmt.Sprintf("Grundy value %d", *grundy)
}

func grundyText(g rules.Game, p *api.GrundyProbe) string {
	var b strings.Builder
	writePosition(&b, g, p.Rules, p.Position, "", false)
	if p.Terminal {
		b.WriteString("The game is over: who would have to move has lost.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(p.Value, p.Distance, p.Grundy))
	table(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\n", star(m.Optimal), m.Move, verdict(m.Value, m.Distance), m.Child.Position)
		}
	})
	switch {
	case p.MovesComplete:
	case len(p.Moves) > 0:
		b.WriteString("\nThere are too many moves to list all, or too hard ones; these are known to win.\n")
	default:
		b.WriteString("There are too many moves to list them, or too hard ones; all of them lose.\n")
	}
	return trimLines(b.String())
}

func grundyLineText(g rules.Game, l *api.GrundyLine) string {
	var b strings.Builder
	writePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(l.Value, l.Distance, l.Grundy))
	table(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, grundyWords(s.Grundy))
		}
	})
	writeEnd(&b, l.End)
	return trimLines(b.String())
}

func chanceText(g rules.Game, p *api.ChanceProbe) string {
	var b strings.Builder
	writePosition(&b, g, p.Rules, p.Position, "", false)
	fmt.Fprintf(&b, "The side to move wins with probability %.4f.\n\n", p.PWin)
	table(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%.4f\n", star(m.Optimal), m.Move, m.PWin)
		}
	})
	if len(p.HoldAt) > 0 {
		var ranges []string
		for _, r := range p.HoldAt {
			if r.From == r.To {
				ranges = append(ranges, fmt.Sprint(r.From))
			} else {
				ranges = append(ranges, fmt.Sprintf("%d to %d", r.From, r.To))
			}
		}
		fmt.Fprintf(&b, "\nAt these scores, hold with %s in the turn.\n", strings.Join(ranges, ", "))
	}
	return trimLines(b.String())
}

func chanceLineText(g rules.Game, l *api.ChanceLine) string {
	var b strings.Builder
	writePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "The side to move wins with probability %.4f.\n\n", l.PWin)
	table(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			position := "-"
			if s.Position != nil {
				position = *s.Position
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%.4f\n", s.Ply, s.Move, position, s.PWin)
		}
	})
	writeEnd(&b, l.End)
	return trimLines(b.String())
}
