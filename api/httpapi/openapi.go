package httpapi

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"solved/api"

	"github.com/danielgtaylor/huma/v2"
)

// document is the contract as an OpenAPI 3.1 document. It is made of the same
// list of operations as the routes are, and of the wire types.
type document struct {
	*huma.OpenAPI
	operations []operation
}

// general are the problems that every operation can answer with.
func general(perRuleset bool) []api.ProblemType {
	kinds := []api.ProblemType{api.BadParameter, api.URITooLong, api.Internal}
	if perRuleset {
		kinds = append(kinds, api.UnknownRules)
	}
	return kinds
}

// problemMembers are the members of a problem beside those that all have. One
// that ends in a question mark need not be there.
var problemMembers = map[api.ProblemType][]string{
	api.MalformedPosition: {"position", "offset"},
	api.MalformedMove:     {"ply", "move", "offset"},
	api.BadParameter:      {"parameter"},
	api.BadBody:           {"offset?"},
	api.UnknownRules:      {"known"},
	api.NotFound:          {},
	api.MethodNotAllowed:  {},
	api.RulesMismatch:     {"asked", "loaded"},
	api.BatchTooLarge:     {"limit"},
	api.URITooLong:        {"limit"},
	api.UnsupportedMedia:  {},
	api.IllegalPosition:   {"position", "reason"},
	api.IllegalMove:       {"ply", "move", "legal"},
	api.PositionTooLarge:  {"position"},
	api.RateLimited:       {},
	api.Internal:          {"request_id"},
	api.TableUnavailable:  {"tables?"},
	api.Overloaded:        {},
}

// newDocument describes operations.
func newDocument(operations []operation) *document {
	d := &document{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "solved",
				Version:     api.Version,
				Description: "Exact values of solved games: perfect play, move by move. A ruleset is part of every address, so no position can be read under rules that it was not written for. Failures are problem details (RFC 9457); the page at a problem's type explains it.",
			},
			// Resolved against the document's own address, so that it holds beneath a
			// proxied path, too.
			Servers:    []*huma.Server{{URL: ".", Description: "The server that this document comes from."}},
			Tags:       tags(),
			Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)},
		},
		operations: operations,
	}
	for _, kind := range slices.Sorted(maps.Keys(problemMembers)) {
		d.problem(kind)
	}
	for i := range operations {
		d.add(&operations[i])
	}
	d.addExplorer()
	d.addOther()
	// References to objects that may be null.
	d.Components.Schemas.Map()["BatchResult"].Properties["probe"] = d.schema(reflect.TypeFor[api.Probe]())
	d.Components.Schemas.Map()["Board"].Properties["squares"].Items.Nullable = true
	for name, fields := range map[string][]string{"Ruleset": {"table"}, "BatchResult": {"probe", "problem"}, "GrundyProbe": {"board"}} {
		properties := d.Components.Schemas.Map()[name].Properties
		for _, field := range fields {
			properties[field] = &huma.Schema{Description: properties[field].Description, AnyOf: []*huma.Schema{{Ref: properties[field].Ref}, {Type: "null"}}}
		}
	}
	for _, schema := range d.Components.Schemas.Map() {
		for _, property := range schema.Properties {
			if property.Nullable && len(property.Enum) > 0 && !slices.Contains(property.Enum, any(nil)) {
				property.Enum = append(property.Enum, nil) // an enumeration without null allows none
			}
		}
	}
	return d
}

// The tags of operations.
const (
	tagRulesets  = "rulesets"
	tagPositions = "positions"
	tagExplorer  = "explorer"
	tagContract  = "contract"
	tagOperation = "operation"
)

// tags describes the groups of operations, in the order in which they are shown.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagRulesets, Description: "Which rulesets the server knows, which table answers for each, and positions worth a look."},
		{Name: tagPositions, Description: "Values of positions and of their moves, one at a time or many, and lines of optimal play."},
		{Name: tagExplorer, Description: "The published explorer's own contract, for pages that were made for it."},
		{Name: tagContract, Description: "This document, and what each type of problem means."},
		{Name: tagOperation, Description: "For the operator of the server: whether it lives, whether it is ready, what it measures."},
	}
}

// schemaName returns the name of the schema of a problem type.
func schemaName(t api.ProblemType) string {
	name := ""
	for word := range strings.SplitSeq(string(t), "-") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Problem"
}

// problem adds the schema of a problem type.
func (d *document) problem(kind api.ProblemType) {
	schemas := d.Components.Schemas
	schemas.Schema(reflect.TypeFor[api.Problem](), true, "")
	all := schemas.Map()["Problem"].Properties
	s := &huma.Schema{
		Type:        huma.TypeObject,
		Description: kind.Meaning() + " " + kind.Remedy(),
		Properties: map[string]*huma.Schema{
			"type":   {Type: huma.TypeString, Enum: []any{kind.Reference()}},
			"title":  {Type: huma.TypeString, Enum: []any{kind.Title()}},
			"status": {Type: huma.TypeInteger, Enum: []any{kind.Status()}},
			"detail": all["detail"],
		},
		Required:             []string{"type", "title", "status", "detail"},
		AdditionalProperties: false,
	}
	for _, member := range problemMembers[kind] {
		name, optional := strings.CutSuffix(member, "?")
		s.Properties[name] = all[name]
		if !optional {
			s.Required = append(s.Required, name)
		}
	}
	schemas.Map()[schemaName(kind)] = s
}

// add describes an operation.
func (d *document) add(op *operation) {
	o := &huma.Operation{
		OperationID: op.id, Method: op.method, Path: op.path, Summary: op.summary, Description: op.about, Tags: []string{op.tag},
		Responses: make(map[string]*huma.Response),
	}
	if op.perRuleset() {
		o.Parameters = append(o.Parameters, &huma.Param{
			Name: "rules", In: "path", Required: true, Description: "A ruleset's name, or its tag.",
			Schema: &huma.Schema{Type: huma.TypeString}, Example: "tic-tac-chec",
		})
	}
	for _, p := range op.parameters {
		param := &huma.Param{Name: p.name, In: "query", Description: p.doc, Schema: p.schema}
		if p.example != "" {
			param.Example = p.example
		}
		o.Parameters = append(o.Parameters, param)
	}
	if op.body != nil {
		o.RequestBody = &huma.RequestBody{
			Required: true,
			Content:  map[string]*huma.MediaType{contentJSON: {Schema: d.Components.Schemas.Schema(op.body, true, "")}},
		}
	}
	ok := d.response(http.StatusOK, contentJSON, d.schema(op.answer))
	if op.perRuleset() {
		ok.Headers["Rules-Tag"] = header("The tag of the ruleset that the answer holds for.")
	}
	if op.method == http.MethodGet {
		describeCaching(o, ok)
	}
	o.Responses["200"] = ok
	d.refuse(o, append(general(op.perRuleset()), op.refusals...))
	d.illustrate(o)
	d.AddOperation(o)
}

// schema returns a reference to the schema of a type of answer. Probes and lines have
// one for each kind, told apart by their field kind.
func (d *document) schema(of reflect.Type) *huma.Schema {
	var empty func(api.Kind) any
	switch of {
	case reflect.TypeFor[api.Probe]():
		empty = func(k api.Kind) any { return k.NewProbe() }
	case reflect.TypeFor[api.Line]():
		empty = func(k api.Kind) any { return k.NewLine() }
	default:
		return d.Components.Schemas.Schema(of, true, "")
	}
	union := &huma.Schema{
		Description:   "Which of these an answer is says its field kind, and that of the ruleset.",
		Discriminator: &huma.Discriminator{PropertyName: "kind", Mapping: make(map[string]string)},
	}
	for _, kind := range api.Kinds() {
		one := d.Components.Schemas.Schema(reflect.TypeOf(empty(kind)), true, "")
		union.OneOf = append(union.OneOf, one)
		union.Discriminator.Mapping[string(kind)] = one.Ref
	}
	d.Components.Schemas.Map()[of.Name()] = union
	return &huma.Schema{Ref: "#/components/schemas/" + of.Name()}
}

// describeCaching adds what is said of a good answer so that it may be kept, and the
// answer that it may be kept longer.
func describeCaching(o *huma.Operation, ok *huma.Response) {
	ok.Headers["Cache-Control"] = header("How long the answer may be used without asking again.")
	ok.Headers["ETag"] = header("Names the answer: that to a question is equal wherever the values are, any other changes with its text.")
	unchanged := &huma.Response{
		Description: "What If-None-Match names is still the answer.",
		Headers:     map[string]*huma.Param{"ETag": ok.Headers["ETag"]},
	}
	if tag := ok.Headers["Rules-Tag"]; tag != nil {
		unchanged.Headers["Rules-Tag"] = tag
	}
	o.Responses["304"] = unchanged
}

// refuse adds the answers that are problems.
func (d *document) refuse(o *huma.Operation, kinds []api.ProblemType) {
	byStatus := make(map[int][]api.ProblemType)
	for _, kind := range kinds {
		byStatus[kind.Status()] = append(byStatus[kind.Status()], kind)
	}
	for status, kinds := range byStatus {
		slices.Sort(kinds)
		schema := &huma.Schema{}
		for _, kind := range kinds {
			schema.OneOf = append(schema.OneOf, &huma.Schema{Ref: "#/components/schemas/" + schemaName(kind)})
		}
		if len(kinds) == 1 {
			schema = schema.OneOf[0]
		}
		response := d.response(status, contentProblem, schema)
		if slices.ContainsFunc(kinds, func(k api.ProblemType) bool {
			return k == api.RateLimited || k.Status() == http.StatusServiceUnavailable
		}) {
			response.Headers["Retry-After"] = header("Seconds to wait before asking again.")
		}
		o.Responses[strconv.Itoa(status)] = response
	}
}

func (d *document) response(status int, content string, schema *huma.Schema) *huma.Response {
	return &huma.Response{
		Description: http.StatusText(status),
		Headers:     map[string]*huma.Param{requestIDHeader: header("The request's id in the server's log.")},
		Content:     map[string]*huma.MediaType{content: {Schema: schema}},
	}
}

func header(about string) *huma.Param {
	return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
}

// addOther describes the addresses beside the operations.
func (d *document) addOther() {
	schemas := d.Components.Schemas
	other := func(tag, id, path, summary, content string, schema *huma.Schema, kinds ...api.ProblemType) *huma.Operation {
		ok := d.response(http.StatusOK, content, schema)
		o := &huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Summary: summary, Tags: []string{tag},
			Responses: map[string]*huma.Response{"200": ok}}
		if !operational(path) {
			describeCaching(o, ok)
		}
		d.refuse(o, append(kinds, api.URITooLong, api.Internal))
		d.AddOperation(o)
		return o
	}
	text := &huma.Schema{Type: huma.TypeString}
	other(tagOperation, "live", "/livez", "Whether the process can answer", contentJSON, schemas.Schema(reflect.TypeFor[api.Liveness](), true, ""))
	other(tagOperation, "ready", "/readyz", "Whether every configured table is verified", contentJSON, schemas.Schema(reflect.TypeFor[api.Readiness](), true, ""), api.TableUnavailable)
	other(tagOperation, "metrics", "/metrics", "Measurements in the text format of Prometheus", "text/plain", text)
	page := other(tagContract, "problem-page", "/problems/{type}", "What a type of problem means, and what to do", contentHTML, text, api.NotFound)
	names := &huma.Schema{Type: huma.TypeString}
	for _, kind := range api.ProblemTypes() {
		names.Enum = append(names.Enum, string(kind))
	}
	page.Parameters = []*huma.Param{{Name: "type", In: "path", Required: true, Description: "The name of a problem type.", Schema: names}}
	other(tagContract, "openapi-json", "/openapi.json", "This document as JSON", contentJSON, &huma.Schema{Type: huma.TypeObject}, api.BadParameter)
	other(tagContract, "openapi-yaml", "/openapi.yaml", "This document as YAML", contentYAML, &huma.Schema{Type: huma.TypeObject}, api.BadParameter)
	other(tagContract, "docs", "/docs", "This document for people", contentHTML, text, api.BadParameter)
}

//go:embed examples
var exampleFiles embed.FS

// Illustration is a question whose answer the contract's document shows. The
// answers are recorded in examples/NAME.json; the program that serves a real
// table holds them against its own.
type Illustration struct {
	Name, Operation, Method, Target, Body string
	Status                                int
}

// Illustrations lists the questions whose answers the document shows.
func Illustrations() []Illustration {
	const (
		base     = "/v1/tic-tac-chec"
		position = "?position=Pb2/n1R1/2rp/N3%20w%20dd%20m"
	)
	return []Illustration{
		{"list-rules", "list-rules", "GET", "/v1/rules", "", 200},
		{"unknown-parameter", "list-rules", "GET", "/v1/rules?game=chess", "", 400},
		{"ruleset", "get-rules", "GET", base, "", 200},
		{"unknown-rules", "get-rules", "GET", "/v1/tic-tac-chek", "", 404},
		{"probe", "probe", "GET", base + "/probe" + position, "", 200},
		{"malformed-position", "probe", "GET", base + "/probe?position=Pb2/n1R1/2rp/N5%20w%20dd%20m", "", 400},
		{"malformed-move", "probe", "GET", base + "/probe?moves=P@a1,,N@b2", "", 400},
		{"bad-parameter", "probe", "GET", base + "/probe?positon=post:7", "", 400},
		{"rules-mismatch", "probe", "GET", base + "/probe?rules_tag=0x54544301", "", 409},
		{"illegal-position", "probe", "GET", base + "/probe?position=PNBR/4/4/4%20w%20d-%20m", "", 422},
		{"illegal-move", "probe", "GET", base + "/probe" + position + "&moves=B@a1", "", 422},
		{"best", "best", "GET", base + "/best" + position, "", 200},
		{"line", "line", "GET", base + "/line" + position + "&max_plies=5", "", 200},
		{"bad-max-plies", "line", "GET", base + "/line?max_plies=1001", "", 400},
		{"examples", "examples", "GET", base + "/examples", "", 200},
		{"batch", "probe-batch", "POST", base + "/probe", `{"positions": ["Pb2/n1R1/2rp/N3 w dd m", "Pb2/n1R1/2rp/N5 w dd m"], "moves": false}`, 200},
		{"bad-body", "probe-batch", "POST", base + "/probe", `{"position": "post:7"}`, 400},
		{"probe-marks", "probe", "GET", "/v1/tic-tac-toe/probe?position=XX./OO./...", "", 200},
		{"best-marks", "best", "GET", "/v1/tic-tac-toe/best?position=X../.O./..X", "", 200},
		{"line-marks", "line", "GET", "/v1/tic-tac-toe/line?position=X../.O./...", "", 200},
		{"batch-marks", "probe-batch", "POST", "/v1/tic-tac-toe/probe", `{"positions": ["XXX/OO./...", "XXX/.../..."], "moves": false}`, 200},
		{"probe-grundy", "probe", "GET", "/v1/nim/probe?position=1,2,3", "", 200},
		{"probe-strip", "probe", "GET", "/v1/inverse-treblecross/probe?position=1X2", "", 200},
		{"probe-too-many-moves", "probe", "GET", "/v1/nim/probe?position=9223372036854775807,3", "", 200},
		{"probe-no-moves-listed", "probe", "GET", "/v1/nim/probe?position=600,600", "", 200},
		{"position-too-large", "probe", "GET", "/v1/inverse-treblecross/probe?position=40X41X39X40", "", 422},
		{"line-grundy", "line", "GET", "/v1/inverse-treblecross/line?position=5", "", 200},
		{"probe-chance", "probe", "GET", "/v1/pig/probe?position=5,76,20", "", 200},
		{"line-chance", "line", "GET", "/v1/pig/line?position=0,0,21", "", 200},
		{"explore", "explore", "GET", "/api/probe?path=0,17,4", "", 200},
		{"bad-path", "explore", "GET", "/api/probe?path=0,17,", "", 400},
	}
}

// recorded returns a recorded answer.
func recorded(name string) []byte {
	answer, err := exampleFiles.ReadFile("examples/" + name + ".json")
	if err != nil {
		panic(err) // embedded, and a test asks for each
	}
	return bytes.TrimSpace(answer)
}

// illustrate adds the recorded answers of an operation.
func (d *document) illustrate(o *huma.Operation) {
	for _, i := range Illustrations() {
		if i.Operation != o.OperationID {
			continue
		}
		for content, media := range o.Responses[strconv.Itoa(i.Status)].Content {
			about := i.Method + " " + i.Target
			if content == contentJSON && i.Body != "" {
				body := o.RequestBody.Content[contentJSON]
				add(body, i.Name, about, []byte(i.Body))
			}
			add(media, i.Name, about, recorded(i.Name))
		}
	}
}

func add(media *huma.MediaType, name, about string, value []byte) {
	if media.Examples == nil {
		media.Examples = make(map[string]*huma.Example)
	}
	media.Examples[name] = &huma.Example{Summary: about, Value: json.RawMessage(value)}
}

const contentYAML = "application/yaml"

// json answers with the document as JSON.
func (d *document) json() http.Handler {
	return rendered(contentJSON, func() ([]byte, error) {
		text, err := json.MarshalIndent(d.OpenAPI, "", " ")
		return append(text, '\n'), err
	})
}

// yaml answers with the document as YAML.
func (d *document) yaml() http.Handler { return rendered(contentYAML, d.OpenAPI.YAML) }

// rendered answers with what is made, and compressed, when it is first asked for.
func rendered(content string, make func() ([]byte, error)) http.Handler {
	answer := sync.OnceValue(func() named {
		text, err := make()
		if err != nil {
			panic(fmt.Errorf("the contract cannot be written as %s: %w", content, err))
		}
		answer := newNamed(content, cacheForAnHour, text)
		answer.ready = readyEncoder(content, text)
		return answer
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := api.ParseQuery(r.URL.RawQuery, nil); err != nil {
			writeProblem(w, api.ProblemOf(err))
			return
		}
		answer().write(w, r)
	})
}
