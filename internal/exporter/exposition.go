package exporter

import "github.com/memaudit/memaudit/internal/report/metrics"

// exposition is a format of the metrics.
type exposition struct {
	kind string
	as   metrics.Exposition
	end  string
}

// expositions in the order in which they are preferred: text for whoever takes
// anything.
var expositions = [...]exposition{
	{"text/plain; version=0.0.4; charset=utf-8", metrics.Text, ""},
	{"application/openmetrics-text; version=1.0.0; charset=utf-8", metrics.OpenMetrics, metrics.OpenMetricsEnd},
}
