package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// anyOf draws a value of a type with every field filled in: strings of all kinds,
// nil and other pointers and lists.
func anyOf(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.StringMatching(`[a-z0-9@/ -]{0,12}`), rapid.String(),
			rapid.SampledFrom([]string{"", "<&>", "\"\\", "\x00\x1f\x7f", "\xff\xfe", "\u2028\u2029", "é"})).Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int:
		v.SetInt(int64(rapid.Int().Draw(t, "int")))
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*Problem]() {
			if rapid.Bool().Draw(t, "problem") {
				v.Set(reflect.ValueOf(BadParameterProblem("positon", "There is no \"%s\".", rapid.String().Draw(t, "text"))))
			}
			return
		}
		if rapid.Bool().Draw(t, "some") {
			v.Set(reflect.New(v.Type().Elem()))
			anyOf(t, v.Elem())
		}
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "number"))
	case reflect.Interface: // a Probe
		if rapid.Bool().Draw(t, "some") {
			p := rapid.SampledFrom(Kinds()).Draw(t, "kind").NewProbe()
			anyOf(t, reflect.ValueOf(p).Elem())
			v.Set(reflect.ValueOf(p))
		}
	case reflect.Slice:
		if rapid.Bool().Draw(t, "list") {
			v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 3).Draw(t, "length"), 3))
			for i := range v.Len() {
				anyOf(t, v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			anyOf(t, v.Field(i))
		}
	default:
		t.Fatalf("no way to draw a %s", v.Type())
	}
}

// TestAppendJSON holds what is written without reflection against encoding/json,
// byte for byte. A field that only one of them knows shows here.
func TestAppendJSON(t *testing.T) {
	for _, of := range []appender{new(PiecesProbe), new(PiecesLine), new(BatchAnswer)} {
		kind := reflect.TypeOf(of).Elem()
		t.Run(kind.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(kind)
				anyOf(t, v.Elem())
				var want bytes.Buffer
				enc := json.NewEncoder(&want)
				enc.SetEscapeHTML(false)
				if err := enc.Encode(v.Interface()); err != nil {
					t.Fatal(err)
				}
				if got := append(AppendJSON(nil, v.Interface()), '\n'); !bytes.Equal(got, want.Bytes()) {
					t.Fatalf("got  %s\nwant %s", got, want.Bytes())
				}
			})
		})
	}
}

// TestAppendStringEveryByte holds strings with each byte at each place against
// encoding/json, in strings long and short enough for both ways to look at them.
func TestAppendStringEveryByte(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				text := bytes.Repeat([]byte{"!#~ "[(length+at+c)%4]}, length)
				text[at] = byte(c)
				if got, want := appendString(nil, string(text)), appendAny(nil, string(text)); !bytes.Equal(got, want) {
					t.Fatalf("%q: got %s, want %s", text, got, want)
				}
			}
		}
	}
}
