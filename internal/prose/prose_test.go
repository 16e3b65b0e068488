package prose

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	assert.Equal(t, "16", GiB(16<<30))
	assert.Equal(t, "0.5", GiB(512<<20))
	assert.Equal(t, "512 MiB", Size(512<<20))
	assert.Equal(t, "1.5 GiB", Size(1536<<20))
	assert.Equal(t, "64 KiB", Size(64<<10))
	assert.Equal(t, "2048 GiB", Size(2<<40))
	assert.Equal(t, "15.6 GiB", Memory(16_777_216_000))
	assert.Equal(t, "16 GiB", Rounded(16_777_216_000))
	assert.Equal(t, "2 TiB", Exact(2<<40))
	assert.Equal(t, "1536 MiB", Exact(1536<<20))
	assert.Equal(t, "1.0 KiB", Exact(1<<10+1))
	assert.Equal(t, "0 bytes", Exact(0))
	assert.Equal(t, "12.8 GB/s", Bandwidth(int64(12_800_000_000)))
	assert.Equal(t, "12.8 GB/s", Bandwidth(12.8e9))
}

func TestLists(t *testing.T) {
	assert.Equal(t, "1 DIMM", Count(1, "DIMM"))
	assert.Equal(t, "0 DIMMs", Count(0, "DIMM"))
	assert.Empty(t, And(nil))
	assert.Equal(t, "A", And([]string{"A"}))
	assert.Equal(t, "A and B", And([]string{"A", "B"}))
	assert.Equal(t, "A, B and C", And([]string{"A", "B", "C"}))
	assert.Equal(t, "a; b", First(2, []string{"a", "b"}))
	assert.Equal(t, "a; and 2 more", First(1, []string{"a", "b", "c"}))
}
