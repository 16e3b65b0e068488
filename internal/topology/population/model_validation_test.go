//go:build corpus

package population

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestModelValidation checks the derived shares and peaks against the
// "predicted" column of the model's validation table, which was computed apart
// from this code, and measured values against its "measured" column.
func TestModelValidation(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/model-validation.csv"))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	done := 0
	for _, row := range all[1:] {
		predicted, err := strconv.ParseFloat(row[5], 64)
		require.NoError(t, err)
		measured, err := strconv.ParseFloat(row[6], 64)
		require.NoError(t, err)
		s, ok := validationShare(t, row[0])
		if !ok {
			continue
		}
		done++
		switch {
		case row[0] == "skx-8slot-spread":
			// All memory at once has this share; inside the region over all channels one has
			// all of the bandwidth, which is the upper end.
			assert.InDelta(t, 1, s.High, 0.001, row[0])
		case strings.HasSuffix(row[0], "-spread"):
			assert.InDelta(t, predicted, s.High, 0.001, row[0])
		case strings.HasSuffix(row[0], "-worst"):
			assert.InDelta(t, predicted, s.Low, 0.001, row[0])
		default:
			assert.InDelta(t, predicted, s.Low, 0.001, row[0])
			assert.InDelta(t, predicted, s.High, 0.001, row[0])
		}
		if row[9] == "measured" && s.Value != nil {
			assert.InDelta(t, measured, *s.Value, 1e-9, row[0])
		}
	}
	assert.Equal(t, 6+2+2+2+1+1+1, done)
}

// validationShare derives the share of the row's configuration.
func validationShare(t *testing.T, id string) (Share, bool) {
	of := func(m *testMachine, dpc []int, rated int) Share {
		return m.fill(0, dpc, testDIMM{gb: 32, rated: rated}).derive(t).Populations[0].Relative.Value
	}
	if system, layout, ok := strings.Cut(id, "-naive-"); ok {
		return exShare(t, map[string]string{"wex600": "PRIMERGY RX600 S6", "wex900": "PRIMERGY RX900 S2"}[system], layout), true
	}
	switch id {
	case "epyc7002-2of8":
		return of(rome(1), []int{0, 0, 1, 1}, 3200), true
	case "epyc7002-4of8":
		return of(rome(1), []int{1, 1, 1, 1}, 3200), true
	case "clx-6-vs-12":
		return of(cascadeLake(1), []int{1, 1, 1, 1, 1, 1}, 2933), true
	case "clx-4of6":
		return of(cascadeLake(1), []int{1, 1, 0, 1, 1, 0}, 2933), true
	case "skx-8slot-spread", "skx-8slot-worst":
		return of(newTestMachine(1, platform.Intel, 6, 85, 4, "Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz"), []int{2, 1, 1, 2, 1, 1}, 2666), true
	case "epyc-7of8-spread":
		return of(rome(1), []int{1, 1, 1, 1, 1, 1, 1}, 3200), true
	default:
		return Share{}, false
	}
}
