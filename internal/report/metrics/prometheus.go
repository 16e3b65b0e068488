package metrics

import (
	"fmt"
	"io"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
)

// Write prints the metrics in the text exposition format 0.0.4, as
// node_exporter's textfile collector reads it.
func Write(w io.Writer, r *report.Report) error {
	buf := make([]byte, 0, 32<<10)
	families := Of(r)
	for i := range families {
		buf = families[i].append(buf)
	}
	if _, err := w.Write(buf); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}

// append writes a family: its help, its type, its samples.
func (f *Family) append(buf []byte) []byte {
	kind := "gauge"
	if f.Counter() {
		kind = "counter"
	}
	buf = append(buf, "# HELP "+f.Name+" "+f.Help+"\n# TYPE "+f.Name+" "+kind+"\n"...)
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
