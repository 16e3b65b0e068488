package kerneltext_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/kerneltext"
)

// TestHideOptions: options that an audit asks for stay, and words that are neither an
// address nor a name; values, addresses and all that is meant for init go.
func TestHideOptions(t *testing.T) {
	hide := func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }
	for line, want := range map[string]string{
		"":                                 "",
		"q":                                "q",
		"quiet nosmt  numa=off\n":          "quiet nosmt  numa=off\n",
		"intel_idle.max_cstate=1 root=abc": "intel_idle.max_cstate=1 root=xxx",
		"host17 10.0.0.1 plain":            "xxxxxx xxxxxxxx plain",
		"quiet -- numa=off plain word=1":   "quiet -- xxxxxxxx xxxxx xxxxxx",
		"-- --":                            "-- --",
		"9":                                "x",
	} {
		assert.Equal(t, want, string(kerneltext.HideOptions([]byte(line), hide)), "%q", line)
	}
}

// TestProcessorNumbers: numbers up to the highest that a kernel has, 0 as well; longer ones
// and those below are none. What every processor repeats is its own where it differs.
func TestProcessorNumbers(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "17": 17, "-1": -1, "000000000012": 12, "0000000000012": -1, "x": -1} {
		info := kerneltext.ParseCPUInfo([]byte("processor\t: 0\ncore id\t\t: "+text+"\n"), true)
		require.Len(t, info.Processors, 1)
		assert.Equal(t, want, info.Processors[0].CoreID, text)
	}
	for id, there := range map[int]bool{0: true, kerneltext.MaxCPU: true, kerneltext.MaxCPU + 1: false, -1: false} {
		assert.Equal(t, there, len(kerneltext.ParseCPUInfo(fmt.Appendf(nil, "processor\t: %d\n", id), true).Processors) == 1, id)
	}
	info := kerneltext.ParseCPUInfo([]byte("processor\t: 0\nmicrocode\t: 0x1\nprocessor\t: 1\nmicrocode\t: 0x1\nprocessor\t: 2\nmicrocode\t: 0x2\n"), true)
	assert.Equal(t, []string{"0x1", "0x1", "0x2"}, []string{info.Processors[0].Microcode, info.Processors[1].Microcode, info.Processors[2].Microcode})
	head := "vendor_id\t: AuthenticAMD\nflags\t\t: fpu\nprocessor\t: 0\nprocessor\t: 1\n"
	assert.Len(t, kerneltext.ParseCPUInfo([]byte(head), false).Processors, 1, "the first is enough, though the list begins with other keys")
}

// TestEdgesOfNumbers: the first and last digit, and the largest number.
func TestEdgesOfNumbers(t *testing.T) {
	cpus, err := kerneltext.ParseCPUMask([]byte("aF"))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2, 3, 5, 7}, cpus)
	assert.Empty(t, kerneltext.Trim([]byte{0}))
	assert.Equal(t, "a", string(kerneltext.Trim([]byte(" a\n"))))
	_, ok := kerneltext.ParseMirrored("4096M/65536M mirrored memory")
	assert.False(t, ok, "without the message's own words")
	n, err := kerneltext.ParseSize(fmt.Appendf(nil, "%d kB", int64(math.MaxInt64>>10)))
	require.NoError(t, err)
	assert.Equal(t, int64(math.MaxInt64>>10<<10), n)
	_, err = kerneltext.ParseSize(fmt.Appendf(nil, "%d kB", int64(math.MaxInt64>>10)+1))
	require.ErrorContains(t, err, "overflows")
}
