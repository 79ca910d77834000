package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/yaml"
)

// loadCompose reads the composition as docker compose does: by its schema, strictly.
func loadCompose(text string) (*types.Project, error) {
	folder, err := filepath.Abs("compose")
	if err != nil {
		return nil, err
	}
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  folder,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(folder, "compose.yml"), Content: []byte(text)}},
		Environment: types.Mapping{},
	})
}

func compose(t *testing.T, text string) *types.Project {
	t.Helper()
	project, err := loadCompose(text)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// checkCompose complains of services that may do more than they need, of settings that
// the program does not have, and of files that are not there.
func (p *program) checkCompose(text string) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	project, err := loadCompose(text)
	if err != nil {
		return []string{err.Error()}
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range []string{"solved", "prometheus", "grafana"} {
		if _, ok := project.Services[name]; !ok {
			complain("there is no %s", name)
		}
	}
	for name, s := range project.Services {
		if !named(s.Image, name) {
			complain("%s has the image %q, without a tag of its own", name, s.Image)
		}
		if !s.ReadOnly {
			complain("%s may write to its root", name)
		}
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged {
			complain("%s keeps capabilities", name)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			complain("%s may gain privileges", name)
		}
		if user, _, _ := strings.Cut(s.User, ":"); user == "" || user == "0" || user == "root" {
			complain("%s runs as root", name)
		}
		if s.MemLimit <= 0 {
			complain("%s has no limit of memory", name)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				complain("%s is open to all at port %s", name, port.Published)
			}
		}
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				complain("%s mounts what is not there: %v", name, err)
			}
			if !v.ReadOnly {
				complain("%s may write to %s", name, v.Source)
			}
		}
	}
	s := project.Services["solved"]
	if !strings.Contains(text, "image: ${SOLVED_IMAGE:-"+s.Image+"}") {
		complain("SOLVED_IMAGE does not set the image of solved: README.md says so")
	}
	if s.Build == nil || s.Build.Context != filepath.Dir(here) {
		complain("solved is not built from this repository: %+v", s.Build)
	} else if _, err := os.Stat(filepath.Join(s.Build.Context, "Dockerfile")); err != nil {
		complain("solved: %v", err)
	}
	if s.User != "65532:65532" {
		complain("solved runs as %s", s.User)
	}
	environment := map[string]string{}
	for name, value := range s.Environment {
		complaints = append(complaints, p.checkVariable(name)...)
		if value != nil {
			environment[name] = *value
		}
	}
	complaints = append(complaints, p.checkValues([]string{"serve"}, environment)...)
	ops := p.setting("ops-listen", nil, environment)
	var scraped struct {
		ScrapeConfigs []struct {
			DNSSDConfigs []struct {
				Names []string `json:"names"`
				Port  int      `json:"port"`
			} `json:"dns_sd_configs"`
		} `json:"scrape_configs"`
	}
	if text, err := os.ReadFile("prometheus/prometheus.yml"); err != nil {
		complain("%v", err)
	} else if err := yaml.Unmarshal(text, &scraped); err != nil {
		complain("%v", err)
	} else if c := scraped.ScrapeConfigs; len(c) != 1 || len(c[0].DNSSDConfigs) != 1 || !slices.Equal(c[0].DNSSDConfigs[0].Names, []string{"solved"}) || ops != fmt.Sprint(":", c[0].DNSSDConfigs[0].Port) {
		complain("Prometheus scrapes %+v, and solved has its metrics at %s", c, ops)
	}
	if s.HealthCheck == nil || !slices.Equal(s.HealthCheck.Test, []string{"CMD", "/solved", "health", "http://127.0.0.1" + ops + "/readyz"}) {
		complain("solved has the health check %v", s.HealthCheck)
	}
	if ending, err := p.ending(nil, environment); err != nil || s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) <= ending {
		complain("solved is killed before it ends: %v, %v", ending, err)
	}
	if listen := p.setting("listen", nil, environment); listen != ":8080" || len(s.Ports) != 1 || s.Ports[0].Target != 8080 {
		complain("solved listens on %s", listen)
	}
	return complaints
}

func TestCompose(t *testing.T) {
	notice(t, fileText(t, "compose/compose.yml"), []mutation{
		{"another image", "image: ${SOLVED_IMAGE:-", "image: ${IMAGE:-", "SOLVED_IMAGE does not set the image"},
		{"an image's tag", "solved:devel}", "solved:latest}", "without a tag of its own"},
		{"no tag", "solved:devel}", "solved}", "without a tag of its own"},
		{"another folder", "build: ../..", "build: ..", "not built from this repository"},
		{"a variable", "SOLVED_LISTEN", "SOLVED_PORT", "SOLVED_PORT is no variable"},
		{"a value", "SOLVED_LOG_FORMAT: json", "SOLVED_LOG_FORMAT: yaml", "refuses the settings"},
		{"a field", "read_only: true", "readonly: true", "readonly"},
		{"writing", "read_only: true", "read_only: false", "solved may write to its root"},
		{"capabilities", "cap_drop: [ALL]", "cap_drop: [NET_RAW]", "solved keeps capabilities"},
		{"privileges", "no-new-privileges:true", "no-new-privileges:false", "may gain privileges"},
		{"root", `user: "65532:65532"`, `user: "0:0"`, "solved runs as root"},
		{"another user", `user: "65532:65532"`, `user: "1000"`, "solved runs as 1000"},
		{"health", "/solved, health", "/solved, healthy", "health check"},
		{"grace", "stop_grace_period: 30s", "stop_grace_period: 10s", "killed before it ends"},
		{"another ops port", `SOLVED_OPS_LISTEN: ":8081"`, `SOLVED_OPS_LISTEN: ":8082"`, "has its metrics at :8082"},
		{"a port", "127.0.0.1:9090:9090", "9090:9090", "prometheus is open to all"},
		{"another port", `SOLVED_LISTEN: ":8080"`, `SOLVED_LISTEN: ":80"`, "listens on :80"},
		{"a file", "../grafana/dashboard.json", "../grafana/board.json", "mounts what is not there"},
		{"a mount", "../prometheus:/etc/prometheus:ro", "../prometheus:/etc/prometheus", "prometheus may write to"},
	}, theProgram(t).checkCompose)
}
