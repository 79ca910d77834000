package deploy

import (
	commandline "flag"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = commandline.Bool("update", false, "make what is worked out from other files anew")

// A row of a table that gives a name a value: | `name` | value | …, or
// | `name` | `formula` | value | ….
var (
	givenRow   = regexp.MustCompile("^\\| `(\\w+)` \\| ([0-9.e+-]+) \\|")
	derivedRow = regexp.MustCompile("^\\| `(\\w+)` \\| `([^`]+)` \\| ([0-9.e+-]+) \\|")
	wholeUp    = regexp.MustCompile(`^ceil\((.*)\)$`)
	bold       = regexp.MustCompile(`\*\*(\d+)`)
)

// digits are those that a value is written with.
const digits = 3

// TestCapacity holds the arithmetic of CAPACITY.md: each derived value is what its
// formula gives, to three digits.
func TestCapacity(t *testing.T) {
	text, err := os.ReadFile("CAPACITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := types.NewPackage("capacity", "capacity")
	value := func(formula string) (float64, error) {
		v, err := types.Eval(token.NewFileSet(), names, token.NoPos, formula)
		if err != nil {
			return 0, err
		}
		f, _ := constant.Float64Val(constant.ToFloat(v.Value))
		return f, nil
	}
	lines := strings.Split(string(text), "\n")
	given, derived := 0, 0
	declare := func(name, number string) {
		v := constant.MakeFromLiteral(number, token.FLOAT, 0)
		if old := names.Scope().Insert(types.NewConst(token.NoPos, names, name, types.Typ[types.UntypedFloat], v)); old != nil {
			t.Errorf("%s has two values", name)
		}
	}
	for i, line := range lines {
		if row := givenRow.FindStringSubmatch(line); row != nil {
			given++
			declare(row[1], row[2])
			continue
		}
		row := derivedRow.FindStringSubmatch(line)
		if row == nil {
			if strings.HasPrefix(line, "| `") {
				t.Errorf("CAPACITY.md:%d: this row gives nothing a value: %s", i+1, line)
			}
			continue
		}
		derived++
		name, formula, written := row[1], row[2], row[3]
		up := false
		if inner := wholeUp.FindStringSubmatch(formula); inner != nil {
			formula, up = inner[1], true
		}
		got, err := value(formula)
		if err != nil {
			t.Fatalf("CAPACITY.md:%d: %v", i+1, err)
		}
		want := rounded(got)
		if up {
			want = strconv.FormatFloat(math.Ceil(got), 'f', -1, 64)
		}
		if written != want {
			if *update {
				lines[i] = strings.Replace(line, "| "+written+" |", "| "+want+" |", 1)
			} else {
				t.Errorf("CAPACITY.md:%d: %s = %s is %s, not %s", i+1, name, row[2], want, written)
			}
		}
		// What is built on a value is built on the value itself, not on its digits,
		// but for whole replicas.
		number := strconv.FormatFloat(got, 'g', -1, 64)
		if up {
			number = want
		}
		declare(name, number)
	}
	if given < 10 || derived < 20 {
		t.Errorf("CAPACITY.md gives %d values and derives %d", given, derived)
	}
	result := strings.Join(lines, "\n")
	if *update {
		if err := os.WriteFile("CAPACITY.md", []byte(result), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The conclusion in words.
	var concluded []string
	for _, m := range bold.FindAllStringSubmatch(result, -1) {
		concluded = append(concluded, m[1])
	}
	if want := fmt.Sprint([]string{whole(names, "all_zones"), whole(names, "hit_90")}); fmt.Sprint(concluded) != want {
		t.Errorf("CAPACITY.md concludes with %v replicas, and works out %s", concluded, want)
	}
}

// rounded writes a number with three digits, without an exponent.
func rounded(f float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
	if err != nil {
		panic(err) // it was written just now
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

func whole(p *types.Package, name string) string {
	c, ok := p.Scope().Lookup(name).(*types.Const)
	if !ok {
		return name + " is not worked out"
	}
	return c.Val().ExactString()
}

// TestCapacityIsDeployed holds what CAPACITY.md takes for granted against the
// manifests.
func TestCapacityIsDeployed(t *testing.T) {
	_, m := base(t)
	request := m.deployments["solved"].Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().AsApproximateFloat64()
	scaler := m.autoscalers["solved"].Spec
	busy := float64(*scaler.Metrics[0].Resource.Target.AverageUtilization) / 100
	capacity := readText(t, "CAPACITY.md")
	container := m.deployments["solved"].Spec.Template.Spec.Containers[0]
	settings := readText(t, "kubernetes/base/kustomization.yaml")
	connections := regexp.MustCompile(`SOLVED_MAX_CONNECTIONS=(\d+)`).FindStringSubmatch(settings)
	if connections == nil {
		t.Fatal("the base sets no SOLVED_MAX_CONNECTIONS")
	}
	for _, want := range []string{
		fmt.Sprintf("| `connections` | %s |", connections[1]),
		fmt.Sprintf("| `limit` | %d |", container.Resources.Limits.Memory().Value()),
		fmt.Sprintf("| `cores` | %v |", request),
		fmt.Sprintf("| `busy` | %v |", busy),
		fmt.Sprintf("`maxReplicas`, %d", scaler.MaxReplicas),
	} {
		if !strings.Contains(capacity, want) {
			t.Errorf("CAPACITY.md does not say %s, as the manifests do", want)
		}
	}
}
