package service

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Bound is a limit on the memory that is left to this process and its children, in bytes.
type Bound struct {
	Left uint64
	By   string // the name of the limit
}

// Tightest returns the bound that leaves the least.
func Tightest(bounds []Bound) Bound {
	least := Bound{math.MaxUint64, "nothing"}
	for _, b := range bounds {
		if b.Left < least.Left {
			least = b
		}
	}
	return least
}

// MemoryLeft returns the tightest bound on memory: of GOMEMLIMIT, the limits of the process, those
// of its control groups, and the available memory of the machine.
func MemoryLeft(system fs.FS) Bound {
	bounds := append(processLimits(), ControlGroupLimits(system)...)
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		bounds = append(bounds, Bound{uint64(limit), "GOMEMLIMIT"})
	}
	if available, ok := field(system, "proc/meminfo", "MemAvailable:"); ok {
		bounds = append(bounds, Bound{available << 10, "the machine's available memory"})
	}
	return Tightest(bounds)
}

// ControlGroupLimits returns a bound for each memory limit of the process's control groups: the
// limit less the memory in use that the kernel cannot take back. The limits of the groups above
// count too. In a container the paths may be those of the host; then only the uppermost groups are
// visible.
func ControlGroupLimits(system fs.FS) (bounds []Bound) {
	text, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		var root, used string
		var limits []string
		switch {
		case id == "0" && controllers == "": // version 2
			root, limits, used = "sys/fs/cgroup", []string{"memory.max", "memory.high"}, "anon"
		case strings.Contains(","+controllers+",", ",memory,"):
			root, limits, used = "sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}, "total_rss"
		default:
			continue
		}
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			dir := path.Join(root, group)
			taken, _ := field(system, path.Join(dir, "memory.stat"), used)
			for _, name := range limits {
				if limit, ok := field(system, path.Join(dir, name), ""); ok {
					bounds = append(bounds, Bound{limit - min(limit, taken), fmt.Sprintf("%s of the control group %s", name, group)})
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return bounds
}

// field returns the number in a file of the system that follows a word at the beginning of a
// line, or the number that the file begins with if the word is empty.
func field(system fs.FS, name, word string) (uint64, bool) {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if word != "" {
			if len(fields) < 2 || fields[0] != word {
				continue
			}
			fields = fields[1:]
		}
		if len(fields) == 0 {
			return 0, false
		}
		n, err := strconv.ParseUint(fields[0], 10, 64)
		return n, err == nil // "max" is no limit
	}
	return 0, false
}
