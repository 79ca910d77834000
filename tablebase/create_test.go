package tablebase

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"solved/rules"
)

// childRole names an environment variable that makes the test binary play a part of a test in
// a process of its own; its value is the part and the path to write.
const childRole = "SOLVED_TABLEBASE_TEST_CHILD"

// child plays it.
func child(role string) int {
	part, path, _ := strings.Cut(role, ":")
	rs := madeUp()
	switch part {
	case "killed": // writes a little, says so, and waits for its end
		err := Create(path, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
			fmt.Println("half way")
			_, err := io.Copy(io.Discard, os.Stdin)
			return err
		})
		fmt.Println("not killed:", err)
	case "full": // may not write files of more than 1 KiB
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 1024, Max: 1024}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println(err)
			return 2
		}
		err := Create(path, func(w io.Writer) error {
			_, err := Write(context.Background(), w, rs, madeUpCodes(rs, 1, 1), 2, nil)
			return err
		})
		fmt.Println(err)
		if errors.Is(err, syscall.EFBIG) {
			return 0
		}
	}
	return 1
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestCreate(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	want := writeCompact(t, rs, codes)
	write := func(w io.Writer) error {
		_, err := Write(context.Background(), w, rs, codes, 1, nil)
		return err
	}
	dir := t.TempDir()
	for _, name := range []string{"new.ttb", "new.ttb.zst", "new.ttb"} { // the third replaces
		path := filepath.Join(dir, name)
		if err := Create(path, write); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".zst") != (Detect(got) == KindZstd) {
			t.Errorf("%s is a %s", name, Detect(got))
		}
		if Detect(got) == KindCompact && !bytes.Equal(got, want) {
			t.Errorf("%s differs", name)
		}
		if err := openAndVerify(got, rs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("left in the directory: %v", got)
	}
	// Its permissions are those of any new file.
	other := filepath.Join(dir, "other")
	f, err := os.Create(other)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	a, err1 := os.Stat(other)
	b, err2 := os.Stat(filepath.Join(dir, "new.ttb"))
	if err1 != nil || err2 != nil || a.Mode() != b.Mode() {
		t.Errorf("mode %v, want %v (%v, %v)", b.Mode(), a.Mode(), err1, err2)
	}
	// Through a link the file behind it is replaced.
	link := filepath.Join(dir, "link.ttb")
	if err := os.Symlink("other", link); err != nil {
		t.Fatal(err)
	}
	if err := Create(link, write); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if got, err := os.ReadFile(other); err != nil || !bytes.Equal(got, want) {
		t.Errorf("behind the link is something else, %v", err)
	}
}

// After an error, a panic, or a full disk there is nothing new, and what was there still is.
func TestCreateFails(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "somewhere", Err: syscall.ENOSPC}
	for _, name := range []string{"t.ttb", "t.ttb.zst"} {
		for _, before := range []string{"", "what was there"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if before != "" {
				if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			check := func(what string) {
				t.Helper()
				got, err := os.ReadFile(path)
				if before == "" && !errors.Is(err, fs.ErrNotExist) || before != "" && string(got) != before {
					t.Errorf("%s, %s: %q, %v", name, what, got, err)
				}
				if left := names(t, dir); len(left) != min(1, len(before)) {
					t.Errorf("%s, %s: left in the directory: %v", name, what, left)
				}
			}
			err := Create(path, func(w io.Writer) error {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					t.Error(err)
				}
				return full
			})
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("%s: %v", name, err)
			}
			check("after an error")

			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic is gone")
					}
				}()
				Create(path, func(w io.Writer) error { panic("a bug in a source") })
			}()
			check("after a panic")

			// The system itself refuses to write on: no disk has to be filled for that.
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childRole+"=full:"+path)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), path) || strings.Contains(string(out), ".tmp") {
				t.Errorf("%s: %v, %s", name, err, out)
			}
			check("after the system's refusal")
		}
	}
}

// Killed, a process leaves what was under the name, and a file whose name says what it is.
func TestCreateKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.ttb")
	if err := os.WriteFile(path, []byte("what was there"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"=killed:"+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "half way\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got, err := os.ReadFile(path); string(got) != "what was there" {
		t.Errorf("%q, %v", got, err)
	}
	left := names(t, dir)
	if len(left) != 2 || !strings.HasPrefix(left[0], ".t.ttb.") || !strings.HasSuffix(left[0], ".solved.tmp") {
		t.Errorf("left in the directory: %v", left)
	}
	// The next file that is written there, whatever its name, takes its place.
	if err := Create(filepath.Join(dir, "other"), func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Error(err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"other", "t.ttb"}) {
		t.Errorf("left in the directory: %v", left)
	}
}

// Temporary files are removed when nobody writes them any more, and nothing else is.
func TestReclaim(t *testing.T) {
	dir := t.TempDir()
	const stale = ".t.ttb.0123456789abcdef.solved.tmp"
	others := []string{
		".t.ttb.0123456789abcdef.tmp", ".t.ttb.0123456789ABCDEF.solved.tmp", ".t.ttb.0123.solved.tmp",
		"t.ttb", "t.ttb.0123456789abcdef.solved.tmp",
	}
	for _, name := range append(others, stale) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const directory, link = ".d.0123456789abcdef.solved.tmp", ".l.0123456789abcdef.solved.tmp"
	if err := os.Mkdir(filepath.Join(dir, directory), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("t.ttb", filepath.Join(dir, link)); err != nil {
		t.Fatal(err)
	}
	err := Create(filepath.Join(dir, "new"), func(w io.Writer) error {
		// The stale one is gone by now, and the one that is being written is not.
		removed, err := Reclaim(dir)
		if len(removed) != 0 || err != nil {
			t.Errorf("removed %v, %v", removed, err)
		}
		left := names(t, dir)
		if slices.Contains(left, stale) || len(left) != len(others)+3 {
			t.Errorf("in the directory: %v", left)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	left := names(t, dir)
	want := append(slices.Clone(others), directory, link, "new")
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("in the directory: %v, want %v", left, want)
	}
	if removed, err := Reclaim(filepath.Join(dir, "none")); len(removed) != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no directory: %v, %v", removed, err)
	}
}

// A file that is replaced keeps its permissions, and its owner if that is permitted.
func TestCreateKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.ttb")
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o444, 0o666} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		owner := os.Getuid()
		if owner == 0 { // the superuser may give files away
			owner = 12345
			if err := os.Chown(path, owner, owner); err != nil {
				t.Fatal(err)
			}
		}
		err := Create(path, func(w io.Writer) error { // while it is written, it is for nobody else
			left := names(t, filepath.Dir(path))
			if info, err := os.Stat(filepath.Join(filepath.Dir(path), left[0])); err != nil || info.Mode() != 0o600 {
				t.Errorf("%v, %v: %v", left, err, info.Mode())
			}
			_, err := io.WriteString(w, "new")
			return err
		})
		info, err2 := os.Stat(path)
		if err != nil || err2 != nil || info.Mode() != mode || int(info.Sys().(*syscall.Stat_t).Uid) != owner {
			t.Errorf("%v, %v: %+v, want %v of %d", err, err2, info, mode, owner)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// What cannot be written is told beforehand, by the name that it would have.
func TestCanCreate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		size int64
		want string
	}{
		{filepath.Join(dir, "new.ttb"), 0, ""},
		{filepath.Join(dir, "new.ttb"), 1, ""},
		{filepath.Join(dir, strings.Repeat("x", 251)+".ttb"), 1, ""}, // as long as a name can be
		{file, 1 << 10, ""},
		{filepath.Join(dir, "none", "t.ttb"), 0, "directory " + filepath.Join(dir, "none") + ": stat: no such file or directory"},
		{filepath.Join(file, "t.ttb"), 0, "not a directory"},
		{dir, 0, "not a regular file"},
		{os.DevNull, 0, "not a regular file"},
		{filepath.Join(dir, "new") + "/", 0, "ends in a separator"},
		{filepath.Join(dir, "new.ttb"), 1 << 62, "the file takes 4611686018427387904 bytes, and " + dir + " has room for "},
	} {
		err := CanCreate(c.path, c.size)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path)) {
			t.Errorf("%s, %d: %v, want %q", c.path, c.size, err, c.want)
		}
		var room *NoRoomError
		if errors.As(err, &room) != (c.size == 1<<62) {
			t.Errorf("%s, %d: %v", c.path, c.size, err)
		}
	}
	if got, err := os.ReadFile(file); string(got) != "old" || err != nil || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, and %v", got, err, names(t, dir))
	}
	if err := Create(filepath.Join(dir, strings.Repeat("x", 251)+".ttb"), func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
}

// What is no regular file is not replaced, and a directory that is not there is an error.
func TestCreateRefuses(t *testing.T) {
	write := func(io.Writer) error { t.Error("write was called"); return nil }
	dir := t.TempDir()
	for _, path := range []string{dir, os.DevNull, filepath.Join(dir, "none", "t.ttb")} {
		if err := Create(path, write); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A ByteReader gives each code once, in order, and its last word is Close's.
func TestByteReaderIsAStream(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	data := writeByteTable(t, rs, codes)
	path := tempFile(t, "t.tb", data)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewByteReader(f, rs)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ruleset() != rs || r.Header().Tag != rs.Tag || r.Header().Length() != int64(len(data)) {
		t.Errorf("%+v, %+v", r.Ruleset(), r.Header())
	}
	codesAt := func(s rules.Section, lo uint64, n int) error { return r.Codes(s, lo, make([]rules.Code, n)) }
	var sequence *SequenceError
	var index *IndexError
	if err := codesAt(rules.Main, 0, 0); err != nil {
		t.Error(err)
	}
	if err := codesAt(rules.Main, 1, 5); !errors.As(err, &sequence) || *sequence != (SequenceError{Next: 0, Asked: 1}) {
		t.Error(err)
	}
	if err := codesAt(rules.Main, 0, 2004); !errors.As(err, &index) {
		t.Error(err)
	}
	if err := codesAt(rules.Opening, 1<<63, 1); !errors.As(err, &index) {
		t.Error(err)
	}
	if err := codesAt(rules.Sections, 0, 1); !errors.As(err, &index) {
		t.Error(err)
	}
	if err := codesAt(rules.Main, 0, 2003); err != nil { // none of that cost anything
		t.Fatal(err)
	}
	if err := codesAt(rules.Main, 0, 1); !errors.As(err, &sequence) {
		t.Error(err)
	}
	dst := make([]rules.Code, 607)
	if err := r.Codes(rules.Opening, 0, dst); err != nil || !bytes.Equal(dst, codes[rules.Opening]) {
		t.Error(err)
	}
	if r.Digest() != (Digest{}) {
		t.Error("a digest before the end")
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	checkDigest(t, "stream", r.Digest(), data, codes)

	// Closed early, it says so, and names the file.
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if r, err = NewByteReader(f, rs); err != nil {
		t.Fatal(err)
	}
	if err := codesAt(rules.Main, 0, 50); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); !errors.As(err, &sequence) || *sequence != (SequenceError{Next: 50, Asked: 2610}) || !strings.HasPrefix(err.Error(), path) {
		t.Error(err)
	}
}
