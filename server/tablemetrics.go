package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"solved/api"
)

// tableMetrics tells how the tables stand at the time they are asked, so that there
// is nothing to keep in step when one takes the place of another.
type tableMetrics struct {
	probers []prober
	info, state, right, bytes, resident, loading,
	verifying *prometheus.Desc
}

func newTableMetrics(probers []prober) *tableMetrics {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"rules"}, labels...), nil)
	}
	return &tableMetrics{
		probers:   probers,
		info:      describe("solved_table_info", "One for each table that answers.", "tag", "source", "format", "content_sha256"),
		state:     describe("solved_table_state", "One for the state that the table is in, zero for the others.", "state"),
		right:     describe("solved_table_right", "Whether the table that answers holds what its ruleset's right table does; zero only with --any-digest."),
		bytes:     describe("solved_table_bytes", "Size of the table that answers."),
		resident:  describe("solved_table_resident_bytes", "How much of the table that answers is in memory: what the system says of a mapped file, and all of any other."),
		loading:   describe("solved_table_load_seconds", "How long opening and verifying the table took."),
		verifying: describe("solved_table_verify_seconds", "How much of that verifying took; zero for an embedded table, which is checked as it is decoded."),
	}
}

// Describe sends what there is to measure.
func (m *tableMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.info, m.state, m.right, m.bytes, m.resident, m.loading, m.verifying} {
		to <- d
	}
}

// Collect measures.
func (m *tableMetrics) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	var mapped map[string]int64 // read once, and only if something is mapped
	for _, p := range m.probers {
		t := p.slot().table.Load()
		if t == nil {
			continue
		}
		name := p.id().Name
		for _, state := range []string{api.StateVerifying, api.StateReady, api.StateFailed, api.StateDegraded} {
			send(m.state, oneIf(t.state == state), name, state)
		}
		if t.contents == nil {
			continue
		}
		send(m.info, 1, name, p.id().Tag, t.wire.Source, formatOf(t), digestOf(t))
		if t.wire.Format == nil {
			continue // there is no table to measure
		}
		send(m.right, oneIf(t.other == nil), name)
		send(m.bytes, float64(t.size), name)
		send(m.loading, t.wire.LoadSeconds, name)
		send(m.verifying, t.verifying.Seconds(), name)
		if t.mapping == nil {
			if tellsResident {
				send(m.resident, float64(t.size), name)
			}
			continue
		}
		if mapped == nil {
			mapped = residentByFile()
		}
		if n, ok := mapped[mappingName(t.mapping)]; ok {
			send(m.resident, float64(n), name)
		}
	}
}

// formatOf is the magic of a table's format, empty for a closed form.
func formatOf(t *loadedTable) string {
	if t.wire.Format == nil {
		return ""
	}
	return *t.wire.Format
}
