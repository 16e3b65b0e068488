//go:build corpus

package reference_test

import (
	"encoding/csv"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report/reference"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// figure is a number in a sentence.
var figure = regexp.MustCompile(`\d+(?:\.\d+)?`)

// TestTopicsMeasured checks that every figure that a topic gives as measured is in the named rows of the documents'
// table, as a value, a share or a condition.
func TestTopicsMeasured(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/measured-effects.csv"))
	require.NoError(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	table := map[string]string{}
	for _, r := range records[1:] {
		row := strings.Join(r, " ")
		for _, n := range figure.FindAllString(row, -1) {
			if share, err := strconv.ParseFloat(n, 64); err == nil && share < 1 {
				row += " " + strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64)
			}
		}
		table[r[0]] = row
	}
	topics, err := reference.Topics(rules.FS)
	require.NoError(t, err)
	checked := 0
	for _, topic := range topics {
		for _, m := range topic.Measured {
			have := " "
			for _, id := range m.Rows {
				require.Contains(t, table, id)
				have += strings.Join(figure.FindAllString(table[id], -1), " ") + " "
			}
			for _, n := range figure.FindAllString(m.Text, -1) {
				assert.Contains(t, have, " "+n+" ", m.Text)
				checked++
			}
		}
	}
	assert.Greater(t, checked, 50)
}
