package exporter

import "github.com/memaudit/memaudit/internal/report/metrics"

// exposition is a format in which metrics are served.
type exposition struct {
	kind string
	as   metrics.Exposition
	end  string
}

// expositions lists the formats; clients that accept any get the first, the text format.
var expositions = [...]exposition{
	{"text/plain; version=0.0.4; charset=utf-8", metrics.Text, ""},
	{"application/openmetrics-text; version=1.0.0; charset=utf-8", metrics.OpenMetrics, metrics.OpenMetricsEnd},
}
