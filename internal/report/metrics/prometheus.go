package metrics

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
)

// Write prints the metrics in the text exposition format 0.0.4, as
// node_exporter's textfile collector reads it.
func Write(w io.Writer, r *report.Report) error {
	if _, err := w.Write(Append(nil, FromReport(r), Text)); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

// Exposition is a format in which Prometheus reads metrics.
type Exposition int

// The formats: Prometheus's text format 0.0.4, and OpenMetrics 1.0.0, whose end
// the caller writes (OpenMetricsEnd), since more families may follow.
const (
	Text Exposition = iota
	OpenMetrics
)

// OpenMetricsEnd ends a page in OpenMetrics; one without it was cut short.
const OpenMetricsEnd = "# EOF\n"

// Append writes families after what buf holds.
func Append(buf []byte, families []Family, as Exposition) []byte {
	buf = slices.Grow(buf, 1<<10)
	for i := range families {
		buf = families[i].append(buf, as)
	}
	return buf
}

// append writes a family: its help, its type, its samples. OpenMetrics names a
// counter's family without the ending that its samples have.
func (f *Family) append(buf []byte, as Exposition) []byte {
	kind, name := "gauge", f.Name
	if f.Counter() {
		kind = "counter"
		if as == OpenMetrics {
			name = strings.TrimSuffix(name, counterEnding)
		}
	}
	buf = append(buf, "# HELP "+name+" "+f.Help+"\n# TYPE "+name+" "+kind+"\n"...)
	for _, s := range f.Samples {
		buf = append(buf, f.Name...)
		for i, v := range s.Values {
			buf = append(buf, "{,"[min(i, 1)])
			buf = append(buf, f.Labels[i]...)
			buf = append(buf, '=', '"')
			buf = appendLabel(buf, v)
			buf = append(buf, '"')
		}
		if len(s.Values) > 0 {
			buf = append(buf, '}')
		}
		buf = append(buf, ' ')
		buf = append(buf, valueWord(s.Value)...)
		buf = append(buf, '\n')
	}
	return buf
}

// appendLabel escapes what the format asks for.
func appendLabel(buf []byte, v string) []byte {
	if !strings.ContainsAny(v, "\\\"\n") {
		return append(buf, v...)
	}
	return append(buf, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v)...)
}
