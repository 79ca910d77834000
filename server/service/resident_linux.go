package service

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ResidentByFile returns the number of bytes in memory of each mapped file, by the system's name of
// the file. It returns nil if the system does not tell.
func ResidentByFile() map[string]int64 {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer file.Close()
	all, err := ParseResident(file)
	if err != nil {
		return nil
	}
	return all
}

// ParseResident reads the form of /proc/PID/smaps: for each mapping a line that
// ends with the name of its file, and lines "Name: value kB" about it.
//
//	7f2a1c000000-7f2a38f00000 r--s 00000000 08:01 1234   /srv/c.ttb
//	Rss:              474112 kB
func ParseResident(r io.Reader) (map[string]int64, error) {
	all := make(map[string]int64)
	name := ""
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case first == "Rss:":
			if name == "" {
				continue
			}
			number, unit, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || unit != "kB" {
				return nil, fmt.Errorf("%q is not understood", line)
			}
			all[name] += n << 10
		case !strings.HasSuffix(first, ":"):
			name = ""
			if at := strings.IndexByte(rest, '/'); at >= 0 {
				name = rest[at:]
			}
		}
	}
	return all, lines.Err()
}

// MappingName returns the system's name of an open file, even if the file has been replaced or
// removed.
func MappingName(f *os.File) string {
	raw, err := f.SyscallConn()
	if err != nil {
		return ""
	}
	name := ""
	err = raw.Control(func(fd uintptr) { name, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)) })
	if err != nil {
		return ""
	}
	return name
}

// TellsResident says whether the system tells how much of a file is in memory.
const TellsResident = true
