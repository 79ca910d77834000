package deploy

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// tableBytes is the size of the table file that is served from a volume.
const tableBytes = 485862535

// checker collects what is wrong with a set of manifests.
type checker struct {
	*manifests
	program    *program
	image      *image   // what the Dockerfile makes
	withTable  *image   // the same with a table in it, which has a tag that ends so
	paths      []string // what the program answers
	complaints []string
}

func (c *checker) complain(format string, args ...any) {
	c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
}

func checkManifests(text string, p *program, i, withTable *image, paths []string) []string {
	m, err := decode(text)
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{manifests: m, program: p, image: i, withTable: withTable, paths: paths}
	c.namespace()
	for name, d := range m.deployments {
		c.deployment(name, d)
	}
	for name, j := range m.jobs {
		c.pod("Job "+name, &j.Spec.Template)
		c.job(name)
	}
	c.service()
	c.autoscaling()
	c.disruption()
	c.network()
	c.entrance()
	c.monitoring()
	return c.complaints
}

// namespace checks that everything is in the one namespace there is.
func (c *checker) namespace() {
	if len(c.namespaces) != 1 {
		c.complain("%d namespaces, not one", len(c.namespaces))
		return
	}
	name := slices.Collect(maps.Keys(c.namespaces))[0]
	if level := c.namespaces[name].Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
		c.complain("the namespace admits pods that are %q", level)
	}
	within(c, name, "ConfigMap", c.configMaps)
	within(c, name, "PersistentVolumeClaim", c.claims)
	within(c, name, "Service", c.services)
	within(c, name, "Deployment", c.deployments)
	within(c, name, "Job", c.jobs)
	within(c, name, "HorizontalPodAutoscaler", c.autoscalers)
	within(c, name, "PodDisruptionBudget", c.budgets)
	within(c, name, "NetworkPolicy", c.policies)
	within(c, name, "Ingress", c.ingresses)
	within(c, name, "ServiceMonitor", c.monitors)
	within(c, name, "PrometheusRule", c.rules)
}

func within[P meta.Object](c *checker, namespace, kind string, objects map[string]P) {
	for name, o := range objects {
		if o.GetNamespace() != namespace {
			c.complain("%s %s is in namespace %q", kind, name, o.GetNamespace())
		}
	}
}

// pod checks what holds for every pod.
func (c *checker) pod(name string, t *core.PodTemplateSpec) {
	s := &t.Spec
	isFalse := func(what string, b *bool) {
		if b == nil || *b {
			c.complain("%s: %s is not false", name, what)
		}
	}
	isTrue := func(what string, b *bool) {
		if b == nil || !*b {
			c.complain("%s: %s is not true", name, what)
		}
	}
	if err := checkLabels(t.Labels); err != nil {
		c.complain("%s: %v", name, err)
	}
	isFalse("enableServiceLinks", s.EnableServiceLinks)
	isFalse("automountServiceAccountToken", s.AutomountServiceAccountToken)
	security := s.SecurityContext
	if security == nil || security.RunAsUser == nil || security.RunAsGroup == nil {
		c.complain("%s: no user and group", name)
		return
	}
	isTrue("runAsNonRoot", security.RunAsNonRoot)
	if user := fmt.Sprintf("%d:%d", *security.RunAsUser, *security.RunAsGroup); user != c.image.user {
		c.complain("%s runs as %s, and the image as %s", name, user, c.image.user)
	}
	if security.SeccompProfile == nil || security.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		c.complain("%s has no seccomp profile", name)
	}
	mounted := map[string]bool{}
	for _, container := range append(slices.Clone(s.InitContainers), s.Containers...) {
		where := name + ", container " + container.Name
		if !named(container.Image, "solved") {
			c.complain("%s: the image is %q", where, container.Image)
		}
		if container.Command != nil {
			c.complain("%s replaces the image's program by %q", where, container.Command)
		}
		for _, complaint := range c.program.checkArguments(container.Args) {
			c.complain("%s: %s", where, complaint)
		}
		for variable := range c.environment(where, &container) {
			for _, complaint := range c.program.checkVariable(variable) {
				c.complain("%s: %s", where, complaint)
			}
		}
		own := container.SecurityContext
		if own == nil || own.Capabilities == nil || !slices.Equal(own.Capabilities.Drop, []core.Capability{"ALL"}) || own.Capabilities.Add != nil {
			c.complain("%s does not drop all capabilities", where)
		} else {
			isTrue("readOnlyRootFilesystem", own.ReadOnlyRootFilesystem)
			isFalse("allowPrivilegeEscalation", own.AllowPrivilegeEscalation)
		}
		c.resources(where, &container)
		for _, m := range container.VolumeMounts {
			mounted[m.Name] = true
			i := slices.IndexFunc(s.Volumes, func(v core.Volume) bool { return v.Name == m.Name })
			if i < 0 {
				c.complain("%s mounts volume %s, which the pod does not have", where, m.Name)
			} else if claim := s.Volumes[i].PersistentVolumeClaim; claim != nil && claim.ReadOnly && !m.ReadOnly {
				c.complain("%s mounts volume %s to write, which can be read only", where, m.Name)
			}
		}
	}
	for _, v := range s.Volumes {
		if !mounted[v.Name] {
			c.complain("%s: no container mounts volume %s", name, v.Name)
		}
		if v.PersistentVolumeClaim == nil {
			c.complain("%s: volume %s is no claim, the only kind that is looked for here", name, v.Name)
		} else if c.claims[v.PersistentVolumeClaim.ClaimName] == nil {
			c.complain("%s: volume %s is of claim %s, which does not exist", name, v.Name, v.PersistentVolumeClaim.ClaimName)
		}
	}
}

// named tells whether a reference to an image is to one of this name, in any registry,
// with a tag that stays what it is.
func named(image, name string) bool {
	repository, tag, ok := strings.Cut(path.Base(image), ":")
	return repository == name && ok && tag != "" && tag != "latest"
}

// environment is what a container has in its environment.
func (c *checker) environment(where string, container *core.Container) map[string]string {
	environment := map[string]string{}
	for _, from := range container.EnvFrom {
		if from.ConfigMapRef == nil || c.configMaps[from.ConfigMapRef.Name] == nil {
			c.complain("%s takes its environment from what does not exist", where)
			continue
		}
		maps.Copy(environment, c.configMaps[from.ConfigMapRef.Name].Data)
	}
	for _, v := range container.Env {
		environment[v.Name] = v.Value
	}
	return environment
}

func (c *checker) resources(where string, container *core.Container) {
	requests, limits := container.Resources.Requests, container.Resources.Limits
	if requests.Cpu().IsZero() || requests.Memory().IsZero() || limits.Memory().IsZero() {
		c.complain("%s: CPU and memory are not requested, or memory is not limited", where)
	}
	for name, limit := range limits {
		if request := requests[name]; request.Cmp(limit) > 0 {
			c.complain("%s requests more %s than its limit", where, name)
		}
	}
}

// mount is the mount of a container that holds a file.
func mount(container *core.Container, file string) *core.VolumeMount {
	for i, m := range container.VolumeMounts {
		if strings.HasPrefix(file, strings.TrimSuffix(m.MountPath, "/")+"/") {
			return &container.VolumeMounts[i]
		}
	}
	return nil
}

// deployment checks what holds for the pods that serve.
func (c *checker) deployment(name string, d *apps.Deployment) {
	where := "Deployment " + name
	c.pod(where, &d.Spec.Template)
	pod := &d.Spec.Template
	if ok, err := selects(d.Spec.Selector, pod.Labels); !ok || err != nil {
		c.complain("%s does not select its own pods (%v)", where, err)
	}
	if d.Spec.Replicas != nil {
		c.complain("%s has a number of replicas, which each apply would force upon the autoscaler", where)
	}
	if r := d.Spec.Strategy.RollingUpdate; r == nil || r.MaxUnavailable == nil || *r.MaxUnavailable != intstr.FromInt32(0) {
		c.complain("%s may take pods away before there are new ones", where)
	}
	spread := map[string]bool{}
	for _, s := range pod.Spec.TopologySpreadConstraints {
		spread[s.TopologyKey] = true
		if ok, err := selects(s.LabelSelector, pod.Labels); !ok || err != nil {
			c.complain("%s spreads other pods than its own (%v)", where, err)
		}
	}
	if !spread["topology.kubernetes.io/zone"] || !spread["kubernetes.io/hostname"] {
		c.complain("%s is not spread over zones and nodes", where)
	}
	if len(pod.Spec.Containers) != 1 || len(pod.Spec.InitContainers) != 0 {
		c.complain("%s has not one container", where)
		return
	}
	container := &pod.Spec.Containers[0]
	environment := c.environment(where, container)
	if len(container.Args) == 0 || container.Args[0] != "serve" {
		c.complain("%s does not serve but %q", where, container.Args)
	} else {
		for _, complaint := range c.program.checkValues(container.Args, environment) {
			c.complain("%s: %s", where, complaint)
		}
	}
	listen, ops := c.program.setting("listen", container.Args, environment), c.program.setting("ops-listen", container.Args, environment)
	var ports []string
	for _, p := range container.Ports {
		ports = append(ports, fmt.Sprintf("%s :%d", p.Name, p.ContainerPort))
	}
	if !slices.Equal(ports, []string{"http " + listen, "ops " + ops}) {
		c.complain("%s has ports %q, and the program listens on %s and %s", where, ports, listen, ops)
	}
	if limit := c.program.setting("rate-limit", container.Args, environment); limit == "0" || limit == "" {
		c.complain("%s: one client may take all of a replica", where)
	}
	if c.program.setting("trusted-proxy", container.Args, environment) == "" {
		c.complain("%s: all clients have the address of the ingress controller", where)
	}
	if listen != ":"+strings.Join(c.image.ports, " ") {
		c.complain("%s listens on %s, and the image exposes %q", where, listen, c.image.ports)
	}
	c.probe(where+": startup", container, container.StartupProbe, "/readyz")
	c.probe(where+": readiness", container, container.ReadinessProbe, "/readyz")
	c.probe(where+": liveness", container, container.LivenessProbe, "/livez")

	ending, err := c.program.ending(container.Args, environment)
	grace := pod.Spec.TerminationGracePeriodSeconds
	if err != nil || grace == nil || time.Duration(*grace)*time.Second <= ending {
		c.complain("%s: the grace period is not longer than the %s that shutting down may take (%v)", where, ending, err)
	}
	if delay := c.program.setting("shutdown-delay", container.Args, environment); delay == "0s" || delay == "" {
		c.complain("%s: no delay before shutting down, so requests still come", where)
	}

	heap, err := resource.ParseQuantity(strings.TrimSuffix(environment["GOMEMLIMIT"], "B"))
	if err != nil {
		c.complain("%s: GOMEMLIMIT %q: %v", where, environment["GOMEMLIMIT"], err)
	}
	limit, request := container.Resources.Limits.Memory().Value(), container.Resources.Requests.Memory().Value()
	image := c.image
	if strings.HasSuffix(container.Image, "-table") {
		image = c.withTable
	}
	effective := maps.Clone(image.environment)
	maps.Copy(effective, environment)
	tables := strings.FieldsFunc(c.program.setting("table", container.Args, effective), func(r rune) bool { return r == ':' })
	for _, table := range tables {
		m := mount(container, table)
		if m == nil && image.files[table] != "" {
			continue // in the image
		} else if m == nil {
			c.complain("%s: table %s is on no volume", where, table)
		} else if !m.ReadOnly {
			c.complain("%s can write to its table", where)
		}
	}
	if len(tables) == 0 && len(container.VolumeMounts) > 0 {
		c.complain("%s mounts volumes and serves no table from them", where)
	}
	mapped := int64(len(tables)) * tableBytes
	if rest := limit - mapped - heap.Value(); rest < 64<<20 {
		c.complain("%s: the limit of memory leaves %d bytes beside GOMEMLIMIT and the tables", where, rest)
	}
	if rest := request - mapped; rest < 64<<20 {
		c.complain("%s: the request of memory leaves %d bytes beside the tables", where, rest)
	}
}

func (c *checker) probe(where string, container *core.Container, p *core.Probe, path string) {
	switch {
	case p == nil || p.HTTPGet == nil:
		c.complain("%s: no probe by HTTP", where)
	case p.HTTPGet.Path != path || !slices.Contains(c.paths, p.HTTPGet.Path):
		c.complain("%s: the probe asks %s", where, p.HTTPGet.Path)
	case c.port(container, p.HTTPGet.Port) == 0:
		c.complain("%s: the probe asks port %s, which the container does not have", where, p.HTTPGet.Port.String())
	case p.HTTPGet.Port.StrVal != "ops":
		c.complain("%s: the probe asks port %s, where clients may take all connections", where, p.HTTPGet.Port.String())
	case p.PeriodSeconds < 1 || p.TimeoutSeconds < 1 || p.FailureThreshold < 1:
		c.complain("%s: how often, how long or how many times is left open", where)
	case p.TimeoutSeconds > p.PeriodSeconds:
		c.complain("%s: the probe waits longer than its period", where)
	}
}

// port is the number of a container's port that is named or numbered so, or 0.
func (c *checker) port(container *core.Container, p intstr.IntOrString) int32 {
	for _, has := range container.Ports {
		if p.Type == intstr.String && has.Name == p.StrVal || p.Type == intstr.Int && has.ContainerPort == p.IntVal {
			return has.ContainerPort
		}
	}
	return 0
}

// job checks that a Job makes and checks a table that is then served.
func (c *checker) job(name string) {
	where := "Job " + name
	j := c.jobs[name]
	pod := &j.Spec.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever && pod.RestartPolicy != core.RestartPolicyOnFailure {
		c.complain("%s: restart policy %q", where, pod.RestartPolicy)
	}
	if pod.SecurityContext == nil || pod.SecurityContext.FSGroup == nil || *pod.SecurityContext.FSGroup != *pod.SecurityContext.RunAsGroup {
		c.complain("%s: the volume does not belong to its group", where)
	}
	if len(pod.InitContainers) != 1 || len(pod.Containers) != 1 {
		c.complain("%s does not first make one table and then verify it", where)
		return
	}
	makes, checks := &pod.InitContainers[0], &pod.Containers[0]
	if len(makes.Args) != 4 || makes.Args[0] != "expand" || makes.Args[2] != "-o" || !slices.Equal(checks.Args, []string{"verify", makes.Args[3]}) {
		c.complain("%s does not first make a table and then verify it: %q, %q", where, makes.Args, checks.Args)
		return
	}
	file := makes.Args[3]
	to := mount(makes, file)
	if to == nil || to.ReadOnly || mount(checks, file) == nil {
		c.complain("%s cannot write %s", where, file)
		return
	}
	if memory := makes.Resources.Requests.Memory().Value(); memory < 2<<30 {
		c.complain("%s has %d bytes of memory, and making a table takes 2 GiB", where, memory)
	}
	for served, d := range c.deployments {
		container := &d.Spec.Template.Spec.Containers[0]
		if c.program.setting("table", container.Args, c.environment(where, container)) != file {
			c.complain("%s makes %s, which Deployment %s does not serve", where, file, served)
			continue
		}
		from := mount(container, file)
		if from == nil || claim(&d.Spec.Template.Spec, from.Name) != claim(pod, to.Name) {
			c.complain("%s does not write to the volume that Deployment %s reads", where, served)
		}
	}
	for _, s := range c.services {
		if ok, _ := selects(&meta.LabelSelector{MatchLabels: s.Spec.Selector}, j.Spec.Template.Labels); ok {
			c.complain("%s: its pods would be asked as servers", where)
		}
	}
	for _, used := range c.claims {
		if size := used.Spec.Resources.Requests.Storage().Value(); size < 2*tableBytes {
			c.complain("PersistentVolumeClaim %s has no room for a table and the one that replaces it", used.Name)
		}
		if !slices.Contains(used.Spec.AccessModes, core.ReadWriteMany) {
			c.complain("PersistentVolumeClaim %s cannot be written by one node and read by others", used.Name)
		}
	}
}

// claim is the claim behind a volume.
func claim(pod *core.PodSpec, volume string) string {
	for _, v := range pod.Volumes {
		if v.Name == volume && v.PersistentVolumeClaim != nil {
			return v.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

// selected is the one Deployment whose pods a selector finds, or nil.
func (c *checker) selected(where string, s *meta.LabelSelector) *apps.Deployment {
	var found *apps.Deployment
	for name, d := range c.deployments {
		ok, err := selects(s, d.Spec.Template.Labels)
		if err != nil {
			c.complain("%s: %v", where, err)
		}
		if ok && found != nil {
			c.complain("%s selects more than one Deployment's pods, %s's for one", where, name)
		}
		if ok {
			found = d
		}
	}
	if found == nil {
		c.complain("%s selects no Deployment's pods", where)
	}
	return found
}

func (c *checker) service() {
	if len(c.services) != 1 || len(c.deployments) != 1 {
		c.complain("%d Services and %d Deployments, not one of each", len(c.services), len(c.deployments))
	}
	for name, s := range c.services {
		where := "Service " + name
		d := c.selected(where, &meta.LabelSelector{MatchLabels: s.Spec.Selector})
		if d == nil {
			continue
		}
		if len(s.Spec.Ports) != 2 || s.Spec.Ports[0].Name != "http" || s.Spec.Ports[1].Name != "ops" {
			c.complain("%s: the ports are not one named http and one named ops", where)
		}
		for _, p := range s.Spec.Ports {
			if c.port(&d.Spec.Template.Spec.Containers[0], p.TargetPort) == 0 || p.TargetPort.StrVal != p.Name {
				c.complain("%s: port %s has the target port %s", where, p.Name, p.TargetPort.String())
			}
		}
	}
}

func (c *checker) autoscaling() {
	if len(c.autoscalers) != 1 {
		c.complain("%d autoscalers, not one", len(c.autoscalers))
	}
	for name, h := range c.autoscalers {
		where := "HorizontalPodAutoscaler " + name
		to := h.Spec.ScaleTargetRef
		if to.APIVersion != "apps/v1" || to.Kind != "Deployment" || c.deployments[to.Name] == nil {
			c.complain("%s scales %s %s, which does not exist", where, to.Kind, to.Name)
		}
		if h.Spec.MinReplicas == nil || *h.Spec.MinReplicas < 2 || h.Spec.MaxReplicas <= *h.Spec.MinReplicas {
			c.complain("%s does not keep at least two replicas with room for more", where)
		}
		for _, m := range h.Spec.Metrics {
			if m.Type != autoscaling.ResourceMetricSourceType || m.Resource == nil || m.Resource.Name != core.ResourceCPU ||
				m.Resource.Target.Type != autoscaling.UtilizationMetricType || m.Resource.Target.AverageUtilization == nil {
				c.complain("%s scales by something else than CPU", where)
			}
		}
		if len(h.Spec.Metrics) != 1 {
			c.complain("%s has %d metrics", where, len(h.Spec.Metrics))
		}
	}
}

func (c *checker) disruption() {
	if len(c.budgets) != 1 {
		c.complain("%d PodDisruptionBudgets, not one", len(c.budgets))
	}
	for name, b := range c.budgets {
		where := "PodDisruptionBudget " + name
		c.selected(where, b.Spec.Selector)
		if b.Spec.MinAvailable != nil || b.Spec.MaxUnavailable == nil || *b.Spec.MaxUnavailable != intstr.FromInt32(1) {
			c.complain("%s does not let one pod go at a time", where)
		}
	}
}

func (c *checker) network() {
	both := []networking.PolicyType{networking.PolicyTypeIngress, networking.PolicyTypeEgress}
	var denied bool
	var admitted int
	for name, n := range c.policies {
		where := "NetworkPolicy " + name
		if !slices.Equal(n.Spec.PolicyTypes, both) {
			c.complain("%s is not about both ways", where)
		}
		if len(n.Spec.Egress) > 0 {
			c.complain("%s lets pods ask others", where)
		}
		if len(n.Spec.PodSelector.MatchLabels)+len(n.Spec.PodSelector.MatchExpressions) == 0 {
			denied = true
			if len(n.Spec.Ingress) > 0 {
				c.complain("%s lets every pod be asked", where)
			}
			continue
		}
		d := c.selected(where, &n.Spec.PodSelector)
		if d == nil {
			continue
		}
		admitted++
		opened := map[string]string{} // to whom, by port
		for _, rule := range n.Spec.Ingress {
			if len(rule.From) != 1 || len(rule.Ports) != 1 {
				c.complain("%s does not name one namespace that may ask, and one port", where)
			}
			for _, from := range rule.From {
				if from.NamespaceSelector == nil || from.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == "" {
					c.complain("%s lets in others than namespaces by name", where)
				}
			}
			for _, p := range rule.Ports {
				if p.Port == nil || c.port(&d.Spec.Template.Spec.Containers[0], *p.Port) == 0 {
					c.complain("%s: the port is none of the pods'", where)
				} else if len(rule.From) == 1 && rule.From[0].NamespaceSelector != nil {
					opened[p.Port.StrVal] = rule.From[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]
				}
			}
		}
		if len(opened) != 2 || opened["http"] == opened["ops"] {
			c.complain("%s does not open the port http to one namespace and ops to another, but %v", where, opened)
		}
	}
	if !denied || admitted != 1 {
		c.complain("the network policies do not deny all and then admit to the servers")
	}
}

// entrance checks that the Ingress lets the world ask everything in the contract
// but what is the cluster's own business.
func (c *checker) entrance() {
	if len(c.ingresses) != 1 {
		c.complain("%d Ingresses, not one", len(c.ingresses))
	}
	for name, i := range c.ingresses {
		where := "Ingress " + name
		admits := func(path string) bool { return false }
		for _, rule := range i.Spec.Rules {
			if rule.HTTP == nil || len(i.Spec.TLS) != 1 || !slices.Contains(i.Spec.TLS[0].Hosts, rule.Host) {
				c.complain("%s: host %s has no paths or no TLS", where, rule.Host)
				continue
			}
			for _, p := range rule.HTTP.Paths {
				to := p.Backend.Service
				if to == nil || c.services[to.Name] == nil || to.Port.Name != "http" ||
					!slices.ContainsFunc(c.services[to.Name].Spec.Ports, func(has core.ServicePort) bool { return has.Name == to.Port.Name }) {
					c.complain("%s: path %s leads to no port of a Service", where, p.Path)
				}
				before := admits
				prefix := p.PathType != nil && *p.PathType == networking.PathTypePrefix
				this := func(path string) bool {
					return path == p.Path || prefix && strings.HasPrefix(path, strings.TrimSuffix(p.Path, "/")+"/")
				}
				if !slices.ContainsFunc(c.paths, this) {
					c.complain("%s: path %s leads to nothing that the program answers", where, p.Path)
				}
				admits = func(path string) bool { return before(path) || this(path) }
			}
		}
		for _, path := range c.paths {
			private := path == "/livez" || path == "/readyz" || path == "/metrics"
			if admits(path) == private {
				c.complain("%s: that %s may be asked is %t", where, path, admits(path))
			}
		}
	}
}

func (c *checker) monitoring() {
	if len(c.monitors) != 1 {
		c.complain("%d ServiceMonitors, not one", len(c.monitors))
	}
	if len(c.rules) != 1 {
		c.complain("%d PrometheusRules, not one", len(c.rules))
	}
	for name, m := range c.monitors {
		where := "ServiceMonitor " + name
		if classic := m.Spec.ScrapeClassicHistograms; classic == nil || !*classic {
			c.complain("%s: the rules ask for classic histograms", where)
		}
		for _, s := range c.services {
			if ok, err := selects(&m.Spec.Selector, s.Labels); !ok || err != nil {
				c.complain("%s does not select Service %s (%v)", where, s.Name, err)
			}
			if s.Labels[m.Spec.JobLabel] != "solved" {
				c.complain("%s: the job is %q, and the alerts are about the job solved", where, s.Labels[m.Spec.JobLabel])
			}
			for _, e := range m.Spec.Endpoints {
				if e.Port != "ops" || !slices.ContainsFunc(s.Spec.Ports, func(p core.ServicePort) bool { return p.Name == e.Port }) {
					c.complain("%s: port %q of Service %s has no metrics", where, e.Port, s.Name)
				}
				if !slices.Contains(c.paths, e.Path) || e.Path != "/metrics" {
					c.complain("%s: the metrics are not at %s", where, e.Path)
				}
			}
		}
		if len(m.Spec.Endpoints) != 1 {
			c.complain("%s has %d endpoints", where, len(m.Spec.Endpoints))
		}
	}
}

func TestKubernetes(t *testing.T) {
	p := theProgram(t)
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	d, err := parseDockerfile(text)
	if err != nil {
		t.Fatal(err)
	}
	i, err := d.image("")
	if err != nil {
		t.Fatal(err)
	}
	withTableIn, err := d.image("table")
	if err != nil {
		t.Fatal(err)
	}
	paths := p.answers(t)
	folders, err := kustomizations()
	if err != nil {
		t.Fatal(err)
	}
	mutations := map[string][]mutation{
		"kubernetes/base":                 everywhere,
		example:                           inExample,
		"kubernetes/overlays/table":       slices.Concat(everywhere, withTable),
		"kubernetes/overlays/table-image": slices.Concat(everywhere, withTableInImage),
	}
	if want := slices.Sorted(maps.Keys(mutations)); !slices.Equal(folders, want) {
		t.Fatalf("there are %q, not %q", folders, want)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			text, err := build(folder)
			if err != nil {
				t.Fatal(err)
			}
			notice(t, text, mutations[folder], func(text string) []string {
				return checkManifests(text, p, i, withTableIn, paths)
			})
		})
	}
}
