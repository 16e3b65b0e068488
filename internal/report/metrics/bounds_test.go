package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
)

// TestAuditThatReadNothing checks that an audit that read nothing has no timestamp, and one that read something has,
// however short it was.
func TestAuditThatReadNothing(t *testing.T) {
	audit := func(state fact.SourceState, took time.Duration) (out []string) {
		r := &report.Report{GeneratedAt: "2026-11-20T08:30:00Z", Took: took, Failed: map[bool]string{true: "denied"}[state != "ok"]}
		r.Inventory.Sources = []inventory.Source{{Name: "smbios", State: state}}
		assert.Equal(t, state != "ok", r.NothingRead())
		for _, f := range FromReport(r) {
			if name, ok := strings.CutPrefix(f.Name, "memaudit_audit_"); ok {
				out = append(out, name)
			}
		}
		return out
	}
	assert.Equal(t, []string{"failed"}, audit("denied", time.Second))
	assert.Equal(t, []string{"failed", "timestamp_seconds", "duration_seconds"}, audit("ok", 1))
	assert.Equal(t, []string{"failed", "timestamp_seconds"}, audit("ok", 0), "not measured")
}

// TestSpreadOfZero checks that passes with a median of zero have no spread, which would be a division by zero.
func TestSpreadOfZero(t *testing.T) {
	spread := func(value float64) (n int) {
		node := 0
		r := &report.Report{Measured: []report.Measurement{{Tool: "memaudit", At: "2026-11-20T10:00:00Z",
			Figures: []report.MeasuredFigure{{Kind: "read", CPUNode: &node, MemoryNode: &node, Low: &value, High: &value, Value: &value}}}}}
		for _, f := range FromReport(r) {
			if f.Name == prefix+"measured_spread_ratio" {
				n += len(f.Samples)
			}
		}
		return n
	}
	assert.Zero(t, spread(0))
	assert.Equal(t, 1, spread(1))
}

// TestLabelCutInCharacters checks that a label is cut between characters: the exposition formats are UTF-8, and half
// a character makes the page invalid.
func TestLabelCutInCharacters(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", 199) + "é": strings.Repeat("x", 199), strings.Repeat("x", 198) + "é": strings.Repeat("x", 198) + "é",
		strings.Repeat("日", 90): strings.Repeat("日", 66), strings.Repeat("x", 200) + "y": strings.Repeat("x", 200),
	} {
		assert.Equal(t, want, labelText(text))
	}
}
