// Package apitest holds answers against the contract's own document, for tests.
//
// It fetches /openapi.json from the handler under test, so that the document and
// the answers are of the same program, and uses an OpenAPI implementation that
// shares nothing with the one that the document is made with.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Contract is a document that answers can be held against.
type Contract struct {
	Document *openapi3.T
	router   routers.Router
}

// Of reads the document that a handler serves. It returns an error if there is
// none or it is not sound, its examples included.
func Of(handler http.Handler) (*Contract, error) {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("/openapi.json: status %d", w.Code)
	}
	document, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		return nil, err
	}
	if err := document.Validate(context.Background()); err != nil {
		return nil, err
	}
	// Addresses are looked up as the handler knows them, wherever it is served.
	anywhere := *document
	anywhere.Servers = nil
	router, err := gorillamux.NewRouter(&anywhere)
	if err != nil {
		return nil, err
	}
	return &Contract{document, router}, nil
}

// Check returns an error if an answer is not one that the document foresees for
// the request: its status, headers, media type and body.
func (c *Contract) Check(r *http.Request, status int, header http.Header, body []byte) error {
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		// Of no operation, perhaps; then it is that problem all the same.
		for _, name := range []string{"not-found", "method-not-allowed"} {
			if bytes.Contains(body, []byte(`"/problems/`+name+`"`)) {
				return c.checkProblem(body)
			}
		}
	}
	route, parameters, err := c.router.FindRoute(c.plain(r))
	if err != nil {
		return fmt.Errorf("%s %s is answered with %d, but the document has no such operation: %w", r.Method, r.URL.Path, status, err)
	}
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: parameters},
		Status:                 status,
		Header:                 header,
		Body:                   readCloser{bytes.NewReader(body)},
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true,
			// Of a page there is only the type to check.
			ExcludeResponseBody: strings.HasPrefix(header.Get("Content-Type"), "text/")},
	})
}

// plain is a request as the document knows it: HEAD is GET.
func (c *Contract) plain(r *http.Request) *http.Request {
	as := r.Clone(r.Context())
	if as.Method == http.MethodHead {
		as.Method = http.MethodGet
	}
	as.Host, as.URL.Host, as.URL.Scheme = "", "", ""
	// %70robe is probe, but an escaped slash is none.
	escaped := strings.NewReplacer("%2F", "%252F", "%2f", "%252F").Replace(as.URL.EscapedPath())
	if path, err := url.PathUnescape(escaped); err == nil {
		as.URL.Path, as.URL.RawPath = path, ""
	}
	return as
}

// checkProblem holds a problem that belongs to no operation against its schema.
func (c *Contract) checkProblem(body []byte) error {
	for _, name := range []string{"NotFoundProblem", "MethodNotAllowedProblem"} {
		schema := c.Document.Components.Schemas[name]
		if schema == nil {
			return fmt.Errorf("the document has no schema %s", name)
		}
		if strings.Contains(string(body), schema.Value.Properties["type"].Value.Enum[0].(string)) {
			value, err := decode(body)
			if err != nil {
				return err
			}
			return schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
		}
	}
	return fmt.Errorf("no schema fits %s", body)
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

func decode(body []byte) (value any, err error) {
	err = json.Unmarshal(body, &value)
	return value, err
}

// Checked returns a handler that answers as next does, and tells complain of every
// answer that the document does not foresee.
func (c *Contract) Checked(next http.Handler, complain func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var copied bytes.Buffer
		asked := r.Clone(r.Context()) // handlers may change theirs
		tee := &teeWriter{ResponseWriter: w, body: &copied}
		next.ServeHTTP(tee, r)
		header, body := w.Header(), copied.Bytes()
		if r.Method == http.MethodHead || header.Get("Content-Encoding") != "" {
			return // the body is absent, or the encoding's tests are to look at it
		}
		if r.Method == http.MethodOptions && tee.status == http.StatusOK {
			return // a preflight is the browser's affair, not an operation
		}
		if err := c.Check(asked, tee.status, header, body); err != nil {
			complain(fmt.Errorf("%s %.200s: %d: %w", r.Method, r.RequestURI, tee.status, err))
		}
	})
}

// teeWriter copies what is answered.
type teeWriter struct {
	http.ResponseWriter
	body   *bytes.Buffer
	status int
}

func (w *teeWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *teeWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}
