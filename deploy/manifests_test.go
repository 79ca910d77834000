package deploy

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifests are those of one kustomization, by name.
type manifests struct {
	namespaces  map[string]*core.Namespace
	configMaps  map[string]*core.ConfigMap
	claims      map[string]*core.PersistentVolumeClaim
	services    map[string]*core.Service
	deployments map[string]*apps.Deployment
	jobs        map[string]*batch.Job
	autoscalers map[string]*autoscaling.HorizontalPodAutoscaler
	budgets     map[string]*policy.PodDisruptionBudget
	policies    map[string]*networking.NetworkPolicy
	ingresses   map[string]*networking.Ingress
	monitors    map[string]*monitoring.ServiceMonitor
	rules       map[string]*monitoring.PrometheusRule
}

// kustomizations are the folders that hold one.
func kustomizations() (folders []string, err error) {
	err = filepath.WalkDir("kubernetes", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "kustomization.yaml" {
			folders = append(folders, filepath.Dir(path))
		}
		return err
	})
	return folders, err
}

// build is what `kubectl kustomize` would print.
func build(folder string) (string, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return "", err
	}
	text, err := resources.AsYaml()
	return string(text), err
}

// base builds and decodes the base, as text and as manifests.
func base(t *testing.T) (string, *manifests) {
	t.Helper()
	text, err := build("kubernetes/base")
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return text, m
}

// decode takes each document for what it says it is. A field that this kind does
// not have is an error, and so is a kind that the checks do not know.
func decode(text string) (*manifests, error) {
	m := &manifests{
		namespaces: map[string]*core.Namespace{}, configMaps: map[string]*core.ConfigMap{},
		claims: map[string]*core.PersistentVolumeClaim{}, services: map[string]*core.Service{},
		deployments: map[string]*apps.Deployment{}, jobs: map[string]*batch.Job{},
		autoscalers: map[string]*autoscaling.HorizontalPodAutoscaler{}, budgets: map[string]*policy.PodDisruptionBudget{},
		policies: map[string]*networking.NetworkPolicy{}, ingresses: map[string]*networking.Ingress{},
		monitors: map[string]*monitoring.ServiceMonitor{}, rules: map[string]*monitoring.PrometheusRule{},
	}
	for document := range strings.SplitSeq(text, "\n---\n") {
		var is struct {
			meta.TypeMeta `json:",inline"`
			Metadata      struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		err := yaml.Unmarshal([]byte(document), &is)
		if err != nil {
			return nil, err
		}
		switch kind := is.APIVersion + " " + is.Kind; kind {
		case "v1 Namespace":
			err = add(m.namespaces, document)
		case "v1 ConfigMap":
			err = add(m.configMaps, document)
		case "v1 PersistentVolumeClaim":
			err = add(m.claims, document)
		case "v1 Service":
			err = add(m.services, document)
		case "apps/v1 Deployment":
			err = add(m.deployments, document)
		case "batch/v1 Job":
			err = add(m.jobs, document)
		case "autoscaling/v2 HorizontalPodAutoscaler":
			err = add(m.autoscalers, document)
		case "policy/v1 PodDisruptionBudget":
			err = add(m.budgets, document)
		case "networking.k8s.io/v1 NetworkPolicy":
			err = add(m.policies, document)
		case "networking.k8s.io/v1 Ingress":
			err = add(m.ingresses, document)
		case "monitoring.coreos.com/v1 ServiceMonitor":
			err = add(m.monitors, document)
		case "monitoring.coreos.com/v1 PrometheusRule":
			err = add(m.rules, document)
		default:
			err = fmt.Errorf("the checks do not know the kind %q", kind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", is.Kind, is.Metadata.Name, err)
		}
	}
	return m, nil
}

func add[T any, P interface {
	*T
	meta.Object
}](to map[string]P, document string) error {
	object := P(new(T))
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		return err
	}
	name := object.GetName()
	if to[name] != nil {
		return fmt.Errorf("there are two")
	}
	if bad := validation.IsDNS1123Subdomain(name); bad != nil {
		return fmt.Errorf("the name: %s", bad[0])
	}
	if err := checkLabels(object.GetLabels()); err != nil {
		return err
	}
	to[name] = object
	return nil
}

func checkLabels(all map[string]string) error {
	for key, value := range all {
		if bad := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); bad != nil {
			return fmt.Errorf("label %s=%s: %s", key, value, bad[0])
		}
	}
	return nil
}

// selects tells whether a selector, which must be a good one and not empty,
// finds an object with these labels.
func selects(s *meta.LabelSelector, has map[string]string) (bool, error) {
	selector, err := meta.LabelSelectorAsSelector(s)
	if err != nil {
		return false, err
	}
	if selector.Empty() {
		return false, fmt.Errorf("the selector is empty")
	}
	return selector.Matches(labels.Set(has)), nil
}
