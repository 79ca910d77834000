package deploy

import (
	"os"
	"strings"
	"testing"
)

// prometheusRule is what comes before the rules when they are given to the operator.
const prometheusRule = `# The rules of ../../prometheus/rules.yml for the Prometheus operator, made from them by
#
#     go test . -run PrometheusRule -update      (in the folder deploy)
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: solved
  labels:
    app.kubernetes.io/name: solved
spec:
`

// TestPrometheusRule holds that the operator is given the very rules that promtool
// tests.
func TestPrometheusRule(t *testing.T) {
	const name = "kubernetes/base/rules.yaml"
	_, groups, ok := strings.Cut(readText(t, "prometheus/rules.yml"), "\ngroups:\n")
	if !ok {
		t.Fatal("rules.yml has no groups")
	}
	var made strings.Builder
	made.WriteString(prometheusRule + "  groups:\n")
	for line := range strings.Lines(groups) {
		if line != "\n" {
			made.WriteString("  ")
		}
		made.WriteString(line)
	}
	if *update {
		if err := os.WriteFile(name, []byte(made.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if readText(t, name) != made.String() {
		t.Errorf("%s is not what rules.yml gives; -update makes it anew", name)
	}
}
