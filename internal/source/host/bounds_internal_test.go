package host

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestFixedWindows checks that records of the minimum size are decoded and shorter ones are not.
func TestFixedWindows(t *testing.T) {
	table := func(records ...[]byte) []byte {
		b := append([]byte("CEDT"), make([]byte, cedtHeader-4)...)
		for _, r := range records {
			b = append(b, r...)
		}
		binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
		return b
	}
	record := func(kind byte, size int) []byte {
		r := make([]byte, size)
		r[0] = kind
		binary.LittleEndian.PutUint16(r[2:], uint16(size))
		if size >= cedtWindowLeast {
			binary.LittleEndian.PutUint64(r[cedtWindowStart:], 1<<40)
			binary.LittleEndian.PutUint64(r[cedtWindowSize:], 1<<30)
		}
		return r
	}
	window := []Range{{1 << 40, 1<<40 + 1<<30}}
	for name, c := range map[string]struct {
		b    []byte
		want []Range // nil where it cannot be read
	}{
		"no record":             {table(), []Range{}},
		"another of four bytes": {table(record(0, 4)), []Range{}},
		"a window":              {table(record(cedtWindow, cedtWindowLeast)), window},
		"a longer one":          {table(record(0, 8), record(cedtWindow, cedtWindowLeast+8)), window},
		"a shorter one":         {table(record(cedtWindow, cedtWindowLeast-1)), nil},
		"three bytes":           {table([]byte{0, 0, 3}), nil},
		"beyond the end":        {table(record(0, 8)[:7]), nil},
		"another table":         {make([]byte, cedtHeader), nil},
		"cut":                   {table(record(0, 8))[:cedtHeader+4], nil},
	} {
		got, err := fixedWindows(c.b)
		assert.Equal(t, c.want == nil, err != nil, name)
		assert.Equal(t, c.want, got, name)
	}
}

// TestPathsBelowTheRoot checks that no path leaves the root, and that a path with a NUL byte or a newline is
// rejected.
func TestPathsBelowTheRoot(t *testing.T) {
	for path, want := range map[string]string{"/proc/cpuinfo": "proc/cpuinfo", "/a": "a", "/": "", "": "", "a": "", "/..": "", "/a/../b": "", "/a//b": "", "/./a": "", "/a\x00b": "", "\x00/a": "", "/a/": "", "/...": "..."} {
		got, err := relative(path)
		assert.Equal(t, want, got, "%q", path)
		assert.Equal(t, want == "", err != nil, "%q", path)
	}
	assert.Equal(t, []int{limitNotes, LimitInputs, maxMember}, []int{maxMemberOf(notesName), maxMemberOf(InputsFolder + "a"), maxMemberOf("proc/cpuinfo")})
	assert.True(t, leadsTo("sys/devices", "sys/devices/system"))
	assert.False(t, leadsTo("sys/dev", "sys/devices/system"), "a part of a name")
	assert.False(t, leadsTo("sys/devices/system", "sys/devices/system"))
}

// TestListedInNotes checks that a folder can be listed if the manifest records its content.
func TestListedInNotes(t *testing.T) {
	r := &Root{names: map[string][]string{"/a": {"b"}}, results: map[query]queryResult{
		{"list", "/c"}: {names: []string{"d"}, state: fact.OK}, {"list", "/e"}: {state: fact.Denied}}}
	for path, want := range map[string]bool{"/a": true, "/c": true, "/e": false, "/f": false} {
		_, ok := r.listed(path)
		assert.Equal(t, want, ok, path)
	}
}

// TestSampledCPUs checks that the first and the last CPU of each package are sampled, or those of the machine if
// there are no packages.
func TestSampledCPUs(t *testing.T) {
	cpus := func(n ...int) fact.Fact[[]int] { return fact.Fact[[]int]{Value: n, State: fact.OK} }
	c := &CPU{Online: cpus(0, 1, 2, 3, 4)}
	assert.Equal(t, []int{0, 4}, c.Sample())
	c.Packages = fact.Fact[[]inventory.Package]{Value: []inventory.Package{{CPUs: []int{7}}}, State: fact.OK}
	require.Equal(t, []int{7}, c.Sample())
	c.Packages.Value = []inventory.Package{{CPUs: []int{0, 1, 2}}, {CPUs: []int{3, 4}}, {}}
	assert.Equal(t, []int{0, 2, 3, 4}, c.Sample())
}

// TestNodeOfAGPU checks that a GPU's node is known if its memory is online.
func TestNodeOfAGPU(t *testing.T) {
	for text, want := range map[string]int{"Node: 2\nStatus: online\n": 2, "Status: online\nNode: 0\n": 0, "Node: 2\nStatus: offline\n": -1, "Node: -1\nStatus: online\n": -1, "Node: x\nStatus: online\n": -1, "Node: 2\n": -1} {
		node, ok := gpuNode(text)
		assert.Equal(t, want >= 0, ok, text)
		if ok {
			assert.Equal(t, want, node, text)
		}
	}
}
