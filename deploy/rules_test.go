package deploy

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// ruleFile is a file of rules. promtool checks what Prometheus makes of it; the tests
// here, what the rules ask for.
type ruleFile struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	} `json:"groups"`
}

type rule struct {
	Record      string            `json:"record"`
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func parseRules(text string) (rules []rule, err error) {
	var f ruleFile
	if err := yaml.UnmarshalStrict([]byte(text), &f); err != nil {
		return nil, err
	}
	for _, g := range f.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules, nil
}

var templateLabel = regexp.MustCompile(`\$labels\.([a-z_]+)`)

// checkRules complains of rules that ask for what there is not, that say too little, or
// whose place in the runbook does not exist. It adds the names that they record.
func (v vocabulary) checkRules(text, runbook string) (complaints []string) {
	rules, err := parseRules(text)
	if err != nil {
		return []string{err.Error()}
	}
	sections := setOf(anchors(runbook)...)
	alerts := set{}
	for _, r := range rules {
		result, wrong := v.check(r.Expr)
		complaints = append(complaints, wrong...)
		if r.Record != "" {
			level, _, _ := strings.Cut(r.Record, ":")
			named := strings.Split(level, "_") // no label in use has a _ in its name
			if slices.Sort(named); !slices.Equal(named, result) && wrong == nil {
				complaints = append(complaints, fmt.Sprintf("%s has the labels %q", r.Record, result))
			}
			v.add(r.Record, result...)
			continue
		}
		alerts[r.Alert] = true
		if !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) {
			complaints = append(complaints, fmt.Sprintf("%s has the severity %q", r.Alert, r.Labels["severity"]))
		}
		for _, name := range []string{"summary", "description", "runbook_url"} {
			if r.Annotations[name] == "" {
				complaints = append(complaints, fmt.Sprintf("%s has no %s", r.Alert, name))
			}
			for _, l := range templateLabel.FindAllStringSubmatch(r.Annotations[name], -1) {
				if !slices.Contains(result, l[1]) {
					complaints = append(complaints, fmt.Sprintf("%s tells of a label %s that it does not have", r.Alert, l[1]))
				}
			}
		}
		path, anchor, _ := strings.Cut(r.Annotations["runbook_url"], "#")
		if path != "deploy/RUNBOOK.md" || anchor != strings.ToLower(r.Alert) || !sections[anchor] {
			complaints = append(complaints, fmt.Sprintf("%s has no section at %q", r.Alert, r.Annotations["runbook_url"]))
		}
	}
	for a := range sections {
		if strings.HasPrefix(a, "solved") && !slices.ContainsFunc(slices.Collect(maps.Keys(alerts)), func(s string) bool { return strings.ToLower(s) == a }) {
			complaints = append(complaints, "there is no alert for the section "+a)
		}
	}
	return complaints
}

// recorded is the vocabulary with the names that the rules record.
func recorded(t *testing.T) vocabulary {
	t.Helper()
	v := exported(t)
	v.foreign()
	if c := v.checkRules(fileText(t, "prometheus/rules.yml"), fileText(t, "RUNBOOK.md")); c != nil {
		t.Fatalf("rules.yml: %q", c)
	}
	return v
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRules(t *testing.T) {
	runbook := fileText(t, "RUNBOOK.md")
	notice(t, fileText(t, "prometheus/rules.yml"), []mutation{
		{"a metric", "solved_ready{", "solved_is_ready{", `"solved_is_ready" is not exported`},
		{"a label", `state="degraded"`, `mode="degraded"`, "has no label mode"},
		{"a value", `type="overloaded"`, `type="overload"`, `no type "overload"`},
		{"a route", "/livez|/readyz", "/livez|/ready", `no route "/ready"`},
		{"a recorded name", "job:solved_http_errors:ratio_rate30m{", "job:solved_http_errors:ratio_rate31m{", "is not exported"},
		{"a recorded level", "record: job:solved_probes", "record: job_route:solved_probes", `has the labels ["job"]`},
		{"a grouping", "sum by (job, route, le)", "sum by (job, path, le)", "no label path"},
		{"a severity", "severity: critical", "severity: urgent", `severity "urgent"`},
		{"no summary", "summary: solved does not answer", "about: nothing", "SolvedDown has no summary"},
		{"an anchor", "#solvednotready", "#solvedready", "SolvedNotReady has no section"},
		{"another alert", "alert: SolvedSlow", "alert: SolvedSlower", "no alert for the section solvedslow"},
		{"a template", "{{ $labels.rules }} on", "{{ $labels.ruleset }} on", "a label ruleset"},
		{"an unknown field", "for: 2m", "fro: 2m", `unknown field`},
	}, func(text string) []string {
		v := exported(t)
		v.foreign()
		return v.checkRules(text, runbook)
	})
	without := strings.Replace(runbook, "## SolvedMemory", "## Memory", 1)
	v := exported(t)
	v.foreign()
	if c := v.checkRules(fileText(t, "prometheus/rules.yml"), without); !strings.Contains(strings.Join(c, "\n"), "SolvedMemory has no section") {
		t.Errorf("a section is gone: %q", c)
	}
}

func TestRunbookMetrics(t *testing.T) {
	notice(t, fileText(t, "RUNBOOK.md"), []mutation{
		{"a metric", "solved_table_bytes", "solved_table_size", "solved_table_size is not exported"},
	}, exported(t).checkNames)
}

// ruleTests is as much of a file for promtool test rules as is looked at here.
type ruleTests struct {
	Tests []struct {
		Name        string `json:"name"`
		InputSeries []struct {
			Series string `json:"series"`
		} `json:"input_series"`
		AlertRuleTest []struct {
			Alertname string `json:"alertname"`
			ExpAlerts []any  `json:"exp_alerts"`
		} `json:"alert_rule_test"`
		PromqlExprTest []struct {
			Expr string `json:"expr"`
		} `json:"promql_expr_test"`
	} `json:"tests"`
}

// checkRuleTests complains of tests that feed rules with what the program does not
// export, and of alerts that are not seen both to fire and not to fire.
func (v vocabulary) checkRuleTests(text string, alerts []string) (complaints []string) {
	var f ruleTests
	if err := yaml.Unmarshal([]byte(text), &f); err != nil {
		return []string{err.Error()}
	}
	fires, quiet := set{}, set{}
	for _, test := range f.Tests {
		for _, s := range test.InputSeries {
			metric, err := parser.NewParser(parser.Options{}).ParseMetric(s.Series)
			if err != nil {
				complaints = append(complaints, fmt.Sprintf("%s: %v", s.Series, err))
				continue
			}
			name := metric.Get("__name__")
			if v[name] == nil {
				complaints = append(complaints, fmt.Sprintf("%s: %s is not exported", test.Name, name))
				continue
			}
			for l := range metric.Map() {
				if l != "__name__" && v[name][l] == nil {
					complaints = append(complaints, fmt.Sprintf("%s: %s has no label %s", test.Name, name, l))
				}
			}
		}
		for _, a := range test.AlertRuleTest {
			if len(a.ExpAlerts) > 0 {
				fires[a.Alertname] = true
			} else {
				quiet[a.Alertname] = true
			}
		}
		for _, e := range test.PromqlExprTest {
			_, wrong := v.check(e.Expr)
			complaints = append(complaints, wrong...)
		}
	}
	for _, a := range alerts {
		if !fires[a] {
			complaints = append(complaints, a+" is never seen to fire")
		}
		if !quiet[a] {
			complaints = append(complaints, a+" is never seen not to fire")
		}
	}
	return complaints
}

func TestRuleTests(t *testing.T) {
	rules, err := parseRules(fileText(t, "prometheus/rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var alerts []string
	for _, r := range rules {
		if r.Alert != "" {
			alerts = append(alerts, r.Alert)
		}
	}
	if len(alerts) < 12 {
		t.Fatalf("only the alerts %q", alerts)
	}
	v := recorded(t)
	notice(t, fileText(t, "prometheus/rules_test.yml"), []mutation{
		{"a metric", "series: 'solved_ready{", "series: 'solved_redy{", "solved_redy is not exported"},
		{"a label", `le="0.238"`, `lt="0.238"`, "has no label lt"},
		{"an expression", "expr: job:solved_probes:rate5m", "expr: job:solved_probes:rate6m", "is not exported"},
		{"a series", `series: 'up{job="other"}'`, `series: 'up{job="other"'`, "parse error"},
		{"an alert", "alertname: SolvedDifferentTables\n        eval_time: 40m\n        exp_alerts:\n", "alertname: X\n        eval_time: 40m\n        exp_alerts:\n", "SolvedDifferentTables is never seen to fire"},
	}, func(text string) []string { return v.checkRuleTests(text, alerts) })
}

// oldestPrometheus is as much of a configuration as is used here, by the fields that
// Prometheus 2.42 knows: the least version that README.md names. It refuses others.
type oldestPrometheus struct {
	Global struct {
		ScrapeInterval     string `json:"scrape_interval"`
		EvaluationInterval string `json:"evaluation_interval"`
	} `json:"global"`
	RuleFiles     []string `json:"rule_files"`
	ScrapeConfigs []struct {
		JobName      string `json:"job_name"`
		DNSSDConfigs []struct {
			Names           []string `json:"names"`
			Type            string   `json:"type"`
			Port            int      `json:"port"`
			RefreshInterval string   `json:"refresh_interval"`
		} `json:"dns_sd_configs"`
	} `json:"scrape_configs"`
}

// TestOldestPrometheus holds that the least version that is named loads prometheus.yml.
func TestOldestPrometheus(t *testing.T) {
	notice(t, fileText(t, "prometheus/prometheus.yml"), []mutation{
		{"native histograms", "    dns_sd_configs:", "    scrape_native_histograms: true\n    dns_sd_configs:", "scrape_native_histograms"},
		{"classic histograms", "    dns_sd_configs:", "    always_scrape_classic_histograms: true\n    dns_sd_configs:", "always_scrape_classic_histograms"},
		{"another version", "2.42", "2.41", "names another version"},
	}, func(text string) (complaints []string) {
		if err := yaml.UnmarshalStrict([]byte(text), new(oldestPrometheus)); err != nil {
			complaints = append(complaints, err.Error())
		}
		if !strings.Contains(text, "Prometheus from 2.42 on") || !strings.Contains(fileText(t, "README.md"), "Prometheus 2.42 or later") {
			complaints = append(complaints, "README.md names another version than prometheus.yml")
		}
		return complaints
	})
}

// TestPrometheusVersion holds promtool, the parser and the composition to one version.
func TestPrometheusVersion(t *testing.T) {
	var minor string
	for path, pattern := range map[string]string{
		"go.mod":              `prometheus/prometheus v0\.3(\d\d\.\d+)\n`,
		"prometheus/check.sh": `version=v0\.3(\d\d\.\d+) `,
		"compose/compose.yml": `prom/prometheus:v3\.(\d\d\.\d+)\n`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(fileText(t, path))
		if found == nil {
			t.Fatalf("%s names no version", path)
		}
		if minor != "" && minor != found[1] {
			t.Errorf("%s is at %s, another file at %s", path, found[1], minor)
		}
		minor = found[1]
	}
}
