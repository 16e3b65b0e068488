package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// TestPromised checks that the promise of a layout always says if the clock is unknown.
func TestPromised(t *testing.T) {
	of := func(low, high float64, byChannels bool) *report.Relative {
		return &report.Relative{Low: &low, High: &high, ByChannels: byChannels}
	}
	for _, c := range []struct {
		share   *report.Relative
		classed bool
		want    string
	}{
		{of(1, 1, false), true, ""},
		{of(1, 1, false), false, "full bandwidth"},
		{of(1, 1, true), true, "full bandwidth by channels, the clock is not known"},
		{of(.5, .5, true), true, "50 % of best bandwidth by channels, the clock is not known"},
		{of(.5, .75, false), true, "50 to 75 % of best bandwidth"},
		{&report.Relative{}, false, ""},
	} {
		assert.Equal(t, c.want, wording.Promised(c.share, c.classed))
	}
}
