package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"

	"solved/api"
)

const contentHTML = "text/html; charset=utf-8"

// page answers with the document for people. It loads nothing from anywhere, and its
// links are relative to its own address, so that they hold beneath a proxied path, too.
func (d *document) page() http.Handler {
	page := rendered(contentHTML, func() ([]byte, error) {
		var out bytes.Buffer
		err := docsTemplate.Execute(&out, d.operationsForPeople())
		return out.Bytes(), err
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		page.ServeHTTP(w, r)
	})
}

// pageOperation is an operation as the page shows it.
type pageOperation struct {
	ID, Method, Path, Summary, About string
	Parameters                       []pageParameter
	Refusals                         []pageRefusal
	Samples                          []pageSample
}

type pageParameter struct{ Name, About string }

type pageRefusal struct {
	Status int
	Kind   api.ProblemType
}

type pageSample struct {
	Illustration
	Answer string
}

func (d *document) operationsForPeople() []pageOperation {
	var all []pageOperation
	for _, op := range d.operations {
		o := pageOperation{ID: op.id, Method: op.method, Path: op.path, Summary: op.summary, About: op.about}
		for _, p := range op.parameters {
			o.Parameters = append(o.Parameters, pageParameter{p.name, p.doc})
		}
		for _, kind := range append(general(op.perRuleset()), op.refusals...) {
			o.Refusals = append(o.Refusals, pageRefusal{kind.Status(), kind})
		}
		slices.SortFunc(o.Refusals, func(a, b pageRefusal) int {
			return cmp.Or(a.Status-b.Status, cmp.Compare(a.Kind, b.Kind))
		})
		for _, i := range Illustrations() {
			if i.Operation == op.id {
				o.Samples = append(o.Samples, pageSample{i, indented(i.Name)})
			}
		}
		all = append(all, o)
	}
	return all
}

// indented returns a recorded answer, laid out to be read.
func indented(name string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, recorded(name), "", "  "); err != nil {
		panic(err)
	}
	return out.String()
}

var docsTemplate = template.Must(template.New("docs").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>solved: the contract</title>
<style>
body { font: 1rem/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 0.9rem/1.4 monospace }
pre { background: #f4f4f4; padding: 0.5rem; overflow-x: auto; max-height: 30rem }
td, th { text-align: left; vertical-align: top; padding: 0 1rem 0 0 }
h2 { border-top: 1px solid #ccc; padding-top: 1rem }
</style>
<h1>solved</h1>
<p>Exact values of solved games. A ruleset is part of every address; <code>{rules}</code> is its name or its tag.
For programs: <a href="openapi.json">OpenAPI 3.1 as JSON</a>, <a href="openapi.yaml">as YAML</a>.
Here and now: <a href="v1/rules">the rulesets</a>, <a href="readyz">the state of the tables</a>.</p>
<ul>{{range .}}
<li><a href="#{{.ID}}"><code>{{.Method}} {{.Path}}</code></a>: {{.Summary}}{{end}}
</ul>
<p>Pages made for the published explorer find its own contract at <a href="api/probe?path=0,17,4"><code>/api/probe?path=0,17,4</code></a>.</p>
{{range .}}
<h2 id="{{.ID}}"><code>{{.Method}} {{.Path}}</code></h2>
<p>{{.Summary}}. {{.About}}</p>
{{with .Parameters}}<table>{{range .}}
<tr><th><code>{{.Name}}</code><td>{{.About}}{{end}}
</table>{{end}}
{{range .Samples}}<details><summary><code>{{.Method}} {{.Target}}</code> – {{.Status}}</summary>
{{with .Body}}<pre>{{.}}</pre>{{end}}
<pre>{{.Answer}}</pre>
</details>
{{end}}
<p>Problems:{{range .Refusals}} <a href="problems/{{.Kind}}">{{.Status}} {{.Kind}}</a>{{end}}</p>
{{end}}
</html>
`))
