package service

import (
	"maps"
	"math"
	"testing"
	"testing/fstest"
)

// TestControlGroupLimits reads the limits that control groups of both versions set, of the
// group of the process and of those above it, less what is in use there.
func TestControlGroupLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  Bound
	}{
		{"none", nil, Bound{Left: math.MaxUint64, By: "nothing"}},
		{"version 2, its own", map[string]string{
			"proc/self/cgroup":               "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":   "1000\n",
			"sys/fs/cgroup/a/b/memory.stat":  "anon 300\nfile 500\n",
			"sys/fs/cgroup/a/memory.max":     "max\n",
			"sys/fs/cgroup/a/memory.high":    "5000\n",
			"sys/fs/cgroup/a/c/memory.max":   "1\n",
			"sys/fs/cgroup/a/b/d/memory.max": "1\n",
		}, Bound{Left: 700, By: "memory.max of the control group /a/b"}},
		{"version 2, one above it", map[string]string{
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.max":   "9000\n",
			"sys/fs/cgroup/a/memory.high":  "8000\n",
			"sys/fs/cgroup/a/memory.stat":  "anon 7000\n",
		}, Bound{Left: 1000, By: "memory.high of the control group /a"}},
		{"version 2, in a container", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "123\n",
		}, Bound{Left: 123, By: "memory.max of the control group /"}},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "4000\n",
			"sys/fs/cgroup/memory/memory.stat":             "rss 1\ntotal_rss 1000\n",
			"sys/fs/cgroup/cpu/x/memory.limit_in_bytes":    "1\n",
		}, Bound{Left: 3000, By: "memory.limit_in_bytes of the control group /"}},
		{"version 1, in a container that sees the host's path", map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/0123\n0::/docker/0123\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "4000\n",
		}, Bound{Left: 4000, By: "memory.limit_in_bytes of the control group /"}},
		{"what is no number", map[string]string{
			"proc/self/cgroup":         "nonsense\n0::/../x\n",
			"sys/fs/cgroup/memory.max": "-1\n",
		}, Bound{Left: math.MaxUint64, By: "nothing"}},
	} {
		system := make(fstest.MapFS)
		for name, text := range c.files {
			system[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := Tightest(ControlGroupLimits(system)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		withMemory := maps.Clone(system)
		withMemory["proc/meminfo"] = &fstest.MapFile{Data: []byte("MemTotal: 9 kB\nMemAvailable:       2 kB\n")}
		want := Bound{Left: 2048, By: "the machine's available memory"}
		if c.want.Left < want.Left {
			want = c.want
		}
		if got := MemoryLeft(withMemory); got != want {
			t.Errorf("%s: of all, %+v, want %+v", c.name, got, want)
		}
	}
}
