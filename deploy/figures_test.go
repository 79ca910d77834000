package deploy

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// said returns the first group of a pattern in a file, whose lines are joined and whose
// comment signs are left out.
func said(t *testing.T, file, pattern string) string {
	t.Helper()
	text := strings.Join(strings.Fields(strings.ReplaceAll(readText(t, file), "\n#", "\n")), " ")
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("%s does not say %s", file, pattern)
	}
	return found[1]
}

// TestFiguresAgree holds figures that are said in more than one place together.
func TestFiguresAgree(t *testing.T) {
	given := func(name string) float64 {
		f, err := strconv.ParseFloat(said(t, "CAPACITY.md", "\\| `"+name+"` \\| ([0-9e.]+) \\|"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	each := given("connection") + given("header_each") + given("answer_each")
	want := fmt.Sprint(math.Ceil(each / 1000))
	for file, pattern := range map[string]string{
		"CAPACITY.md":            `need a higher limit: (\d+) kB each`,
		"RUNBOOK.md":             `up to (\d+) kB for each connection`,
		"systemd/solved.service": `at worst (\d+) kB of memory`,
		"systemd/solved.env":     `at worst (\d+) kB of memory`,
	} {
		if got := said(t, file, pattern); got != want {
			t.Errorf("%s says %s kB a connection, and CAPACITY.md gives %s", file, got, want)
		}
	}

	// What a replica takes at worst fits into the memory that it has. For kubernetes/
	// CAPACITY.md works it out, and TestCapacityIsDeployed compares.
	for _, c := range []struct{ connections, memory string }{
		{said(t, "compose/compose.yml", `SOLVED_MAX_CONNECTIONS: "(\d+)"`), strings.ToUpper(said(t, "compose/compose.yml", `mem_limit: (\w+) `)) + "i"},
		{said(t, "systemd/solved.env", `SOLVED_MAX_CONNECTIONS=(\d+)`), said(t, "systemd/solved.service", `GOMEMLIMIT=(\w+)B `)},
	} {
		connections, err := strconv.ParseFloat(c.connections, 64)
		if err != nil {
			t.Fatal(err)
		}
		memory := resource.MustParse(c.memory)
		if worst := given("idle") + given("answer_memory") + given("header_memory") + connections*each; worst > memory.AsApproximateFloat64() {
			t.Errorf("%s connections take %.0f bytes at worst, more than %s", c.connections, worst, c.memory)
		}
	}

	// GOMEMLIMIT is three quarters of the container's limit, as RUNBOOK.md says.
	said(t, "RUNBOOK.md", "(set `GOMEMLIMIT` to three quarters of the limit)")
	for file, patterns := range map[string][2]string{
		"compose/compose.yml":             {`GOMEMLIMIT: (\w+)B `, `mem_limit: (\w+) `},
		"kubernetes/base/deployment.yaml": {`GOMEMLIMIT value: (\w+)B `, `limits: memory: (\w+) `},
	} {
		heap := resource.MustParse(said(t, file, patterns[0]))
		limit := strings.ToUpper(strings.TrimSuffix(said(t, file, patterns[1]), "i")) + "i"
		most := resource.MustParse(limit)
		if 4*heap.Value() != 3*most.Value() {
			t.Errorf("%s: GOMEMLIMIT is %s, and the limit %s", file, heap.String(), limit)
		}
	}

	// The image holds the program and 0.2 MB of certificates.
	info, err := os.Stat(theProgram(t).path)
	if err != nil {
		t.Fatal(err)
	}
	size := float64(info.Size())/1e6 + 0.2
	megabytes, err := strconv.ParseFloat(said(t, "../Dockerfile", `(\d+) MB; answers`), 64)
	if err != nil || megabytes < size || megabytes > size+2 {
		t.Errorf("the Dockerfile says %v MB, and the image has %.1f MB: %v", megabytes, size, err)
	}
}

// TestPublicPaths holds the paths that README.md lets the world ask against the Ingress.
func TestPublicPaths(t *testing.T) {
	_, m := base(t)
	var admitted []string
	for _, p := range m.ingresses["solved"].Spec.Rules[0].HTTP.Paths {
		admitted = append(admitted, p.Path)
	}
	var listed []string
	for _, p := range regexp.MustCompile("`(/[^`]+)`").FindAllStringSubmatch(said(t, "README.md", "(Let only .* be asked from outside)"), -1) {
		listed = append(listed, p[1])
	}
	slices.Sort(admitted)
	slices.Sort(listed)
	if len(listed) == 0 || !slices.Equal(admitted, listed) {
		t.Errorf("README.md lets the world ask %q, and the Ingress %q", listed, admitted)
	}
}
