package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// dashboard is as much of a dashboard as is looked at here. Grafana's own schema is
// wide and open, so unknown fields are let pass.
type dashboard struct {
	UID        string  `json:"uid"`
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name       string          `json:"name"`
			Type       string          `json:"type"`
			Definition string          `json:"definition"`
			Datasource *source         `json:"datasource"`
			Query      json.RawMessage `json:"query"`
		} `json:"list"`
	} `json:"templating"`
}

type source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID         int     `json:"id"`
	Type       string  `json:"type"`
	Title      string  `json:"title"`
	Datasource *source `json:"datasource"`
	GridPos    struct {
		X, Y, W, H int
	} `json:"gridPos"`
	Targets []struct {
		RefID        string  `json:"refId"`
		Datasource   *source `json:"datasource"`
		Expr         string  `json:"expr"`
		LegendFormat string  `json:"legendFormat"`
	} `json:"targets"`
}

var (
	legendLabel   = regexp.MustCompile(`\{\{ *([a-z_0-9]+) *\}\}`)
	variableQuery = regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`)
)

// checkDashboard complains of panels that are not whole or ask for what there is not, and
// of metrics of ours that no panel shows.
func (v vocabulary) checkDashboard(text string, shown []string) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	var d dashboard
	reader := json.NewDecoder(bytes.NewReader([]byte(text)))
	if err := reader.Decode(&d); err != nil {
		return []string{err.Error()}
	}
	if reader.More() {
		complain("there is more than one value")
	}
	sources, known := set{}, set{"$__rate_interval": true}
	good := func(s *source) bool { return s != nil && s.Type == "prometheus" && sources[s.UID] }
	for _, variable := range d.Templating.List {
		known["$"+variable.Name] = true
		if variable.Type == "datasource" {
			sources["${"+variable.Name+"}"] = true
			continue
		}
		if !good(variable.Datasource) {
			complain("the variable %s has the datasource %v", variable.Name, variable.Datasource)
		}
		q := variableQuery.FindStringSubmatch(variable.Definition)
		if q == nil {
			complain("the variable %s asks for %q", variable.Name, variable.Definition)
			continue
		}
		result, wrong := v.check(q[1])
		complaints = append(complaints, wrong...)
		if !strings.Contains(" "+strings.Join(result, " ")+" ", " "+q[2]+" ") {
			complain("the variable %s asks for a label %s", variable.Name, q[2])
		}
		if !strings.Contains(string(variable.Query), strings.ReplaceAll(variable.Definition, `"`, `\"`)) {
			complain("the variable %s asks for %s, and says %s", variable.Name, variable.Query, variable.Definition)
		}
	}
	ids, all := map[int]string{}, ""
	for i, p := range d.Panels {
		if other, taken := ids[p.ID]; taken || p.ID <= 0 {
			complain("%q and %q have the id %d", p.Title, other, p.ID)
		}
		ids[p.ID] = p.Title
		for _, o := range d.Panels[:i] {
			if p.GridPos.X < o.GridPos.X+o.GridPos.W && o.GridPos.X < p.GridPos.X+p.GridPos.W &&
				p.GridPos.Y < o.GridPos.Y+o.GridPos.H && o.GridPos.Y < p.GridPos.Y+p.GridPos.H {
				complain("%q lies over %q", p.Title, o.Title)
			}
		}
		if p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			complain("%q has no place", p.Title)
		}
		if p.Title == "" {
			complain("panel %d has no title", p.ID)
		}
		if p.Type == "row" {
			continue
		}
		if !good(p.Datasource) {
			complain("%q has the datasource %v", p.Title, p.Datasource)
		}
		if len(p.Targets) == 0 {
			complain("%q asks for nothing", p.Title)
		}
		refs := set{}
		for _, target := range p.Targets {
			if !good(target.Datasource) {
				complain("%q has the datasource %v", p.Title, target.Datasource)
			}
			if refs[target.RefID] || target.RefID == "" {
				complain("%q has two targets %q", p.Title, target.RefID)
			}
			refs[target.RefID] = true
			for _, name := range regexp.MustCompile(`\$\w+`).FindAllString(target.Expr, -1) {
				if !known[name] {
					complain("%q has no variable %s", p.Title, name)
				}
			}
			result, wrong := v.check(target.Expr)
			complaints = append(complaints, wrong...)
			for _, l := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
				if !strings.Contains(" "+strings.Join(result, " ")+" ", " "+l[1]+" ") {
					complain("%q has no label %s for its legend, only %v", p.Title, l[1], result)
				}
			}
			all += target.Expr + "\n"
		}
	}
	for _, name := range shown {
		if !strings.Contains(all, name) {
			complain("%s is not shown", name)
		}
	}
	return complaints
}

func TestDashboard(t *testing.T) {
	v := recorded(t)
	ours := set{}
	var shown []string
	for name := range exported(t) {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		if strings.HasPrefix(name, "solved_") && !ours[base] {
			ours[base] = true
			shown = append(shown, base)
		}
	}
	shown = append(shown, "process_cpu_seconds_total", "process_resident_memory_bytes", "go_gc_duration_seconds", "go_goroutines")
	notice(t, fileText(t, "grafana/dashboard.json"), []mutation{
		{"a metric", "sum(solved_ready{", "sum(solved_redy{", `"solved_redy" is not exported`},
		{"a label", "sum by (route) (", "sum by (path) (", "no label path"},
		{"a legend", `"{{status}}"`, `"{{code}}"`, "no label code for its legend"},
		{"an id", `"id": 2,`, `"id": 1,`, "have the id 1"},
		{"a datasource", `"uid": "${datasource}"`, `"uid": "else"`, "has the datasource"},
		{"a variable", "[$__rate_interval]", "[$__interval]", "no variable $__interval"},
		{"a variable's metric", `"definition": "label_values(solved_build_info, job)"`, `"definition": "label_values(solved_info, job)"`, "not exported"},
		{"a variable's query", "label_values(solved_build_info, job)", "label_values(solved_info, job)", "and says"},
		{"a place", `"x": 4,`, `"x": 3,`, "lies over"},
		{"not shown", "solved_http_rate_limited_total", "solved_http_requests_total", "solved_http_rate_limited_total is not shown"},
		{"not JSON", "{", "[", "invalid character"},
	}, func(text string) []string { return v.checkDashboard(text, shown) })
}

// TestProvisioning checks that what Grafana is given fits the dashboard and the
// composition.
func TestProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `json:"apiVersion"`
		Datasources []struct {
			Name, UID, Type, Access, URL string
			IsDefault                    bool              `json:"isDefault"`
			JSONData                     map[string]string `json:"jsonData"`
		} `json:"datasources"`
	}
	var providers struct {
		APIVersion int `json:"apiVersion"`
		Providers  []struct {
			Name, Type     string
			AllowUIUpdates bool              `json:"allowUiUpdates"`
			Options        map[string]string `json:"options"`
		} `json:"providers"`
	}
	for path, into := range map[string]any{"datasources/prometheus.yml": &sources, "dashboards/solved.yml": &providers} {
		text, err := os.ReadFile("grafana/provisioning/" + path)
		if err == nil {
			err = yaml.UnmarshalStrict(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if len(sources.Datasources) != 1 || sources.Datasources[0].UID != "prometheus" || sources.Datasources[0].Type != "prometheus" || sources.Datasources[0].URL != "http://prometheus:9090" {
		t.Errorf("datasources: %+v", sources)
	}
	if len(providers.Providers) != 1 || providers.Providers[0].Type != "file" {
		t.Fatalf("providers: %+v", providers)
	}
	mounted := providers.Providers[0].Options["path"] + "/dashboard.json"
	project := compose(t, fileText(t, "compose/compose.yml"))
	grafana := project.Services["grafana"]
	if grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == nil || *grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] != mounted {
		t.Errorf("Grafana's home is not %s", mounted)
	}
	found := false
	for _, volume := range grafana.Volumes {
		found = found || volume.Target == mounted
	}
	if _, ok := project.Services["prometheus"]; !ok || !found {
		t.Errorf("the composition has no prometheus, or does not mount %s", mounted)
	}
}
