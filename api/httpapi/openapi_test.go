package httpapi_test

import (
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/httpapi"
)

// TestDocument checks that the document is sound, examples included, that its two
// forms say the same, and that it describes every address and problem there is.
func TestDocument(t *testing.T) {
	s := newService(t)
	_, header, asJSON := s.get("/openapi.json")
	if header.Get("Content-Type") != "application/json" {
		t.Errorf("JSON has the type %s", header.Get("Content-Type"))
	}
	_, header, asYAML := s.get("/openapi.yaml")
	if header.Get("Content-Type") != "application/yaml" {
		t.Errorf("YAML has the type %s", header.Get("Content-Type"))
	}
	var parsed [2]any
	for i, text := range []string{asJSON, asYAML} {
		document, err := openapi3.NewLoader().LoadFromData([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
			t.Error(err)
		}
		again, err := document.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &parsed[i]); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(parsed[0], parsed[1]); d != "" {
		t.Errorf("the document as YAML says something else (-JSON +YAML):\n%s", d)
	}
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if servers := contract.Document.Servers; len(servers) != 1 || servers[0].URL != "." {
		t.Errorf("the servers are %v; one relative to the document is wanted", servers)
	}
	tagged := map[string]int{}
	for _, tag := range contract.Document.Tags {
		if tagged[tag.Name] = 0; tag.Description == "" {
			t.Errorf("the tag %s is not described", tag.Name)
		}
	}
	var addresses []string
	for path, item := range contract.Document.Paths.Map() {
		for method, o := range item.Operations() {
			addresses = append(addresses, method+" "+path)
			if len(o.Tags) != 1 {
				t.Errorf("%s %s has the tags %q; one is wanted", method, path, o.Tags)
			} else if _, known := tagged[o.Tags[0]]; !known {
				t.Errorf("%s %s has the tag %q, which is not described", method, path, o.Tags[0])
			} else {
				tagged[o.Tags[0]]++
			}
			for status, answer := range o.Responses.Map() {
				for content, media := range answer.Value.Content {
					if strings.HasPrefix(path, "/v1/") && status == "200" && len(media.Examples) == 0 {
						t.Errorf("%s %s: no example of a good answer", method, path)
					}
					if status != "200" && content != "application/problem+json" && path != "/api/probe" { // which has a word of its own for a bad path
						t.Errorf("%s %s: %s is answered as %s", method, path, status, content)
					}
				}
			}
		}
	}
	for tag, operations := range tagged {
		if operations == 0 {
			t.Errorf("no operation has the tag %s", tag)
		}
	}
	slices.Sort(addresses)
	want := []string{
		"GET /api/probe", "GET /docs", "GET /livez", "GET /metrics", "GET /openapi.json", "GET /openapi.yaml", "GET /problems/{type}", "GET /readyz",
		"GET /v1/rules", "GET /v1/{rules}", "GET /v1/{rules}/best", "GET /v1/{rules}/examples", "GET /v1/{rules}/line",
		"GET /v1/{rules}/probe", "POST /v1/{rules}/probe",
	}
	if d := cmp.Diff(want, addresses); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	// Every problem schema is that of a page, and the other way round.
	pages := contract.Document.Paths.Find("/problems/{type}").Get.Parameters[0].Value.Schema.Value.Enum
	var described []any
	for _, name := range slices.Sorted(maps.Keys(contract.Document.Components.Schemas)) {
		if strings.HasSuffix(name, "Problem") && name != "Problem" {
			kind := contract.Document.Components.Schemas[name].Value.Properties["type"].Value.Enum[0].(string)
			described = append(described, strings.TrimPrefix(kind, "/problems/"))
		}
	}
	slices.SortFunc(described, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	if d := cmp.Diff(pages, described); d != "" {
		t.Errorf("pages and schemas of problems differ:\n%s", d)
	}
	for _, kind := range pages {
		if status, _, body := s.get("/problems/" + kind.(string)); status != 200 || !strings.Contains(body, kind.(string)) {
			t.Errorf("/problems/%s: %d %s", kind, status, body)
		}
	}
}

// TestDocsPage checks that the page shows every operation, loads nothing, and that
// its links lead somewhere.
func TestDocsPage(t *testing.T) {
	s := newService(t)
	status, header, page := s.get("/docs")
	if status != 200 || header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("%d %v", status, header)
	}
	if loads := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|\bsrc=|url\(|@import|https?://`).FindString(page); loads != "" {
		t.Errorf("the page has %q", loads)
	}
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range contract.Document.Paths.Map() {
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, o := range item.Operations() {
			if !strings.Contains(page, method+" "+path) || !strings.Contains(page, `id="`+o.OperationID+`"`) {
				t.Errorf("the page does not show %s %s", method, path)
			}
		}
	}
	for _, i := range httpapi.Illustrations() {
		if i.Operation != "explore" && !strings.Contains(page, "<summary><code>"+i.Method+" "+html.EscapeString(i.Target)+"</code>") {
			t.Errorf("the page does not show %s", i.Name)
		}
	}
	if followed := follow(t, s, "/docs", page); followed < 20 {
		t.Errorf("%d links", followed)
	}
}

// TestProblemPagesLinks follows the links of the pages about problems.
func TestProblemPagesLinks(t *testing.T) {
	s := newService(t)
	for _, kind := range api.ProblemTypes() {
		path := "/problems/" + string(kind)
		_, _, page := s.get(path)
		if followed := follow(t, s, path, page); followed != 1 {
			t.Errorf("%s: %d links", path, followed)
		}
	}
}

// follow follows the links of the page at a path, as a browser does that has it from
// beneath a proxied path, and returns how many there are.
func follow(t *testing.T, s *service, path, page string) int {
	t.Helper()
	const beneath = "/games/solved"
	base, err := url.Parse("https://front.example" + beneath + path)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		target, err := base.Parse(html.UnescapeString(link[1]))
		if err != nil {
			t.Errorf("%s links to %s: %v", path, link[1], err)
			continue
		}
		if id := target.Fragment; id != "" && target.Path == base.Path {
			if !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s: nothing is at #%s", path, id)
			}
			continue
		}
		asked, inside := strings.CutPrefix(target.RequestURI(), beneath)
		if target.Host != base.Host || !inside {
			t.Errorf("%s links to %s, which leads out of %s", path, link[1], beneath)
			continue
		}
		if strings.HasPrefix(asked, "/api/probe") {
			continue // the fakes have no explorer
		}
		if status, _, _ := s.get(asked); status != 200 {
			t.Errorf("%s links to %s: %d", path, link[1], status)
		}
	}
	return len(links)
}
