package host_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// TestCXLWindows checks the windows of the kernel's example of a flexible configuration
// (Documentation/driver-api/cxl/platform/example-configurations/flexible.rst: two host bridges, a window over both
// and one of each), that the firmware's table takes precedence over the kernel's decoders, and invalid tables.
func TestCXLWindows(t *testing.T) {
	const gib = 1 << 30
	complete := hosttest.CEDT([2]uint64{0x1000000000, 16 * gib}, [2]uint64{0x1400000000, 4 * gib})
	decoders := hosttest.Files{
		"sys/bus/cxl/devices/decoder0.0/start": "0x2080000000\n", "sys/bus/cxl/devices/decoder0.0/size": "0x780000000\n",
		"sys/bus/cxl/devices/decoder1.0/start": "0x0\n", "sys/bus/cxl/devices/mem0/": "",
	}
	const table = "sys/firmware/acpi/tables/CEDT"
	cut := func(at int, b ...byte) hosttest.Files {
		out := []byte(complete)
		copy(out[at:], b)
		return hosttest.Files{table: string(out)}
	}
	two := []host.Range{{0x1000000000, 0x1400000000}, {0x1400000000, 0x1500000000}}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  []host.Range
		state fact.State
		why   string
	}{
		{"table", hosttest.Files{table: complete}, two, fact.OK, ""},
		{"table beside decoders", hosttest.Files{table: complete}.With(decoders), two, fact.OK, ""},
		{"table without a window", hosttest.Files{table: hosttest.CEDT()}, []host.Range{}, fact.OK, ""},
		{"decoders of the root port alone", decoders, []host.Range{{0x2080000000, 0x2800000000}}, fact.OK, ""},
		{"a decoder that cannot be read", decoders.Without("sys/bus/cxl/devices/decoder0.0/size"), nil, fact.Unread, ""},
		{"neither", hosttest.Files{}, nil, fact.Unread, ""},
		{"cut short", hosttest.Files{table: complete[:len(complete)-8]}, nil, fact.Malformed, "announced"},
		{"another table", cut(0, 'S', 'R', 'A', 'T'), nil, fact.Malformed, "no CXL Early Discovery Table"},
		{"a record without a length", cut(36+2, 0, 0), nil, fact.Malformed, "record at 36 of 0 bytes"},
		{"a record behind the end", cut(36+2, 255, 255), nil, fact.Malformed, "record at 36 of 65535 bytes"},
		{"a window of nothing", cut(36+32+16, make([]byte, 8)...), nil, fact.Malformed, "window of 0x0 bytes"},
		{"a window over the end of all addresses", cut(36+32+16, 255, 255, 255, 255, 255, 255, 255, 255), nil, fact.Malformed, "window of 0xffffffffffffffff bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 1}).Without("sys/firmware/acpi/").With(c.files)
			got := host.ReadNUMA(host.Capture(tree).Root()).Hints.Windows
			assert.Equal(t, c.state, got.State)
			assert.Equal(t, c.want, got.Value)
			if c.why != "" {
				assert.ErrorContains(t, got.Err, c.why)
			}
		})
	}
}

// FuzzCXLWindows checks that windows are valid ranges and that no table causes a panic.
func FuzzCXLWindows(f *testing.F) {
	f.Add([]byte(hosttest.CEDT([2]uint64{1 << 36, 1 << 34})))
	f.Add([]byte(strings.Repeat("CEDT", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 8 {
			binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
		}
		windows := host.ReadNUMA(host.Capture(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 1}).With(hosttest.Files{
			"sys/firmware/acpi/tables/CEDT": string(b)})).Root()).Hints.Windows
		require.True(t, windows.State == fact.OK || windows.Value == nil)
		for _, w := range windows.Value {
			require.Less(t, w.Start, w.End)
		}
	})
}
