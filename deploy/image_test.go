package deploy

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unpack lays out an image's files as they are in a container, for anybody to read
// and nobody to write.
func unpack(t *testing.T, m *image, p *program) (root string) {
	t.Helper()
	root = t.TempDir()
	for path, from := range m.files {
		stage, file, _ := strings.Cut(from, ":")
		if stage != "build" {
			t.Fatalf("%s comes from stage %s", path, stage)
		}
		if file == builtAt {
			file = p.path
		}
		content, err := os.ReadFile(file)
		if err != nil && file != p.path {
			content = []byte{} // another system than the builder's need not have it
		} else if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	folders := func(mode os.FileMode) {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, mode)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	folders(0o555)
	t.Cleanup(func() { folders(0o755) }) // so that it can be removed
	return root
}

// contained is a command in an image's files, as its user and without any privilege:
// what a container is, but for its own network and processes. Root starts it as it
// is; others need a namespace of users, which most systems let everybody have.
func contained(t *testing.T, root string, m *image, args ...string) *exec.Cmd {
	t.Helper()
	name, _, _ := strings.Cut(m.user, ":")
	user, err := strconv.Atoi(name)
	if err != nil {
		t.Fatalf("the image's user is %q: %v", m.user, err)
	}
	c := &exec.Cmd{Path: m.entrypoint[0], Args: append(append([]string{}, m.entrypoint...), args...), Dir: "/", Env: []string{}}
	for name, value := range m.environment {
		c.Env = append(c.Env, name+"="+value)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if os.Geteuid() == 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
		return c
	}
	c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Geteuid(), Size: 1}}
	c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getegid(), Size: 1}}
	return c
}

// TestImage starts the image's program in the image's files, of which it can write
// none, as the image's user: no shell, no /proc, no /tmp, no user of that number. It
// asks its health as the image does, asks a question, and ends it as Docker would.
func TestImage(t *testing.T) {
	p := theProgram(t)
	d, err := parseDockerfile([]byte(readText(t, "../Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.image("")
	if err != nil {
		t.Fatal(err)
	}
	root := unpack(t, m, p)

	// A free port in place of the image's, which may be taken on this machine.
	server := contained(t, root, m, append(m.command, "--listen", "127.0.0.1:0", "--log-format", "json")...)
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	stuck := time.AfterFunc(2*time.Minute, func() { server.Process.Kill() })
	defer stuck.Stop()
	var address string
	lines := bufio.NewScanner(log)
	for address == "" && lines.Scan() {
		var line struct{ Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			address = line.Address
		}
	}
	if address == "" {
		t.Fatalf("the program does not say where it listens: %v", server.Wait())
	}
	read := make(chan struct{})
	go func() { io.Copy(io.Discard, log); close(read) }()

	healthy := func() ([]byte, error) {
		return contained(t, root, m, append(m.health[2:], "http://"+address+"/readyz")...).CombinedOutput()
	}
	for out, err := healthy(); err != nil; out, err = healthy() {
		if server.Process.Signal(syscall.Signal(0)) != nil {
			t.Fatalf("the program does not get healthy: %v: %s", err, out)
		}
		time.Sleep(50 * time.Millisecond)
	}
	// The start is a draw, by the embedded table.
	answer, err := http.Get("http://" + address + "/v1/tic-tac-chec/probe")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"value":"draw"`) {
		t.Errorf("%d, %v: %s", answer.StatusCode, err, body)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-read
	if err := server.Wait(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if out, err := healthy(); err == nil {
		t.Errorf("it is healthy although it has ended: %s", out)
	}
}
