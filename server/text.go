package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
)

// probeText writes a probe for people: the position, its value, the moves best
// first.
func probeText(g rules.Game, p api.Probe) string {
	switch p := p.(type) {
	case *api.PiecesProbe:
		return piecesText(g, p)
	case *api.MarksProbe:
		return marksText(g, p)
	case *api.GrundyProbe:
		return grundyText(g, p)
	case *api.ChanceProbe:
		return chanceText(g, p)
	}
	panic(fmt.Sprintf("no text for a %T", p))
}

// lineText writes a line of play for people.
func lineText(g rules.Game, l api.Line) string {
	switch l := l.(type) {
	case *api.PiecesLine:
		return piecesLineText(g, l)
	case *api.MarksLine:
		return marksLineText(g, l)
	case *api.GrundyLine:
		return grundyLineText(g, l)
	case *api.ChanceLine:
		return chanceLineText(g, l)
	}
	panic(fmt.Sprintf("no text for a %T", l))
}

func piecesText(g rules.Game, p *api.PiecesProbe) string {
	var b strings.Builder
	writePosition(&b, g, p.Rules, p.Position, p.Key, p.Normalised)
	if !p.Reachable {
		b.WriteString("No game can come to this position.\n")
	}
	switch {
	case p.Terminal:
		fmt.Fprintf(&b, "The game is over: %s owns the line %s.\n", name(*p.Winner), strings.Join(p.WinningLine, " "))
		return b.String()
	default:
		fmt.Fprintf(&b, "%s for %s.\n\n", verdict(p.Value, p.Distance), name(p.SideToMove))
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range p.Moves {
		mark, captures := " ", ""
		if m.Optimal {
			mark = "*"
		}
		if m.Captures != nil {
			captures = "takes " + *m.Captures
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\n", mark, m.Move, verdict(m.Value, m.Distance), m.Child.Position, captures)
	}
	w.Flush()
	return trimLines(b.String())
}

func piecesLineText(g rules.Game, l *api.PiecesLine) string {
	var b strings.Builder
	writePosition(&b, g, l.Rules, l.Position, l.Key, l.Normalised)
	fmt.Fprintf(&b, "%s for %s.\n\n", verdict(l.Value, l.Distance), name(l.SideToMove))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range l.Line {
		captures := ""
		if s.Captures != nil {
			captures = "takes " + *s.Captures
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, captures)
	}
	w.Flush()
	if l.CycleStart != nil {
		fmt.Fprintf(&b, "\nThe position of ply %d has returned; so it goes on.\n", *l.CycleStart)
	} else {
		writeEnd(&b, l.End)
	}
	return trimLines(b.String())
}

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
