package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// variables are those of the dashboard, as they stand in its expressions.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*", "$rules", ".*")

// check complains of what an expression asks for that is not there: metrics, labels, the
// values of labels that are asked for, and labels to group or match by that are gone
// already. It returns the labels of the expression's result as well.
func (v vocabulary) check(expression string) (result []string, complaints []string) {
	e, err := parser.NewParser(parser.Options{}).ParseExpr(variables.Replace(expression))
	if err != nil {
		return nil, []string{fmt.Sprintf("%s: %v", expression, err)}
	}
	c := asked{vocabulary: v}
	result = slices.Sorted(maps.Keys(c.labels(e)))
	for i := range c.complaints {
		c.complaints[i] += " in " + strings.Join(strings.Fields(expression), " ")
	}
	return result, c.complaints
}

// asked is what an expression asks for, while it is being checked.
type asked struct {
	vocabulary
	complaints []string
}

func (c *asked) complain(format string, args ...any) {
	c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
}

type set = map[string]bool

func setOf(names ...string) set {
	s := set{}
	for _, n := range names {
		s[n] = true
	}
	return s
}

// labels are those that the result of an expression can have. A scalar has none, and a
// nil set.
func (c *asked) labels(e parser.Expr) set {
	switch e := e.(type) {
	case *parser.NumberLiteral, *parser.StringLiteral:
		return nil
	case *parser.ParenExpr:
		return c.labels(e.Expr)
	case *parser.UnaryExpr:
		return c.labels(e.Expr)
	case *parser.StepInvariantExpr:
		return c.labels(e.Expr)
	case *parser.SubqueryExpr:
		return c.labels(e.Expr)
	case *parser.MatrixSelector:
		return c.labels(e.VectorSelector)
	case *parser.VectorSelector:
		return c.selector(e)
	case *parser.AggregateExpr:
		inner := c.labels(e.Expr)
		if !e.Without {
			c.within("to group by", e.Grouping, inner)
			return setOf(e.Grouping...)
		}
		for _, l := range e.Grouping {
			delete(inner, l)
		}
		return inner
	case *parser.Call:
		return c.call(e)
	case *parser.BinaryExpr:
		return c.binary(e)
	}
	c.complain("the tests do not know what a %T is", e)
	return nil
}

func (c *asked) within(what string, names []string, have set) {
	for _, n := range names {
		if !have[n] {
			c.complain("there is no label %s %s, only %v,", n, what, slices.Sorted(maps.Keys(have)))
		}
	}
}

func (c *asked) selector(e *parser.VectorSelector) set {
	known, ok := c.vocabulary[e.Name]
	if !ok {
		c.complain("%q is not exported", e.Name)
		return set{}
	}
	for _, m := range e.LabelMatchers {
		if m.Name == model.MetricNameLabel {
			continue
		}
		values, ok := known[m.Name]
		if !ok {
			c.complain("%s has no label %s", e.Name, m.Name)
			continue
		}
		// A status depends on what was asked; all else that rules ask for is exported.
		if len(values) == 0 || m.Name == "status" {
			continue
		}
		alternatives := []string{m.Value}
		if m.Type == labels.MatchRegexp || m.Type == labels.MatchNotRegexp {
			alternatives = strings.Split(m.Value, "|")
		}
		for _, a := range alternatives {
			if a != ".*" && !values[a] {
				c.complain("%s has no %s %q, only %v,", e.Name, m.Name, a, slices.Sorted(maps.Keys(values)))
			}
		}
	}
	result := set{}
	for l := range known {
		result[l] = true
	}
	return result
}

func (c *asked) call(e *parser.Call) set {
	var vector set
	for _, arg := range e.Args {
		if l := c.labels(arg); l != nil {
			vector = l
		}
	}
	switch e.Func.Name {
	case "rate", "increase", "changes", "avg_over_time", "max_over_time", "time", "round":
		return vector
	case "histogram_quantile":
		c.within("for buckets", []string{"le"}, vector)
		delete(vector, "le")
		return vector
	case "absent":
		result := set{}
		if s, ok := e.Args[0].(*parser.VectorSelector); ok {
			for _, m := range s.LabelMatchers {
				if m.Type == labels.MatchEqual && m.Name != model.MetricNameLabel {
					result[m.Name] = true
				}
			}
		}
		return result
	case "vector":
		return set{}
	}
	c.complain("the tests do not know what %s gives", e.Func.Name)
	return vector
}

func (c *asked) binary(e *parser.BinaryExpr) set {
	left, right := c.labels(e.LHS), c.labels(e.RHS)
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case e.Op == parser.LOR:
		both := maps.Clone(left)
		maps.Copy(both, right)
		return both
	case e.VectorMatching.On:
		c.within("to match by", e.VectorMatching.MatchingLabels, left)
		c.within("to match by", e.VectorMatching.MatchingLabels, right)
		if e.Op == parser.LAND || e.Op == parser.LUNLESS || e.VectorMatching.Card == parser.CardManyToOne {
			return left
		}
		return setOf(e.VectorMatching.MatchingLabels...)
	case len(e.VectorMatching.MatchingLabels) > 0:
		c.complain("the tests do not know what ignoring gives")
	case !maps.Equal(left, right):
		c.complain("%v and %v never match", slices.Sorted(maps.Keys(left)), slices.Sorted(maps.Keys(right)))
	}
	return left
}

// TestExpressions tries the check itself.
func TestExpressions(t *testing.T) {
	v := exported(t)
	v.foreign()
	for expression, complaint := range map[string]string{
		`solved_ready == 0`: "",
		`sum by (job) (rate(solved_http_requests_total{status=~"5.."}[5m])) / sum by (job) (rate(solved_http_requests_total[5m]))`: "",
		`histogram_quantile(0.99, sum by (le, route) (rate(solved_http_request_duration_seconds_bucket[5m])))`:                     "",
		`go_gc_duration_seconds{quantile="0.5"}`:                                    "",
		`count by (version) (solved_build_info)`:                                    "",
		`solved_redy == 0`:                                                          "is not exported",
		`solved_ready{rules="x"}`:                                                   "has no label rules",
		`solved_problems_total{type="overload"}`:                                    `has no type "overload"`,
		`solved_table_state{state=~"ready|bad"}`:                                    `has no state "bad"`,
		`sum by (path) (solved_probes_total)`:                                       "no label path to group by",
		`sum by (rules) (solved_probes_total) / sum by (job) (solved_probes_total)`: "never match",
		`solved_ready * on (rules) solved_table_bytes`:                              "no label rules to match by",
		`histogram_quantile(0.9, sum by (route) (rate(solved_http_request_duration_seconds_bucket[5m])))`: "no label le",
		`histogram_quantile(0.9, sum by (le) (rate(solved_http_request_duration_seconds_count[5m])))`:     "no label le",
		`sum by (rules) (sum by (value) (solved_probes_total))`:                                           "no label rules to group by",
		`label_replace(solved_ready, "a", "b", "c", "d")`:                                                 "do not know what label_replace gives",
		`solved_ready{`:                "parse error",
		`rate(solved_ready)`:           "range vector",
		`container_memory_rss{x="y"}`:  "has no label x",
		`container_memory_usage_bytes`: "is not exported",
	} {
		_, complaints := v.check(expression)
		if complaint == "" && complaints != nil || complaint != "" && !strings.Contains(strings.Join(complaints, "\n"), complaint) {
			t.Errorf("%s: %q, want %q", expression, complaints, complaint)
		}
	}
}
