package httpapi

import (
	"bytes"
	"html/template"
	"net/http"

	"solved/api"

	"github.com/go-chi/chi/v5"
)

// problemPage answers with a page about a problem type, for the person who
// follows the reference in a problem's type.
func (h *handler) problemPage(w http.ResponseWriter, r *http.Request) {
	kind := api.ProblemType(chi.URLParam(r, "type"))
	if !kind.Known() {
		h.notFound(w, r)
		return
	}
	var page bytes.Buffer
	err := problemTemplate.Execute(&page, map[string]any{
		"Name": string(kind), "Title": kind.Title(), "Status": kind.Status(), "Text": http.StatusText(kind.Status()),
		"Meaning": kind.Meaning(), "Remedy": kind.Remedy(),
	})
	if err != nil {
		panic(err) // the template and its data are ours; recorded as internal
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	newNamed(contentHTML, cacheForAnHour, page.Bytes()).write(w, r)
}

// problemTemplate loads nothing from anywhere. Its link is relative, as those of /docs are.
var problemTemplate = template.Must(template.New("problem").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>body { font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }</style>
<h1>{{.Title}}</h1>
<p><code>/problems/{{.Name}}</code>, status {{.Status}} ({{.Text}})</p>
<h2>What it means</h2>
<p>{{.Meaning}}</p>
<h2>What to do</h2>
<p>{{.Remedy}}</p>
<p><a href="../docs">All of the contract</a></p>
</html>
`))
