package service

import (
	"github.com/prometheus/client_golang/prometheus"

	"solved/api"
	"solved/server/game"
	"solved/server/tables"
)

// tableMetrics is a collector of metrics about the tables. It reads the current tables at each scrape,
// so that a replaced table needs no update.
type tableMetrics struct {
	probers []game.Prober
	info, state, right, bytes, resident, loading,
	verifying *prometheus.Desc
}

// newTableMetrics returns the collector of the tables of probers.
func newTableMetrics(probers []game.Prober) *tableMetrics {
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

// Describe sends the descriptions of the metrics.
func (m *tableMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.info, m.state, m.right, m.bytes, m.resident, m.loading, m.verifying} {
		to <- d
	}
}

// Collect sends the current values.
func (m *tableMetrics) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	var mapped map[string]int64 // read once, and only if a table is mapped
	for _, p := range m.probers {
		t := p.Slot().Table.Load()
		if t == nil {
			continue
		}
		name := p.ID().Name
		for _, state := range []string{api.StateVerifying, api.StateReady, api.StateFailed, api.StateDegraded} {
			send(m.state, OneIf(t.State == state), name, state)
		}
		if t.Contents == nil {
			continue
		}
		send(m.info, 1, name, p.ID().Tag, t.Wire.Source, formatOf(t), digestOf(t))
		if t.Wire.Format == nil {
			continue // there is no table to measure
		}
		send(m.right, OneIf(t.Other == nil), name)
		send(m.bytes, float64(t.Size), name)
		send(m.loading, t.Wire.LoadSeconds, name)
		send(m.verifying, t.Verifying.Seconds(), name)
		if t.Mapping == nil {
			if TellsResident {
				send(m.resident, float64(t.Size), name)
			}
			continue
		}
		if mapped == nil {
			mapped = ResidentByFile()
		}
		if n, ok := mapped[MappingName(t.Mapping)]; ok {
			send(m.resident, float64(n), name)
		}
	}
}

// formatOf returns the magic of a table's format, empty for a closed form.
func formatOf(t *tables.Loaded) string {
	if t.Wire.Format == nil {
		return ""
	}
	return *t.Wire.Format
}
