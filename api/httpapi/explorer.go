package httpapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"solved/api"
)

// explore answers in the published explorer's contract. What that contract does not
// speak of is as everywhere: the headers, and problems where the fault is not the
// path's.
func (h *handler) explore(e api.Explorer) http.HandlerFunc {
	ruleset := h.addresses[e.Ruleset().Name]
	if ruleset == nil {
		panic("httpapi: Config.Explorer is not among Config.Probers")
	}
	return func(w http.ResponseWriter, hr *http.Request) {
		r := &request{http: hr, operation: "explore", prober: ruleset}
		err := h.respondExplored(w, r, e)
		var bad *api.PathError
		switch {
		case errors.As(err, &bad):
			w.Header().Set("Cache-Control", "no-store")
			writeJSON(w, http.StatusBadRequest, contentJSON, api.BadPath{Error: bad.Detail})
		case err != nil:
			r.refuse(w, err)
		}
	}
}

func (h *handler) respondExplored(w http.ResponseWriter, r *request, e api.Explorer) error {
	path, err := api.ParsePath(r.http.URL.RawQuery)
	if err != nil {
		return err
	}
	r.moves = len(path)
	r.check = func() error { return e.Follow(path) }
	// The answer tells the moves so far, so it is to a path, not to a position.
	r.named = api.Canonical{Position: "path " + pathText(path)}
	return answer(h, w, r, func(ctx context.Context, _ *request) (*api.Explored, error) { return e.Explore(ctx, path) })
}

// pathText writes a path as parsePath reads it.
func pathText(path []int) string {
	var text []byte
	for i, index := range path {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(index), 10)
	}
	return string(text)
}

// addExplorer describes the address in the contract's document.
func (d *document) addExplorer() {
	schemas := d.Components.Schemas
	ok := d.response(http.StatusOK, contentJSON, schemas.Schema(reflect.TypeFor[api.Explored](), true, ""))
	board := schemas.Map()["Explored"].Properties["board"]
	board.Items = &huma.Schema{AnyOf: []*huma.Schema{{Ref: board.Items.Ref}, {Type: "null"}}}
	ok.Headers["Rules-Tag"] = header("The tag of the ruleset that the answer holds for.")
	o := &huma.Operation{
		OperationID: "explore", Method: http.MethodGet, Path: "/api/probe",
		Summary:     "A position by its path, as the published explorer answers",
		Tags:        []string{tagExplorer},
		Description: "For pages made for the published explorer; canonical rules only. Parameters other than path are ignored.",
		Parameters: []*huma.Param{{
			Name: "path", In: "query", Schema: &huma.Schema{Type: huma.TypeString}, Example: "0,17,4",
			Description: "The moves from the start, comma-separated, each by its place in the published order; at most 512. None means the start.",
		}},
		Responses: map[string]*huma.Response{
			"200": ok,
			"400": d.response(http.StatusBadRequest, contentJSON, schemas.Schema(reflect.TypeFor[api.BadPath](), true, "")),
		},
	}
	describeCaching(o, ok)
	d.refuse(o, []api.ProblemType{api.RulesMismatch, api.RateLimited, api.Overloaded, api.TableUnavailable, api.URITooLong, api.Internal})
	d.illustrate(o)
	d.AddOperation(o)
}
