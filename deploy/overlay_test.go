package deploy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownIngress is what a reader of README.md writes for the patch it names.
const ownIngress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: solved
spec:
  ingressClassName: own
`

// TestOwnOverlay builds the overlay that README.md shows, with this tree's base.
func TestOwnOverlay(t *testing.T) {
	_, rest, ok := strings.Cut(readText(t, "README.md"), "    # kustomization.yaml\n")
	if !ok {
		t.Fatal("README.md shows no kustomization")
	}
	var shown strings.Builder
	for line := range strings.Lines(rest) {
		inner, ok := strings.CutPrefix(line, "    ")
		if !ok {
			break
		}
		shown.WriteString(inner)
	}
	folder := t.TempDir()
	base, err := filepath.Abs("kubernetes/base")
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(folder, base)
	if err != nil {
		t.Fatal(err)
	}
	const remote = "https://HOST/solved//deploy/kubernetes/base?ref=VERSION"
	if strings.Count(shown.String(), remote) != 1 {
		t.Fatalf("README.md does not build on %s once:\n%s", remote, &shown)
	}
	for name, text := range map[string]string{
		"kustomization.yaml": strings.Replace(shown.String(), remote, relative, 1),
		"ingress.yaml":       ownIngress,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := build(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if image := m.deployments["solved"].Spec.Template.Spec.Containers[0].Image; image != "REGISTRY/solved:VERSION" {
		t.Errorf("the overlay runs %s", image)
	}
	if class := m.ingresses["solved"].Spec.IngressClassName; class == nil || *class != "own" {
		t.Errorf("the overlay's Ingress is of class %v", class)
	}
}
