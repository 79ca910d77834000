package deploy

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
)

// TestOpsPort starts the program with the settings of the Kubernetes base and holds what
// the manifests take for granted: the probes and the metrics are at the ops port, the
// metrics are only there, and what the Ingress leads to is not there.
func TestOpsPort(t *testing.T) {
	p := theProgram(t)
	text, err := build("kubernetes/base")
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	pod := &m.deployments["solved"].Spec.Template.Spec
	c := &checker{manifests: m}
	command := exec.Command(p.path, append(pod.Containers[0].Args, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--shutdown-delay", "0s")...)
	command.Env = []string{}
	for name, value := range c.environment("Deployment solved", &pod.Containers[0]) {
		command.Env = append(command.Env, name+"="+value)
	}
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	next := func(message string) (line struct {
		Msg, Address string
		OpsAddress   string `json:"ops_address"`
	}) {
		for lines.Scan() {
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == message {
				return line
			}
		}
		t.Fatalf("the program does not say %q, and ends: %v", message, command.Wait())
		return line
	}
	at := next("listening")
	next("ready")
	drained := make(chan struct{})
	go func() { io.Copy(io.Discard, log); close(drained) }()
	for _, q := range []struct {
		address, path string
		status        int
	}{
		{at.OpsAddress, pod.Containers[0].LivenessProbe.HTTPGet.Path, http.StatusOK},
		{at.OpsAddress, pod.Containers[0].ReadinessProbe.HTTPGet.Path, http.StatusOK},
		{at.OpsAddress, m.monitors["solved"].Spec.Endpoints[0].Path, http.StatusOK},
		{at.OpsAddress, "/v1/rules", http.StatusNotFound},
		{at.Address, "/v1/rules", http.StatusOK},
		{at.Address, "/metrics", http.StatusNotFound},
	} {
		if _, status, err := ask("http://"+q.address, q.path, ""); status != q.status || err != nil {
			t.Errorf("%s%s: %d, %v, want %d", q.address, q.path, status, err, q.status)
		}
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-drained
	if err := command.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
