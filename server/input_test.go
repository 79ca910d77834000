package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"solved/server/cli"
)

// TestTextInput checks that a byte order mark is skipped or refused, and that nothing else
// is changed.
func TestTextInput(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"x":                             "x",
		"3,5,7\r\n":                     "3,5,7\r\n",
		"\ufeff3,5,7\n":                 "3,5,7\n",
		"\ufeff":                        "",
		"\ufeff\ufeffx":                 "\ufeffx",
		"x\ufeff":                       "x\ufeff",
		"\xef":                          "\xef",
		"\xef\xbb":                      "\xef\xbb",
		"\xef\xbbx":                     "\xef\xbbx",
		"\xfe":                          "\xfe",
		"\xfex":                         "\xfex",
		"\xffx":                         "\xffx",
		"\xff\xfe3\x00":                 "refused",
		"\xfe\xff\x003":                 "refused",
		"\xff\xfe\x00\x003\x00\x00\x00": "refused",
	} {
		for name, in := range map[string]io.Reader{
			"whole":        strings.NewReader(text),
			"byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"with the end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := io.ReadAll(cli.TextInput(in))
			if refused := errors.Is(err, cli.ErrNotUTF8); refused != (want == "refused") || !refused && (err != nil || string(got) != want) {
				t.Errorf("%q %s: %q, %v", text, name, got, err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(cli.TextInput(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestMarkedLines gives probe - and play a text as Windows writes it.
func TestMarkedLines(t *testing.T) {
	command := func(in string, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = cli.Run(t.Context(), allGames(), args, nil, strings.NewReader(in), &o, &e)
		return code, o.String(), e.String()
	}
	code, out, errs := command("\ufeff3,5,7\r\n1,2,3\r\n", "probe", "nim", "-")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != cli.ExitFine || len(lines) != 2 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	for i, want := range []string{"3,5,7", "1,2,3"} {
		var answer struct{ Position string }
		if err := json.Unmarshal([]byte(lines[i]), &answer); err != nil || answer.Position != want {
			t.Errorf("line %d: %s, %v", i, lines[i], err)
		}
	}
	for _, args := range [][]string{{"probe", "nim", "-"}, {"play", "nim"}} {
		code, _, errs := command("\xff\xfe3\x00\n\x00", args...)
		if code != cli.ExitInput || !strings.Contains(errs, "byte order mark of UTF-16") {
			t.Errorf("%q in UTF-16: %d %s", args, code, errs)
		}
	}
	// The one counter is taken, and the game is won.
	if code, out, errs := command("\ufeff1-1\r\n", "play", "nim", "1"); code != cli.ExitFine || !strings.Contains(out, "won") && !strings.Contains(out, "over") || strings.Contains(out, "does not parse") {
		t.Errorf("play: %d %s %s", code, out, errs)
	}
}
