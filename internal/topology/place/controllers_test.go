package place

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestSetsOfSisters checks the precedence of tables: the product's own, then the first sister's, then the second's,
// and never one of other products.
func TestSetsOfSisters(t *testing.T) {
	k := fstest.MapFS{setsFile: {Data: []byte("# set, models, sisters\n" +
		"set\tX\tR200\tR100;R150\n" + "2\t1,2\tbalanced\tD, first\n" +
		"set\tX\tR300\tR150;R100\n" + "4\t1,2,3,4\tbalanced\tD, second\n" +
		"set\tX\tR150\t\n" + "6\t1,2,3,4,5,6\tbalanced\tD, own\n")}}
	rows := func(product string) []int {
		sets := ReadSets(k, &inventory.Machine{Product: known(product)})
		if sets == nil {
			return nil
		}
		var out []int
		for n := range 10 {
			if _, known := sets.Rows[n]; known {
				out = append(out, n)
			}
		}
		return out
	}
	assert.Equal(t, []int{2}, rows("R100"), "the first sister's alone")
	assert.Equal(t, []int{6}, rows("R150"), "its own, although sisters precede it")
	assert.Nil(t, rows("R999"))
	require.NotNil(t, ReadSets(k, &inventory.Machine{Product: known("R100")}))
	assert.Equal(t, [][]int{{1, 2}}, ReadSets(k, &inventory.Machine{Product: known("R100")}).Rows[2].Sets)
	assert.True(t, ReadSets(k, &inventory.Machine{Product: known("R100")}).Analogous)
	assert.False(t, ReadSets(k, &inventory.Machine{Product: known("R150")}).Analogous)
}
