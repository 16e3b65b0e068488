package exporter

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProcess: what the daemon says of itself has the names, kinds and helps of
// client_golang's own collector, and its values as near as two moments are.
func TestProcess(t *testing.T) {
	gather := func(c prometheus.Collector) map[string]float64 {
		r := prometheus.NewPedanticRegistry()
		require.NoError(t, r.Register(c))
		families, err := r.Gather()
		require.NoError(t, err)
		out := map[string]float64{}
		for _, f := range families {
			m := f.GetMetric()[0]
			out[f.GetName()+" "+f.GetType().String()+" "+f.GetHelp()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
		return out
	}
	want := gather(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	got := gather(newProcess(time.Now()))
	assert.Len(t, got, 6)
	for name, value := range got {
		require.Contains(t, want, name)
		assert.InDelta(t, want[name], value, max(0.2*want[name], 2), name)
	}
	problems, err := testutil.CollectAndLint(newProcess(time.Now()))
	require.NoError(t, err)
	assert.Empty(t, problems)
}
