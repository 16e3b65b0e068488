package kerneltext_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// TestHideOptions checks that options that an audit needs stay, as do words that are neither an address nor a name,
// and that values, addresses and arguments of init are removed.
func TestHideOptions(t *testing.T) {
	hide := func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }
	for line, want := range map[string]string{
		"":                                 "",
		"q":                                "q",
		"quiet nosmt  numa=off\n":          "quiet nosmt  numa=off\n",
		"intel_idle.max_cstate=1 root=abc": "intel_idle.max_cstate=1 root=xxx",
		"crashkernel=319M nfsroot=abc":     "crashkernel=319M nfsroot=xxx",
		"host17 10.0.0.1 plain":            "xxxxxx xxxxxxxx plain",
		"quiet -- numa=off plain word=1":   "quiet -- xxxxxxxx xxxxx xxxxxx",
		"-- --":                            "-- --",
		"9":                                "x",
	} {
		assert.Equal(t, want, string(kerneltext.HideOptions([]byte(line), hide)), "%q", line)
	}
}

// TestProcessorNumbers checks that numbers from 0 to the kernel's highest are accepted, and longer or lower ones are
// not.
func TestProcessorNumbers(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "17": 17, "-1": -1, "000000000012": 12, "0000000000012": -1, "x": -1} {
		info := kerneltext.ParseCPUInfo([]byte("processor\t: 0\ncore id\t\t: "+text+"\n"), true)
		require.Len(t, info.Processors, 1)
		assert.Equal(t, want, info.Processors[0].CoreID, text)
	}
	for id, there := range map[int]bool{0: true, kerneltext.MaxCPU: true, kerneltext.MaxCPU + 1: false, -1: false} {
		assert.Equal(t, there, len(kerneltext.ParseCPUInfo(fmt.Appendf(nil, "processor\t: %d\n", id), true).Processors) == 1, id)
	}
	head := "vendor_id\t: AuthenticAMD\nflags\t\t: fpu\nprocessor\t: 0\nprocessor\t: 1\n"
	assert.Len(t, kerneltext.ParseCPUInfo([]byte(head), false).Processors, 1, "the first is enough, though the list begins with other keys")
}

// TestLimitsOfLists checks lists of the maximum length, and one longer.
func TestLimitsOfLists(t *testing.T) {
	all := strings.Repeat("0-65535,", 3) + "0-65535"
	list, err := kerneltext.ParseCPUList([]byte(all))
	require.NoError(t, err)
	assert.Len(t, list, 65536)
	_, err = kerneltext.ParseCPUList([]byte(all + ",0"))
	require.ErrorContains(t, err, "more than 262144 numbers")
	list, err = kerneltext.ParseCPUList([]byte("5,4,5"))
	require.NoError(t, err)
	assert.Equal(t, []int{4, 5}, list)

	for groups, taken := range map[int]bool{2048: true, 2049: false} {
		_, err := kerneltext.ParseCPUMask([]byte(strings.Repeat("0,", groups-1) + "1"))
		assert.Equal(t, taken, err == nil, groups)
	}
	for mask, want := range map[string][]int{"9": {0, 3}, "A": {1, 3}, "0": nil, "F": {0, 1, 2, 3}, "a": {1, 3}, "f": {0, 1, 2, 3}} {
		got, err := kerneltext.ParseCPUMask([]byte(mask))
		require.NoError(t, err)
		assert.Equal(t, want, got, mask)
	}
	for _, bad := range []string{"/", ":", "@", "G", "`", "g"} {
		_, err := kerneltext.ParseCPUMask([]byte(bad))
		require.Error(t, err, bad)
	}
	assert.Len(t, kerneltext.ParseCmdline(strings.Repeat("a ", 4097)), 4096)
	numbers, err := kerneltext.ParseInts([]byte("10 21"), 2)
	require.NoError(t, err)
	assert.Equal(t, []int{10, 21}, numbers)
	_, err = kerneltext.ParseInts([]byte("65536"), 2)
	require.Error(t, err)
}
