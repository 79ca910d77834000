package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	"solved/server/cli"
	"solved/tablebase"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"solved": main, "attacker": attackerMain})
}

// TestScript runs the scripts of testdata/script against the real binary. Beside
// testscript's own, they have these commands:
//
//	exits CODE COMMAND…          run a command and hold it to its exit code
//	get PATH [HEADER]…           fetch from $ADDR; status, headers and body are its stdout
//	post PATH FILE               send a file of JSON to $ADDR, and get the answer
//	ready [STATUS]               wait until /readyz at $ADDR answers with a status, 200 if none
//	await PATH REGEXP            fetch from $ADDR until an answer of status 200 matches
//	logged FILE REGEXP           wait until a line of a file matches
//	asking TABLE…                begin to ask $ADDR for positions of tic-tac-toe, at once and over and
//	                             over; the answers must be those of the tables, one after the
//	                             other: draws, won (see drawtable) or embedded
//	asked                        end that, when all have been answered from the last table
//	drawtable FILE TAG [won]     write a well-formed table, under zstd if the name says so, in which
//	                             every position is a draw; or, quite wrong, the first player wins
//	                             in 3 by the move to a1
//	kernel RULES FILE            write the embedded kernel of a ruleset
//	flip FILE OFFSET             flip the bits of a byte
//	cut FILE BYTES               cut bytes off the end
//
// $ADDR is an address that is free to listen on.
func TestScript(t *testing.T) { runScripts(t, "testdata/script") }

// runScripts runs the scripts of a directory.
func runScripts(t *testing.T, dir string) {
	unignoreHangup(t)
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			env.Setenv("ADDR", l.Addr().String())
			env.Values[askingKey] = new([]*asking)
			return l.Close()
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     cmdExits,
			"get":       cmdGet,
			"post":      cmdPost,
			"ready":     cmdReady,
			"await":     cmdAwait,
			"logged":    cmdLogged,
			"asking":    cmdAsking,
			"asked":     cmdAsked,
			"drawtable": cmdDrawTable,
			"kernel":    cmdKernel,
			"flip":      cmdFlip,
			"cut":       cmdCut,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func need(ts *testscript.TestScript, neg bool, args []string, least int) {
	if neg || len(args) < least {
		ts.Fatalf("usage: see TestScript")
	}
}

func cmdKernel(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	data, err := os.ReadFile(filepath.Join("games", "tictacchec", "kernels", args[0]+".kernel"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

func number(ts *testscript.TestScript, s string) int64 {
	n, err := strconv.ParseInt(s, 0, 64)
	ts.Check(err)
	return n
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want := number(ts, args[0]); int64(code) != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func cmdGet(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1)
	request, err := http.NewRequest(http.MethodGet, "http://"+ts.Getenv("ADDR")+args[0], nil)
	ts.Check(err)
	for _, header := range args[1:] {
		name, value, ok := strings.Cut(header, ": ")
		if !ok {
			ts.Fatalf("%q is no header", header)
		}
		request.Header.Set(name, value)
	}
	do(ts, request)
}

func cmdPost(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	request, err := http.NewRequest(http.MethodPost, "http://"+ts.Getenv("ADDR")+args[0], strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	do(ts, request)
}

// do makes a request, and writes out the answer.
func do(ts *testscript.TestScript, request *http.Request) {
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	out := ts.Stdout()
	fmt.Fprintln(out, "status:", response.StatusCode)
	for name, values := range response.Header {
		fmt.Fprintf(out, "%s: %s\n", name, strings.Join(values, ", "))
	}
	out.Write(body)
}

func cmdReady(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0)
	want := http.StatusOK
	if len(args) > 0 {
		want = int(number(ts, args[0]))
	}
	last := "nothing"
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		response, err := http.Get("http://" + ts.Getenv("ADDR") + "/readyz")
		if err != nil {
			last = err.Error()
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		ts.Check(err)
		if last = string(body); response.StatusCode == want {
			fmt.Fprint(ts.Stdout(), last)
			return
		}
	}
	ts.Fatalf("no status %d: %s", want, last)
}

func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	last := ""
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		response, err := http.Get("http://" + ts.Getenv("ADDR") + args[0])
		ts.Check(err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		ts.Check(err)
		if last = string(body); response.StatusCode == http.StatusOK && want.MatchString(last) {
			return
		}
	}
	ts.Fatalf("%s does not match %s: %s", args[0], args[1], last)
}

func cmdLogged(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	want, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text := ts.ReadFile(args[0])
		if want.MatchString(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no line of %s matches %s: %s", args[0], args[1], text)
		}
	}
}

func cmdDrawTable(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	tag, err := rules.ParseTag(args[1])
	ts.Check(err)
	won := len(args) == 3 && args[2] == "won"
	if len(args) > 2 && !won {
		ts.Fatalf("usage: see TestScript")
	}
	path := ts.MkAbs(args[0])
	plain, packed := strings.CutSuffix(path, ".zst")
	ts.Check(writeDrawTable(plain, tag, won))
	if packed {
		ts.Check(pack(plain, path))
		ts.Check(os.Remove(plain))
	}
}

// pack compresses a file.
func pack(path, to string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, in); err != nil {
		return err
	}
	return errors.Join(z.Close(), out.Close())
}

// drawTable writes a table of all draws for a test.
func drawTable(t *testing.T, path string, tag rules.Tag) {
	t.Helper()
	if err := writeDrawTable(path, tag, false); err != nil {
		t.Fatal(err)
	}
}

// drawnTable names a table that writeDrawTable writes.
type drawnTable struct {
	tag rules.Tag
	won bool
}

// drawChecksums are the CRC-64 of each drawnTable. Its zero bytes are many, so it
// is worked out once.
var drawChecksums sync.Map

// drawPositions returns the numbers of positions of a ruleset with tables. One of an unknown
// ruleset is as large as the smallest.
func drawPositions(tag rules.Tag) [rules.Sections]uint64 {
	for _, r := range tictacchec.Rulesets() {
		if r.Ruleset().Tag == tag {
			return r.Ruleset().Positions
		}
	}
	return tictactoe.Rulesets()[0].Ruleset().Positions
}

// writeDrawTable writes a table of all draws: after the header there is nothing
// but zeros up to the checksum, so the file takes no room. If won is set, the position
// wonIndex of the last section that has any is not a draw, but lost in 2.
func writeDrawTable(path string, tag rules.Tag, won bool) error {
	positions := drawPositions(tag)
	header := tablebase.Header{Kind: tablebase.KindCompact, Tag: tag, Positions: positions}
	last := rules.Opening
	if positions[last] == 0 {
		last = rules.Main
	}
	if won {
		header.Decisive[last] = 1
	}
	le := binary.LittleEndian
	b := []byte(tablebase.CompactMagic)
	for _, n := range []uint32{tablebase.Version, uint32(tag), tablebase.CompactEncoding, tablebase.BlockPositions} {
		b = le.AppendUint32(b, n)
	}
	for _, n := range []uint64{positions[rules.Main], positions[rules.Opening], header.Decisive[rules.Main], header.Decisive[rules.Opening]} {
		b = le.AppendUint64(b, n)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	body := header.Length() - tablebase.ChecksumSize
	if err := file.Truncate(body); err != nil {
		return err
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		return err
	}
	if won {
		// The last part of the file is that section's: a bitmap, the number of
		// decisive positions before each block, and one distance of six bits.
		blocks := int64(positions[last]+tablebase.BlockPositions-1) / tablebase.BlockPositions
		bitmap := int64(positions[last]+7) / 8
		section := make([]byte, bitmap+4*blocks+1)
		section[wonIndex/8] |= 1 << (wonIndex % 8)
		for block := int64(1); block < blocks; block++ {
			le.PutUint32(section[bitmap+4*block:], 1)
		}
		section[len(section)-1] = 2
		if _, err := file.WriteAt(section, body-int64(len(section))); err != nil {
			return err
		}
	}
	sum, _ := drawChecksums.LoadOrStore(drawnTable{tag, won}, sync.OnceValues(func() (uint64, error) {
		crc := crc64.New(crc64.MakeTable(crc64.ECMA))
		_, err := io.Copy(crc, io.NewSectionReader(file, 0, body))
		return crc.Sum64(), err
	}))
	crc, err := sum.(func() (uint64, error))()
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(le.AppendUint64(nil, crc), body); err != nil {
		return err
	}
	return file.Close()
}

func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	file, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	defer file.Close()
	var b [1]byte
	_, err = file.ReadAt(b[:], number(ts, args[1]))
	ts.Check(err)
	b[0] = ^b[0]
	_, err = file.WriteAt(b[:], number(ts, args[1]))
	ts.Check(err)
}

func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2)
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-number(ts, args[1])))
}

// TestScriptsExist holds the scripts to their number, so that none is lost
// unseen.
func TestScriptsExist(t *testing.T) {
	entries, err := os.ReadDir("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".txtar") {
			n++
		}
	}
	if n != scripts {
		t.Errorf("%d scripts, want %d", n, scripts)
	}
}

const scripts = 26

// TestExitCodes runs the program in this process, for what it says of errors.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--help", 0, ""},
		{"frobnicate", 64, `there is no command "frobnicate"`},
		{"prob", 64, `did you mean "probe"?`},
		{"--frobnicate", 64, "unknown flag"},
		{"probe", 64, "usage: solved probe RULES POSITION|-"},
		{"probe tic-tac-chec", 64, "usage:"},
		{"probe tic-tac-chec post:1 post:2", 64, "usage:"},
		{"probe chess post:1", 1, `There is no ruleset "chess" here`},
		{"line tic-tac-chec post:1 --max-plies 0", 64, "--max-plies must be from 1 to 1000"},
		{"line tic-tac-chec post:1 --max-plies x", 64, "invalid argument"},
		{"probe tic-tac-chec post:1 --table nothing.ttb", 1, "nothing.ttb: no such file"},
		{"serve extra", 64, "serve takes no arguments"},
		{"serve --table-mode both", 64, `"--table-mode" flag: it is mmap or memory`},
		{"--table-mode both", 64, `"--table-mode" flag: it is mmap or memory`},
		{"serve --table-poll -1s", 64, `"--table-poll" flag: it is`},
		{"serve --log-format xml", 64, `"--log-format" flag: it is text or json`},
		{"serve --log-level loud", 64, "invalid argument"},
		{"serve --log-level warn --table nothing.ttb", 1, "nothing.ttb: no such file"},
		{"serve --log-level warn --listen nowhere", 64, "it is an address to listen on such as :8080"},
		{"serve --log-level warn --listen 127.0.0.1:65536", 64, "it is an address to listen on"},
		{"serve --log-level warn --listen nowhere.invalid:8080", 64, "the name of the host is not known"},
		{"help", 0, ""},
		{"help probe", 0, ""},
		{"help nosuch", 64, `there is no command "nosuch"`},
		{"help prob", 64, `did you mean "probe"?`},
		{"help probe more", 64, `there is no command "more"`},
		{"completion", 0, ""},
		{"completion bash", 0, ""},
		{"completion nosuch", 64, `there is no command "nosuch"`},
		{"completion bash more", 64, "bash takes no arguments"},
		{"verify \x1b[2J\u202egood.ttb\x07", 1, `\x1b[2J\u202egood.ttb\a: no such file`},
		{"verify", 64, "usage:"},
		{"verify nothing.ttb", 1, "nothing.ttb: no such file"},
		{"verify main.go", 3, "main.go: not a table"},
		{"info", 64, "usage:"},
		{"info nothing.ttb", 1, "nothing.ttb: no such file"},
		{"info main.go", 3, "main.go: not a table"},
		{"convert a.ttb", 64, "usage:"},
		{"convert a.ttb b.txt", 64, "tells no format"},
		{"convert a.ttb b.kernel.zst", 64, "tells no format"},
		{"convert a.ttb b.tb --threads 0", 64, "--threads must be at least 1"},
		{"convert nothing.ttb b.tb", 1, "nothing.ttb: no such file"},
		{"convert main.go b.tb", 3, "main.go: not a table"},
		{"solve", 64, "usage:"},
		{"solve tic-tac-chec", 64, "missing -o FILE"},
		{"solve tic-tac-chec -o x.txt", 64, "tells no format"},
		{"solve chess -o x.ttb", 1, `There is no ruleset "chess" here`},
		{"expand tic-tac-chec -o x.ttb --threads -1", 64, "--threads must be at least 1"},
		{"expand chess -o x.ttb", 1, `There is no ruleset "chess" here`},
	} {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), allGames(), strings.Fields(c.args), nil, strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("solved %s: exit code %d, %q; want %d, %q", c.args, code, errs.String(), c.code, c.want)
		}
		if lines := strings.Count(errs.String(), "\n"); lines > 2 || code != cli.ExitUsage && code != cli.ExitFine && lines > 1 {
			t.Errorf("solved %s: more than one clear line: %q", c.args, errs.String())
		}
	}
}
