package report

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"solved/tablebase"
)

// Write writes report.md, report.json and the plots into a directory, which it makes
// if there is none. Each file appears whole or not at all, in place of what had its
// name. It returns the names of the files.
func (r *Report) Write(dir string) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	type file struct {
		name  string
		write func(io.Writer) error
	}
	files := []file{{"report.md", r.Markdown}, {"report.json", r.JSON}}
	plots := []string{DistancesPlot, PiecesPlot}
	if r.Choices != nil {
		plots = append(plots, ChoicesPlot)
	}
	for _, name := range plots {
		files = append(files, file{name, func(w io.Writer) error { return r.Plot(name, w) }})
	}
	for _, f := range files {
		if err := tablebase.Create(filepath.Join(dir, f.name), f.write); err != nil {
			return names, err
		}
		names = append(names, f.name)
	}
	return names, nil
}

// JSON writes the report for programs; a list of numbers is on one line.
func (r *Report) JSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	oneLine := numbersPattern.ReplaceAllFunc(b.Bytes(), func(list []byte) []byte {
		return bytes.Join(bytes.Fields(list), nil)
	})
	_, err := w.Write(oneLine)
	return err
}

// numbersPattern matches a list of numbers.
var numbersPattern = regexp.MustCompile(`\[\s*\d+(,\s*\d+)*\s*\]`)
