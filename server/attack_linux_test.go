package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The full attacks measure in windows of this length, so many of them, and are made of
// mixes of requests that last so long.
const (
	window      = 6 * time.Second
	windows     = 5
	fewWindows  = 3
	mixDuration = 4 * time.Second
)

// pod is what the Kubernetes base gives a server.
type pod struct {
	memory      int64 // its limit, in bytes
	requested   int64 // memory that it has in any case, in bytes
	environment []string
	connections int
}

// kubernetesPod reads the Kubernetes base.
func kubernetesPod(t *testing.T) pod {
	t.Helper()
	find := func(file, expression string) [][]byte {
		text, err := os.ReadFile(filepath.Join("..", "deploy", "kubernetes", "base", file))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(expression).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no %s", file, expression)
		}
		return m
	}
	number := func(file, expression string) int {
		n, err := strconv.Atoi(string(find(file, expression)[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return pod{
		memory:      int64(number("deployment.yaml", `limits:\s+memory: (\d+)Mi`)) << 20,
		requested:   int64(number("deployment.yaml", `requests:\s+cpu: \S+\s+memory: (\d+)Mi`)) << 20,
		environment: []string{"GOMEMLIMIT=" + string(find("deployment.yaml", `name: GOMEMLIMIT\s+value: (\S+)`)[1])},
		connections: number("kustomization.yaml", `SOLVED_MAX_CONNECTIONS=(\d+)`),
	}
}

// limited is a command whose process cannot have more private memory that it can write
// to than so many bytes: the system then refuses it more, which ends a program in Go.
//
// RLIMIT_DATA is used, as it holds everywhere without any rights, which a cgroup does
// not. It counts memory from when it is mapped, not from when it is used, so it is
// stricter than the cgroup of a pod about the heap. It does not count the pages of the
// program's file, nor what the kernel holds for connections: memoryUse counts those.
// Threads that are made by C have their whole stack counted, so that is made small.
func limited(bytes int64, environment []string, arguments ...string) *exec.Cmd {
	c := exec.Command("sh", append([]string{"-c", `ulimit -s 1024 && ulimit -d "$0" && exec "$@"`, strconv.FormatInt(bytes>>10, 10)}, arguments...)...)
	c.Env = append(os.Environ(), environment...)
	return c
}

// memoryUse is what a process has of memory now, and has had at most, in bytes.
type memoryUse struct {
	resident, peak int64
	sockets        int64 // sent or received, and held by the kernel
}

func (m memoryUse) String() string {
	return fmt.Sprintf("%d MiB resident, at most %d MiB, %d MiB in sockets", m.resident>>20, m.peak>>20, m.sockets>>20)
}

// memoryUse reads what the process has.
func (p *process) memoryUse() (m memoryUse, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		var kib int64
		switch name {
		case "VmRSS":
			fmt.Sscan(rest, &kib)
			m.resident = kib << 10
		case "VmHWM":
			fmt.Sscan(rest, &kib)
			m.peak = kib << 10
		}
	}
	if m.resident == 0 {
		return m, fmt.Errorf("process %d has no memory: it has ended", p.command.Process.Pid)
	}
	_, text, _ := net.SplitHostPort(p.address)
	port, err := strconv.Atoi(text)
	if err != nil {
		return m, err
	}
	sockets, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return m, err
	}
	own := fmt.Sprintf(":%04X", port)
	for line := range strings.Lines(string(sockets)) {
		fields := strings.Fields(line)
		const listening = "0A"
		if len(fields) < 5 || !strings.HasSuffix(fields[1], own) || fields[3] == listening {
			continue
		}
		for queue := range strings.SplitSeq(fields[4], ":") {
			n, err := strconv.ParseInt(queue, 16, 64)
			if err != nil {
				return m, fmt.Errorf("/proc/net/tcp: %w", err)
			}
			m.sockets += n
		}
	}
	return m, nil
}

// resetPeak begins the peak of a process's memory anew.
func (p *process) resetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0)
}

// startAttack starts the attacker, a process of the lowest priority, with attacks that
// all go on at the same time. What it returns waits for the end.
func (p *process) startAttack(t *testing.T, attacks ...attack) (wait func() *attackReport) {
	t.Helper()
	for i := range attacks {
		attacks[i].Address = p.address
	}
	text, err := json.Marshal(attacks)
	if err != nil {
		t.Fatal(err)
	}
	attacker := exec.Command("nice", "-n", "19", "attacker")
	var out bytes.Buffer
	attacker.Stdin, attacker.Stdout, attacker.Stderr = bytes.NewReader(text), &out, os.Stderr
	if err := attacker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { attacker.Process.Kill() })
	return func() *attackReport {
		t.Helper()
		if err := attacker.Wait(); err != nil {
			t.Fatalf("the attacker: %v", err)
		}
		var report attackReport
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatalf("the attacker: %v", err)
		}
		return &report
	}
}

// TestAbuseMemory sends every mix of legal requests that costs much memory to a server
// that has the memory and the limits of the Kubernetes base: it lives, stays within that
// memory, gives each request a whole answer, and tells of its health meanwhile.
func TestAbuseMemory(t *testing.T) {
	full := abuse(t).full
	pod := kubernetesPod(t)
	// The limit is a real one: a program that is given next to nothing does not start.
	if out, err := limited(pod.memory/16, nil, "solved", "--version").CombinedOutput(); err == nil {
		t.Fatalf("with %d MiB of memory the program says %s: RLIMIT_DATA limits nothing here", pod.memory>>24, out)
	}
	p := startCommand(t, limited(pod.memory, pod.environment, "solved", "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-format", "json",
		"--max-connections", strconv.Itoa(pod.connections)))
	ended := make(chan error, 1)
	go func() { _, err := p.command.Process.Wait(); ended <- err }()
	before, err := p.memoryUse()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB of memory by RLIMIT_DATA, %s, %d connections; before: %s", pod.memory>>20, pod.environment, pod.connections, before)
	const own = 8 // connections that the test itself keeps
	mixes := greedyMixes(t, p, pod.connections-own, mixDuration)
	if !full {
		mixes = []attackMix{smallest(mixes)}
	}
	for _, mix := range mixes {
		t.Run(mix.name, func(t *testing.T) { p.withstands(t, pod, mix, ended) })
		if t.Failed() && len(ended) > 0 {
			return
		}
	}
	// The runtime gives memory back little by little, and collects the heap of a server
	// that is asked for nothing only every two minutes.
	var after memoryUse
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		p.statuses(t)
		if after, err = p.memoryUse(); err != nil {
			t.Fatal(err)
		}
		if after.resident < pod.requested {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server has %s when all is over; before, it had %s", after, before)
		}
	}
	t.Logf("after: %s", after)
}

// withstands holds a server to its memory while a mix of requests comes. ended holds a
// value from when the process has ended.
func (p *process) withstands(t *testing.T, pod pod, mix attackMix, ended <-chan error) {
	if err := p.resetPeak(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	var most memoryUse
	var health []time.Duration
	watching.Go(func() { most = p.watchMemory(ctx, t) })
	watching.Go(func() { health = p.watchHealth(ctx, t) })
	start := time.Now()
	report := p.startAttack(t, mix.attacks...)()
	took := time.Since(start)
	stop()
	watching.Wait()
	t.Logf("%s: %s; %s; health: %s", took.Round(10*time.Millisecond), report, most, percentiles(health))
	if len(ended) > 0 {
		t.Fatalf("the server has ended. Its log has %s", lastWordsOf(p.logged(t)))
	}
	if total := most.peak + most.sockets; total > pod.memory {
		t.Errorf("%d MiB of memory, more than %d", total>>20, pod.memory>>20)
	}
	if report.Lost+report.Refused > 0 || report.FaultCount > 0 {
		t.Error(strings.Join(report.Faults, "\n"))
	}
}

// lastWordsOf is what a log has of the end of a process: how a fatal error of Go begins,
// or else its last lines.
func lastWordsOf(log []byte) []byte {
	if at := bytes.Index(log, []byte("fatal error: ")); at >= 0 {
		return log[at:min(len(log), at+2000)]
	}
	return log[max(0, len(log)-2000):]
}

// watchMemory looks at a process until the context ends, and returns the most of each
// figure.
func (p *process) watchMemory(ctx context.Context, t *testing.T) (most memoryUse) {
	for {
		now, err := p.memoryUse()
		if err != nil {
			t.Error(err)
			return most
		}
		most.resident = max(most.resident, now.resident)
		most.peak = max(most.peak, now.peak)
		most.sockets = max(most.sockets, now.sockets)
		select {
		case <-ctx.Done():
			return most
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watchHealth asks for the health of a server until the context ends, as the kubelet
// does, on fresh connections. It returns the times that answers took, in order.
func (p *process) watchHealth(ctx context.Context, t *testing.T) (took []time.Duration) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	for i := 0; ; i++ {
		start := time.Now()
		response, err := client.Get(p.opsURL([]string{"/livez", "/readyz"}[i%2]))
		if err != nil {
			t.Errorf("its health cannot be asked: %v", err)
			return took
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("its health is %s", response.Status)
		}
		took = append(took, time.Since(start))
		select {
		case <-ctx.Done():
			slices.Sort(took)
			return took
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// steady asks for a target at fixed times, whether or not earlier answers have come.
type steady struct {
	url   string
	every time.Duration
	// from is the IP address that it asks from, empty for any.
	from string
}

// run asks for so long. It returns how long each answer took from when it was due, in
// order; one that is not of status 200 took for ever.
func (s steady) run(last time.Duration) []time.Duration {
	dialer := &net.Dialer{}
	if s.from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(s.from)}
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 1000}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	took := make([]time.Duration, last/s.every)
	var all sync.WaitGroup
	start := time.Now()
	for i := range took {
		due := start.Add(time.Duration(i) * s.every)
		time.Sleep(time.Until(due))
		all.Go(func() {
			took[i] = math.MaxInt64
			response, err := client.Get(s.url)
			if err != nil {
				return
			}
			defer response.Body.Close()
			if _, err := io.Copy(io.Discard, response.Body); err == nil && response.StatusCode == http.StatusOK {
				took[i] = time.Since(due)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took
}

// quantile is one of durations that are in order.
func quantile(took []time.Duration, share float64) time.Duration {
	return took[int(share*float64(len(took)-1))]
}

// measured is what well-behaved clients saw in one window.
type measured struct{ probes, liveness []time.Duration }

// How often the well-behaved clients ask.
const (
	probeEvery    = 10 * time.Millisecond
	livenessEvery = 20 * time.Millisecond
)

// measure lets one client probe the canonical table, and another ask for liveness, at a
// steady rate in each of some windows.
func (p *process) measure(windows int) []measured {
	position := mainPositions(1)[0]
	target := strings.Fields(string(probeRequest("tic-tac-chec", position).Text))[1]
	all := make([]measured, windows)
	for i := range all {
		var both sync.WaitGroup
		both.Go(func() { all[i].probes = steady{url: p.url(target), every: probeEvery}.run(window) })
		both.Go(func() { all[i].liveness = steady{url: p.url("/livez"), every: livenessEvery}.run(window) })
		both.Wait()
	}
	return all
}

// median is the median over windows of a quantile of one of the figures.
func median(all []measured, share float64, of func(measured) []time.Duration) time.Duration {
	var each []time.Duration
	for _, m := range all {
		each = append(each, quantile(of(m), share))
	}
	slices.Sort(each)
	return each[len(each)/2]
}

func probesOf(m measured) []time.Duration   { return m.probes }
func livenessOf(m measured) []time.Duration { return m.liveness }

func describeMeasured(all []measured) string {
	return fmt.Sprintf("probes p50 %s, p99 %s; liveness p50 %s, p99 %s (medians of %d windows)",
		median(all, 0.5, probesOf).Round(10*time.Microsecond), median(all, 0.99, probesOf).Round(10*time.Microsecond),
		median(all, 0.5, livenessOf).Round(10*time.Microsecond), median(all, 0.99, livenessOf).Round(10*time.Microsecond), len(all))
}

// TestAbuseStarve lets 32 clients send the costliest legal requests without pause. Others
// are answered in time meanwhile, each request gets a status, and the metrics count the
// statuses that were sent. The attacker has the lowest priority, so what it needs of the
// processor is not taken from the server.
func TestAbuseStarve(t *testing.T) {
	full := abuse(t).full
	p := startServer(t)
	counted := p.statuses(t)
	report := &attackReport{Statuses: map[int]int{}} // of all clients
	abused := func(clients, windows int, check func([]measured)) {
		attack := attack{Clients: clients, Requests: costlyRequests(), Manner: readAll}
		if full {
			attack.Last = time.Duration(windows+1) * window
		} else {
			attack.Checked = true // when full, this would take more than the server needs
		}
		wait := p.startAttack(t, attack)
		if full {
			time.Sleep(window / 2) // until the attack is at its height
			all := p.measure(windows)
			t.Logf("with %d abusers: %s", clients, describeMeasured(all))
			check(all)
			report.Statuses[http.StatusOK] += windows * int(window/probeEvery)
		}
		more := wait()
		t.Logf("%d abusers: %s", clients, more)
		report.Add(more)
	}
	if full {
		t.Logf("unloaded: %s", describeMeasured(p.measure(fewWindows)))
		report.Statuses[http.StatusOK] += fewWindows * int(window/probeEvery)
		abused(32, windows, func(all []measured) {
			if p99 := median(all, 0.99, probesOf); p99 >= 50*time.Millisecond {
				t.Errorf("a table probe's p99 is %s", p99)
			}
			if p99 := median(all, 0.99, livenessOf); p99 >= 100*time.Millisecond {
				t.Errorf("liveness's p99 is %s", p99)
			}
		})
		// So many more that nearly all are refused, after a second.
		abused(250, fewWindows, func(all []measured) {
			if p99 := median(all, 0.99, livenessOf); p99 >= 250*time.Millisecond {
				t.Errorf("with 250 abusers, liveness's p99 is %s", p99)
			}
		})
	} else {
		abused(2, 0, nil)
	}
	if report.Lost+report.Again+report.Refused+report.FaultCount > 0 {
		t.Errorf("of the abusers' requests: %s", strings.Join(report.Faults, "\n"))
	}
	// What is counted last may be so after the answer has come.
	for asked := 1; ; asked++ {
		now, want := p.statuses(t), maps.Clone(report.Statuses)
		for status, n := range counted {
			now[status] -= n
		}
		maps.DeleteFunc(now, func(_, n int) bool { return n == 0 })
		want[http.StatusOK] += asked // of our own
		if maps.Equal(now, want) {
			break
		}
		if asked == 100 {
			t.Errorf("the metrics count %v, and clients saw %v", now, want)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
}

var requestsLine = regexp.MustCompile(`^solved_http_requests_total\{.*route="([^"]*)",status="(\d+)"\} (\S+)$`)

// statuses returns how many requests the metrics count for each status, without those
// for health. It is one more request itself, which is not counted yet.
func (p *process) statuses(t *testing.T) map[int]int {
	t.Helper()
	response, err := p.asking.Get(p.opsURL("/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all := map[int]int{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		m := requestsLine.FindStringSubmatch(lines.Text())
		if m == nil || m[1] == "/livez" || m[1] == "/readyz" {
			continue
		}
		status, _ := strconv.Atoi(m[2])
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[status] += int(n)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAbuseRate lets clients of one address send the costliest requests to a server with
// a limit of 2,000 positions a second: they are told that they ask too much, since work
// is counted, and a client of another address hardly notices them.
func TestAbuseRate(t *testing.T) {
	full := abuse(t).full
	rate := "2000"
	if !full {
		rate = "100" // on a busy machine seconds pass between the two attacks, and repay their cost
	}
	p := startServer(t, "--rate-limit", rate)
	attack := attack{From: "127.0.0.2", Clients: 1, Requests: costlyRequests(), Manner: readAll}
	var report *attackReport
	if full {
		unloaded := p.measure(fewWindows)
		t.Logf("unloaded: %s", describeMeasured(unloaded))
		attack.Clients, attack.Last = 32, (windows+1)*window
		wait := p.startAttack(t, attack)
		time.Sleep(window / 2)
		all := p.measure(windows)
		t.Logf("with an abuser: %s", describeMeasured(all))
		if before, now := median(unloaded, 0.5, probesOf), median(all, 0.5, probesOf); now > before+5*time.Millisecond {
			t.Errorf("a probe's p50 went from %s to %s", before, now)
		}
		report = wait()
	} else {
		report = p.startAttack(t, attack)()
		report.Add(p.startAttack(t, attack)()) // the first one has spent what there was
	}
	t.Logf("the abuser: %s", report)
	if report.Statuses[http.StatusTooManyRequests] == 0 || report.Lost+report.Refused+report.FaultCount > 0 {
		t.Errorf("the abuser saw %s; %s", report, strings.Join(report.Faults, "\n"))
	}
}
