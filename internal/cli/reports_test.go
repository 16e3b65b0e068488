package cli

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// TestReportsOfTables checks the reports of two tables that are audited as files, a good current machine and one with
// two problems and an unconfirmed slot map.
func TestReportsOfTables(t *testing.T) {
	t.Parallel()
	for name, dump := range map[string][]byte{"dell-r750": goodR750().Dump(), "hp-dl160-gen9": slowDL160().Dump()} {
		_, out, _ := run(dump, "check", "--smbios", "-")
		golden(t, filepath.Join("..", "..", "testdata", "reports", name+".txt"), machinetest.Uncounted(out))
	}
}

// goodR750 has a module on each channel, at the processors' highest speed.
func goodR750() *smbiostest.Builder {
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: "Dell Inc.", Version: "1.10.2", Date: "03/03/2023"})
	b.System(smbiostest.System{Manufacturer: "Dell Inc.", Product: "PowerEdge R750"})
	processors(b, "CPU%d", "Intel(R) Xeon(R) Silver 4316 CPU @ 2.30GHz", machinetest.Signature(6, 106, 6), 20)
	array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 8 << 40})
	b.NextHandle(0x1100)
	for _, cpu := range []string{"A", "B"} {
		for n := 1; n <= 16; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("%s%d", cpu, n)}
			if n <= 8 {
				d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 64<<30, 3200, 2666, 2, "Samsung", "M393A8G40AB2-CWE"
			}
			b.MemoryDevice(d)
		}
	}
	return b
}

// slowDL160 leaves half of its channels empty, mixes modules, and runs them below their speed.
func slowDL160() *smbiostest.Builder {
	b := smbiostest.New(2, 8)
	b.BIOS(smbiostest.BIOS{Vendor: "HP", Version: "U20", Date: "07/21/2019"})
	b.System(smbiostest.System{Manufacturer: "HP", Product: "ProLiant DL160 Gen9"})
	processors(b, "Proc %d", "Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz", machinetest.Signature(6, 79, 1), 16)
	array := b.Array(smbiostest.Array{Devices: 16, MaxBytes: 1 << 40})
	b.NextHandle(0x1000)
	for cpu := 1; cpu <= 2; cpu++ {
		for n := 1; n <= 8; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("PROC %d DIMM %d", cpu, n)}
			switch {
			case n == 6 || n == 8:
				d.Bytes, d.Rank = 32<<30, 2
			case n == 7 && cpu == 1:
				d.Bytes, d.Rank, d.Part = 16<<30, 1, "809082-091"
			}
			if d.Bytes > 0 {
				d.Speed, d.Configured, d.Manufacturer = 2400, 2133, "UNKNOWN"
			}
			b.MemoryDevice(d)
		}
	}
	return b
}

func processors(b *smbiostest.Builder, name, brand string, id uint64, cores int) {
	for cpu := 1; cpu <= 2; cpu++ {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf(name, cpu), Manufacturer: "Intel(R) Corporation", Version: brand, ID: id, Cores: cores, Enabled: cores, Threads: 2 * cores, Characteristics: 0xFC})
	}
}
