package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
)

// options are those of a report about a sample.
func (s *sample) options(threads int) Options {
	return Options{
		Threads: threads,
		Others:  []Other{{tictacchec.Rulesets()[1], scrambled(1)}, {tictacchec.Rulesets()[2], scrambled(2)}},
		From:    []tictacchec.Position{s.from},
		spans:   s.spans,
		decided: s.learnt(),
	}
}

// newReported is a sample with all that the lines of its report look at.
func newReported(t testing.TB) *sample {
	s := newSample(t, tictacchec.Rulesets()[0], 30, 4)
	s.learnLasso(t)
	for _, e := range published(s.rules.Ruleset().Tag).examples {
		p, _, err := tictacchec.Parse(e.position)
		if err != nil {
			t.Fatal(err)
		}
		s.learnMoves(p)
		s.from = p // the last
	}
	s.learnLine(t, s.from)
	// The longest of what is in the sample, among all and among some.
	for section, spans := range s.spans {
		for _, only := range []bool{false, true} {
			for _, value := range []rules.Value{rules.Win, rules.Loss} {
				longest, found := rules.Entry{}, tictacchec.Position{}
				for _, sp := range spans {
					for index := sp.from; index < sp.to; index++ {
						p, _ := tictacchec.FromIndex(rules.Section(section), index)
						if only && !s.rules.Reachable(p) {
							continue
						}
						if e := s.entry(p); e.Value == value && e.Distance > longest.Distance {
							longest, found = e, p
						}
					}
				}
				s.learnLine(t, found)
			}
		}
	}
	return s
}

// TestReport: the files are the same on any number of goroutines, and well-formed.
func TestReport(t *testing.T) {
	s := newReported(t)
	var before map[string]string
	for _, n := range threads {
		r, err := Make(t.Context(), s.Table, s.options(n))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "made", "here")
		names, err := r.Write(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"report.md", "report.json", DistancesPlot, PiecesPlot, ChoicesPlot}; !slices.Equal(names, want) {
			t.Errorf("wrote %v, want %v", names, want)
		}
		files := map[string]string{}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(data)
			if before != nil && before[name] != files[name] {
				t.Errorf("%s is another on %d goroutines", name, n)
			}
		}
		before = files
		checkReport(t, s, r, files)
	}
}

// checkReport holds a report against what is known of the sample.
func checkReport(t *testing.T, s *sample, r *Report, files map[string]string) {
	t.Helper()
	for section, c := range []Census{r.Main, r.Opening} {
		if n := total(s.spans[section]); c.All() != n || n == 0 || sum(c.Distances) != c.Wins+c.Losses {
			t.Errorf("%s: %+v, want %d positions", rules.Section(section), c, n)
		}
	}
	var pieces, reached Counts
	for _, p := range r.Pieces {
		pieces, reached = pieces.plus(p.Counts), reached.plus(p.Reachable)
	}
	if len(r.Pieces) != 256 || pieces != r.Main.Counts || reached != r.Reachable.Counts || reached.All() == 0 {
		t.Errorf("by pieces %+v and %+v of %+v and %+v", pieces, reached, r.Main.Counts, r.Reachable)
	}
	if len(r.Longest) < 4 || r.Lasso.Prefix != 32 || len(r.From) != 1 || len(r.Examples) != 4 || len(r.Comparisons) != 3 {
		t.Errorf("%d longest, lasso %d, %d from, %d examples, %d comparisons",
			len(r.Longest), r.Lasso.Prefix, len(r.From), len(r.Examples), len(r.Comparisons))
	}
	for _, c := range r.Comparisons {
		for section, m := range c.Sections {
			all, changed := uint64(0), uint64(0)
			for x, row := range m.Rows {
				all += row.All()
				for y, n := range []uint64{row.Wins, row.Losses, row.Draws} {
					if x == y {
						continue
					}
					changed += n
					if f := row.First[y]; (n > 0) != (f.Key != "") || n > 0 && (!strings.HasPrefix(f.From, classes[x].String()) || !strings.HasPrefix(f.To, classes[y].String())) {
						t.Errorf("%s to %s: %d from %s to %s, first %+v", c.From, c.To, n, classes[x], classes[y], f)
					}
				}
			}
			if all != total(s.spans[section]) || changed != m.Changed || changed == 0 {
				t.Errorf("%s to %s, %s: %d positions, %d of them change, want %d", c.From, c.To, m.Section, all, changed, m.Changed)
			}
		}
	}
	var back Report
	if err := json.Unmarshal([]byte(files["report.json"]), &back); err != nil {
		t.Error(err)
	}
	var again bytes.Buffer
	if err := back.JSON(&again); err != nil || again.String() != files["report.json"] {
		t.Errorf("the JSON does not survive reading and writing: %v", err)
	}
	for _, name := range []string{DistancesPlot, ChoicesPlot, PiecesPlot} {
		d := xml.NewDecoder(strings.NewReader(files[name]))
		texts := 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
				texts++
			}
		}
		if texts < 5 || !strings.Contains(files["report.md"], "("+name+")") {
			t.Errorf("%s has %d texts, or is not in the text", name, texts)
		}
	}
	columns := 0
	for line := range strings.Lines(files["report.md"]) {
		// Tables are whole: each row has as many cells as the head.
		if !strings.HasPrefix(line, "|") {
			columns = 0
		} else if n := strings.Count(line, "|"); columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("a row of %d cells in a table of %d columns: %s", n-1, columns-1, line)
		}
		if strings.Contains(line, "%!") {
			t.Errorf("badly formatted: %s", line)
		}
	}
}

// TestQuickReport: what takes minutes is left out, and said to be.
func TestQuickReport(t *testing.T) {
	s := newReported(t)
	o := s.options(2)
	o.Quick = true
	r, err := Make(t.Context(), s.Table, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Choices != nil || r.Reachable.Choices != nil {
		t.Errorf("%+v", r)
	}
	left := 0
	for _, f := range r.Published {
		if f.State == LeftOut {
			left++
			if f.Found != "" || f.Why == "" {
				t.Errorf("%+v", f)
			}
		}
	}
	if left != 9 {
		t.Errorf("%d figures left out, want 9", left)
	}
	names, err := r.Write(t.TempDir())
	if err != nil || slices.Contains(names, ChoicesPlot) {
		t.Errorf("%v, %v", names, err)
	}
	if err := r.Plot(ChoicesPlot, io.Discard); err == nil {
		t.Error("a quick report has a plot of choices")
	}
	if err := r.Plot("other.svg", io.Discard); err == nil {
		t.Error("there is another plot")
	}

	// Who has no time gets nothing.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ended, s.Table, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFigures: the states of figures.
func TestFigures(t *testing.T) {
	var l figureList
	l.add("same", 1234, uint64(1234))
	l.add("other", 1234, 1235)
	l.corrected("known to be wrong", 10, 9, 9, "counted otherwise")
	l.corrected("wrong in another way", 10, 9, 8, "counted otherwise")
	l.choice(nil, "not asked", 7, nil)
	var states []string
	for _, f := range l.list {
		states = append(states, f.State)
	}
	if want := []string{Agrees, Differs, Corrected, Differs, LeftOut}; !slices.Equal(states, want) {
		t.Errorf("%v, want %v", states, want)
	}
	r := Report{Published: l.list}
	if d := r.Differing(); len(d) != 2 || d[0].What != "other" || d[0].Published != "1,234" || d[0].Found != "1,235" {
		t.Errorf("%+v", d)
	}
}

// TestPublished: what is published of a ruleset fits together.
func TestPublished(t *testing.T) {
	sections := [rules.Sections]uint64{tictacchec.MainPositions, tictacchec.OpeningPositions}
	seen := 0
	for _, r := range tictacchec.Rulesets() {
		p := published(r.Ruleset().Tag)
		if p.main.All() == 0 {
			continue
		}
		seen++
		if p.main.All() != sections[rules.Main] || p.opening.All() != sections[rules.Opening] {
			t.Errorf("%s: %d and %d positions", r.Ruleset().Name, p.main.All(), p.opening.All())
		}
		if p.distances != nil && sum(p.distances) != p.main.Wins+p.main.Losses {
			t.Errorf("%s: %d decided", r.Ruleset().Name, sum(p.distances))
		}
	}
	if seen != 2 {
		t.Errorf("saw %d rulesets", seen)
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("full")

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestWriteFails: text that cannot be written whole is an error.
func TestWriteFails(t *testing.T) {
	s := newReported(t)
	r, err := Make(t.Context(), s.Table, s.options(2))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"Markdown": r.Markdown, "JSON": r.JSON, "plot": func(w io.Writer) error { return r.Plot(PiecesPlot, w) },
	} {
		if err := write(&failingWriter{1000}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(path); err == nil {
		t.Error("wrote into a file as a directory")
	}
}
