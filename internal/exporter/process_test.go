package exporter

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProcess: what the daemon says of itself has the names, kinds and helps of
// client_golang's own collector, and its values as near as two moments are.
func TestProcess(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	theirs, err := r.Gather()
	require.NoError(t, err)
	want := map[string]*dto.MetricFamily{}
	for _, f := range theirs {
		want[f.GetName()] = f
	}
	ours := process(time.Now())
	assert.Len(t, ours, 6)
	for _, f := range ours {
		w := want[f.Name]
		require.NotNil(t, w, f.Name)
		assert.Equal(t, w.GetHelp(), f.Help)
		assert.Equal(t, w.GetType() == dto.MetricType_COUNTER, f.Counter(), f.Name)
		require.Len(t, f.Samples, 1)
		value := w.GetMetric()[0].GetGauge().GetValue() + w.GetMetric()[0].GetCounter().GetValue()
		assert.InDelta(t, value, f.Samples[0].Value, max(0.2*value, 2), f.Name)
	}
}
