package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const example = "kubernetes/overlays/example"

// yoursLine is a line of a manifest whose value is for the operator to set.
var yoursLine = regexp.MustCompile(`(?m)^.*[\s=\[]([^\s=\[\]]+)\]? +# yours`)

// TestExampleSetsYours holds that the example of an overlay sets all that the base marks as
// the operator's, and that the Ingress keeps its paths: TestKubernetes checks these.
func TestExampleSetsYours(t *testing.T) {
	text, err := build(example)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("kubernetes/base/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, file := range files {
		for _, found := range yoursLine.FindAllStringSubmatch(readText(t, file), -1) {
			value := found[1]
			if value == "devel" {
				continue // the tag, which the example keeps
			}
			marked++
			if regexp.MustCompile(`[\s"]` + regexp.QuoteMeta(value) + `["\s]`).MatchString(text) {
				t.Errorf("%s marks %s as yours, and the example of an overlay does not set it", file, value)
			}
		}
	}
	if marked < 6 {
		t.Errorf("only %d values of the base are marked as yours", marked)
	}
	m, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if image := m.deployments["solved"].Spec.Template.Spec.Containers[0].Image; image != "registry.example.org/solved:devel" {
		t.Errorf("the example runs %s", image)
	}
	var urls []string
	for _, g := range m.rules["solved"].Spec.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				urls = append(urls, r.Annotations["runbook_url"])
			}
		}
	}
	checkRunbookLinks(t, urls, "https://runbooks.example.org/solved/RUNBOOK.md")
	if m.configMaps["solved-links"] != nil || strings.Contains(text, "solved-links") {
		t.Error("the address of the runbook is applied as a ConfigMap of its own")
	}
}

// checkRunbookLinks holds that each of the links leads to a section of the runbook.
func checkRunbookLinks(t *testing.T, urls []string, page string) {
	t.Helper()
	sections := setOf(anchors(readText(t, "RUNBOOK.md"))...)
	if len(urls) < 12 {
		t.Errorf("there are only %d links to the runbook", len(urls))
	}
	for _, url := range urls {
		if at, anchor, _ := strings.Cut(url, "#"); at != page || !sections[anchor] {
			t.Errorf("an alert links to %s", url)
		}
	}
}

// TestExampleCopied follows README.md: it copies the example to another place and sets
// the address of the base.
func TestExampleCopied(t *testing.T) {
	for _, line := range []string{
		"    cp -r deploy/kubernetes/overlays/example my-solved\n",
		"    kubectl kustomize my-solved ",
		"    kubectl apply -k my-solved\n",
	} {
		if !strings.Contains(readText(t, "README.md"), line) {
			t.Errorf("README.md does not say %q", line)
		}
	}
	want, err := build(example)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "my-solved")
	if err := os.CopyFS(folder, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Abs("kubernetes/base")
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(folder, base)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "kustomization.yaml")
	text := readText(t, name)
	const address = "  - ../../base # yours"
	if strings.Count(text, address) != 1 {
		t.Fatalf("the example does not build on %q once:\n%s", address, text)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(text, address, "  - "+relative, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := build(folder); err != nil || got != want {
		t.Errorf("the copy gives other manifests: %v\n%s", err, got)
	}
}

// TestExampleWithoutOperator adds the patch that README.md shows to the example, for each
// kind that not every cluster has.
func TestExampleWithoutOperator(t *testing.T) {
	patch := regexp.MustCompile(`(?m)^    (  - patch: \|-\n(?:      .*\n)+)`).FindStringSubmatch(readText(t, "README.md"))
	if patch == nil {
		t.Fatal("README.md shows no patch that deletes an object")
	}
	shown := strings.ReplaceAll(patch[1], "\n    ", "\n")
	const version, kind = "monitoring.coreos.com/v1", "ServiceMonitor"
	if !strings.Contains(shown, version) || !strings.Contains(shown, kind) {
		t.Fatalf("README.md deletes another object:\n%s", shown)
	}
	folder := filepath.Join(t.TempDir(), "overlays", "example")
	if err := os.CopyFS(filepath.Dir(filepath.Dir(folder)), os.DirFS("kubernetes")); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "kustomization.yaml")
	patches := shown + strings.Replace(shown, kind, "PrometheusRule", 1) +
		strings.NewReplacer(version, "autoscaling/v2", kind, "HorizontalPodAutoscaler").Replace(shown)
	text := strings.Replace(readText(t, name), "configMapGenerator:\n", patches+"configMapGenerator:\n", 1)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	built, err := build(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(built)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.monitors)+len(m.rules)+len(m.autoscalers) != 0 || len(m.deployments) != 1 {
		t.Errorf("the patches leave %d monitors, %d rules, %d autoscalers and %d deployments", len(m.monitors), len(m.rules), len(m.autoscalers), len(m.deployments))
	}
}

// TestIngressLosesPaths shows why the example changes single values: a patch that names
// another host replaces the whole list of rules, and the checks notice that no path is left.
func TestIngressLosesPaths(t *testing.T) {
	text, m := base(t)
	folder := t.TempDir()
	for name, content := range map[string]string{
		"base.yaml":          text,
		"kustomization.yaml": "resources: [base.yaml]\npatches:\n  - path: ingress.yaml\n",
		"ingress.yaml": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: solved\n  namespace: " +
			m.ingresses["solved"].Namespace + "\nspec:\n  rules:\n    - host: solved.example.org\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := build(folder)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = decode(text); err != nil {
		t.Fatal(err)
	}
	c := &checker{manifests: m, paths: []string{"/docs"}}
	c.entrance()
	if all := strings.Join(c.complaints, "\n"); !strings.Contains(all, "has no paths") || !strings.Contains(all, "/docs may be asked is false") {
		t.Errorf("that the Ingress has no path is not noticed: %q", c.complaints)
	}
}

// TestRunbookCommand runs the command by which README.md sets the address of the runbook
// where there is no operator.
func TestRunbookCommand(t *testing.T) {
	found := regexp.MustCompile(`(?m)^    (sed 's\|[^']*' deploy/prometheus/rules\.yml) >/etc/prometheus/`).FindStringSubmatch(readText(t, "README.md"))
	if found == nil {
		t.Fatal("README.md shows no command that sets the address of the runbook")
	}
	command := exec.Command("sh", "-c", found[1])
	command.Dir = ".."
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := parseRules(string(out))
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, r := range rules {
		if r.Alert != "" {
			urls = append(urls, r.Annotations["runbook_url"])
		}
	}
	checkRunbookLinks(t, urls, "https://HOST/RUNBOOK.md")
	if same := strings.ReplaceAll(string(out), "https://HOST/RUNBOOK.md", "deploy/RUNBOOK.md"); same != readText(t, "prometheus/rules.yml") {
		t.Error("the command changes more than the links to the runbook")
	}
}
