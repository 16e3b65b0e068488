package metrics

import (
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"memaudit.example/memaudit/internal/report"
)

// Collector provides the families returned by the function to a registry.
type Collector func() []Family

// Describe sends nothing: the families depend on the machine.
func (Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends a metric for each sample.
func (c Collector) Collect(out chan<- prometheus.Metric) {
	for _, f := range c() {
		desc := prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
		kind := prometheus.GaugeValue
		if f.Counter() {
			kind = prometheus.CounterValue
		}
		for _, s := range f.Samples {
			m, err := prometheus.NewConstMetric(desc, kind, s.Value, s.Values...)
			if err != nil {
				m = prometheus.NewInvalidMetric(desc, err)
			}
			out <- m
		}
	}
}

// Write prints the metrics in the text exposition format 0.0.4, as node_exporter's textfile collector reads it.
func Write(w io.Writer, r *report.Report) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(Collector(func() []Family { return FromReport(r) }))
	all, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("collect metrics: %w", err)
	}
	for _, f := range all {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("write metrics: %w", err)
		}
	}
	return nil
}
