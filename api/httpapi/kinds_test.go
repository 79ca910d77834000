package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"solved/api"
)

// kindly are the types of a kind's answers, by the names of their schemas.
func kindly(t *testing.T, kind api.Kind) map[string]reflect.Type {
	t.Helper()
	text := fmt.Appendf(nil, `{"kind":%q}`, kind)
	probe, err := api.DecodeProbe(text)
	if err != nil {
		t.Fatal(err)
	}
	line, err := api.DecodeLine(text)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]reflect.Type{}
	for _, answer := range []any{probe, line} {
		of := reflect.TypeOf(answer).Elem()
		types[of.Name()] = of
	}
	return types
}

// TestKindsAreTold checks the discriminators: each kind has a schema for probes and one for
// lines, and its field kind can be nothing else.
func TestKindsAreTold(t *testing.T) {
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := contract.Document.Components.Schemas
	for _, name := range []string{"Probe", "Line"} {
		union := schemas[name].Value
		if union == nil || union.Discriminator == nil || union.Discriminator.PropertyName != "kind" {
			t.Fatalf("%s has no discriminator: %+v", name, union)
		}
		if len(union.OneOf) != len(api.Kinds()) || len(union.Discriminator.Mapping) != len(api.Kinds()) {
			t.Errorf("%s is one of %d, told by %v", name, len(union.OneOf), union.Discriminator.Mapping)
		}
		for i, kind := range api.Kinds() {
			ref := union.Discriminator.Mapping[string(kind)].Ref
			if ref == "" || union.OneOf[i].Ref != ref {
				t.Errorf("%s %s is mapped to %q, and listed is %q", name, kind, ref, union.OneOf[i].Ref)
			}
			one := strings.TrimPrefix(ref, "#/components/schemas/")
			if !strings.HasSuffix(one, name) || kindly(t, kind)[one] == nil {
				t.Errorf("%s %s is %s", name, kind, one)
				continue
			}
			if enum := schemas[one].Value.Properties["kind"].Value.Enum; !slices.Equal(enum, []any{string(kind)}) {
				t.Errorf("the kind of %s is one of %v", one, enum)
			}
		}
	}
	// What an operation answers with is the union, so that it is told in one place.
	for path, name := range map[string]string{"/v1/{rules}/probe": "Probe", "/v1/{rules}/best": "Probe", "/v1/{rules}/line": "Line"} {
		ok := contract.Document.Paths.Find(path).Get.Responses.Status(200).Value
		if ref := ok.Content["application/json"].Schema.Ref; ref != "#/components/schemas/"+name {
			t.Errorf("%s is answered with %s", path, ref)
		}
	}
}

// TestSchemasAreTheTypes checks that the schema of each kind has the fields of its Go type, all
// of them required and none beside them, and so down to the last move.
func TestSchemasAreTheTypes(t *testing.T) {
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var check func(where string, of reflect.Type, schema *openapi3.Schema)
	check = func(where string, of reflect.Type, schema *openapi3.Schema) {
		switch of.Kind() {
		case reflect.Pointer:
			nullable := schema.Type.Includes("null")
			if any := schema.AnyOf; len(any) == 2 { // of an object, or null
				nullable, schema = any[1].Value.Type.Is("null"), any[0].Value
			}
			if !nullable {
				t.Errorf("%s may be null, but its schema says not so", where)
			}
			check(where, of.Elem(), schema)
			return
		case reflect.Slice:
			if schema.Items == nil {
				t.Errorf("%s is no array", where)
				return
			}
			check(where+"[]", of.Elem(), schema.Items.Value)
			return
		case reflect.Struct:
		default:
			if want := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer",
				reflect.Uint64: "integer", reflect.Float64: "number"}[of.Kind()]; want == "" || !schema.Type.Includes(want) {
				t.Errorf("%s is of the type %v, for a %s", where, schema.Type, of)
			}
			return
		}
		seen[of] = true
		var fields []string
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, name)
			if property := schema.Properties[name]; property != nil {
				check(where+"."+name, field.Type, property.Value)
			}
		}
		slices.Sort(fields)
		var properties []string
		for name := range schema.Properties {
			properties = append(properties, name)
		}
		slices.Sort(properties)
		if d := cmp.Diff(fields, properties); d != "" {
			t.Errorf("%s: (-type +schema)\n%s", where, d)
		}
		if required := slices.Sorted(slices.Values(schema.Required)); !slices.Equal(required, fields) {
			t.Errorf("%s requires %v", where, required)
		}
		if more := schema.AdditionalProperties; more.Has == nil || *more.Has {
			t.Errorf("%s may have more fields", where)
		}
	}
	for _, kind := range api.Kinds() {
		for name, of := range kindly(t, kind) {
			schema := contract.Document.Components.Schemas[name]
			if schema == nil {
				t.Errorf("there is no schema %s", name)
				continue
			}
			check(name, of, schema.Value)
		}
	}
	if len(seen) < 5*5 {
		t.Errorf("saw %d types", len(seen))
	}
}

// TestKindsExclude holds real answers of each kind against the schemas of all: only that of
// their own kind takes them, and the union takes them all.
func TestKindsExclude(t *testing.T) {
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := contract.Document.Components.Schemas
	answers := map[string][]string{
		"PiecesProbe": {"probe", "best"}, "MarksProbe": {"probe-marks", "best-marks"},
		"GrundyProbe": {"probe-grundy", "probe-too-many-moves", "probe-grundy-null"}, "ChanceProbe": {"probe-chance"}, "MisereProbe": {"probe-misere", "best-misere"},
		"PiecesLine": {"line"}, "MarksLine": {"line-marks"}, "GrundyLine": {"line-grundy", "line-grundy-null"}, "ChanceLine": {"line-chance"}, "MisereLine": {"line-misere"},
	}
	accepted := 0
	for own, names := range answers {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join("examples", name+".json"))
			if errors.Is(err, fs.ErrNotExist) { // no game of the program has such an answer
				text, err = os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
			}
			if err != nil {
				t.Fatal(err)
			}
			var value map[string]any
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			for schema := range answers {
				err := schemas[schema].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
				if (err == nil) != (schema == own) {
					t.Errorf("%s as a %s: %v", name, schema, err)
				}
				if err == nil {
					accepted++
				}
			}
			union := own[len(own)-len("Probe"):]
			if union != "Probe" {
				union = "Line"
			}
			if err := schemas[union].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
				t.Errorf("%s as a %s: %v", name, union, err)
			}
			// Another kind's name makes it nothing at all, nor does a field go unmissed.
			for _, kind := range api.Kinds() {
				if string(kind) == value["kind"] {
					continue
				}
				changed := map[string]any{}
				for field, v := range value {
					changed[field] = v
				}
				changed["kind"] = string(kind)
				if err := schemas[union].Value.VisitJSON(changed, openapi3.EnableJSONSchema2020()); err == nil {
					t.Errorf("%s passes for the kind %s", name, kind)
				}
			}
			for field := range value {
				changed := map[string]any{}
				for other, v := range value {
					if other != field {
						changed[other] = v
					}
				}
				if err := schemas[own].Value.VisitJSON(changed, openapi3.EnableJSONSchema2020()); err == nil {
					t.Errorf("%s passes without its field %s", name, field)
				}
			}
		}
	}
	if accepted != 16 {
		t.Errorf("%d answers taken", accepted)
	}
}
