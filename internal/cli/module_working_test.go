package cli

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// fiveModules is a machine of which the kernel sees 64 GiB, with four modules of 16 GiB in the table and a fifth.
func fiveModules(t *testing.T, fifth smbiostest.DIMM) string {
	t.Helper()
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(), Cores: 2})
	array := b.Array(smbiostest.Array{Devices: 6})
	for i := range 6 {
		d := smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Configured: 2400, Manufacturer: "Samsung", Serial: "1234" + strconv.Itoa(i), Part: "M393A2K40CB2-CTD"}
		switch i {
		case 4:
			d = fifth
		case 5:
			d = smbiostest.DIMM{}
		}
		d.Array, d.Locator = array, "DIMM_A"+strconv.Itoa(i+1)
		b.MemoryDevice(d)
	}
	return collecttest.Table(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 2}), b).Write(t)
}

// TestModuleThatDoesNotWork checks that a module without size or running speed beside missing memory of just its size is the problem.
func TestModuleThatDoesNotWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fifth smbiostest.DIMM
		want  string // in the text, "" if the rule does not fail
	}{
		{"no running speed", smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"}, "DIMM_A5: firmware reports 16 GiB here that are not in use"},
		{"no size", smbiostest.DIMM{SizeUnknown: true, Speed: 2666, Configured: 2400, Manufacturer: "Samsung"}, "DIMM_A5: firmware reports a module without a size here, and its memory is not in use"},
		{"no running speed, a smaller module", smbiostest.DIMM{Bytes: 8 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A1K43BB1-CTD"}, "DIMM_A5: firmware reports 8 GiB here that are not in use"},
		{"size and speed", smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Configured: 2400, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"}, ""},
		{"no size and no name", smbiostest.DIMM{SizeUnknown: true}, ""},
		{"empty", smbiostest.DIMM{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fiveModules(t, c.fifth)
			_, out, _ := run(nil, "check", "--root", root, "--format", "nagios")
			if c.want == "" {
				assert.NotContains(t, out, "not in use")
				return
			}
			assert.Contains(t, out, "WARNING "+c.want)
			assert.Contains(t, out, "Fix: reseat or replace what is there")
			assert.NotContains(t, out, "(memory.capacity.visible)", "a consequence")
		})
	}
}
