//go:build corpus

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// hpeMachine is a table with the machine that an export of BIOS settings was taken from.
func hpeMachine(t *testing.T, product, brand string, family uint16, id uint64) string {
	t.Helper()
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "HPE", Version: "U00", Date: "01/01/2025"})
	b.System(smbiostest.System{Manufacturer: "HPE", Product: product})
	b.Board(smbiostest.Board{Manufacturer: "HPE", Product: product})
	maker := "Intel(R) Corporation"
	if strings.HasPrefix(brand, "AMD") {
		maker = "Advanced Micro Devices, Inc."
	}
	b.CPU(smbiostest.CPU{Socket: "Proc 1", Manufacturer: maker, Version: brand, Family: family, ID: id, Cores: 32, Enabled: 32, Threads: 64, Characteristics: 0xFC})
	file := filepath.Join(t.TempDir(), "DMI")
	require.NoError(t, os.WriteFile(file, b.Table(), 0o600))
	return file
}

// A machine whose firmware reports the workload profile that wrote its settings is nearest to that profile by its
// settings alone, without the name.
func TestCompareFindsThePresetThatWrote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		export, product, brand, nearest string
		family                          uint16
		id                              uint64
	}{
		{"hpe-dl325-gen10plus-a43.json", "ProLiant DL325 Gen10 Plus", "AMD EPYC 7402P 24-Core Processor", "hpe-gen10plus-amd/general-power-efficient-compute", 0x6B, machinetest.Signature(23, 49, 0)},
		{"hpe-dl360-gen10plus-u46.json", "ProLiant DL360 Gen10 Plus", "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "hpe-gen10plus/general-power-efficient-compute", 0xB3, machinetest.Signature(6, 106, 6)},
		{"hpe-dl360-gen12-u68.json", "ProLiant Compute DL360 Gen12", "Intel(R) Xeon(R) 6740P", "hpe-gen12/general-power-efficient-compute", 0xB3, machinetest.Signature(6, 173, 1)},
		{"hpe-dl380a-gen11-u58.json", "ProLiant DL380a Gen11", "Intel(R) Xeon(R) Platinum 8480+", "hpe-gen11/io-throughput", 0xB3, machinetest.Signature(6, 143, 8)},
	} {
		t.Run(c.export, func(t *testing.T) {
			export := corpustest.Dir(t, filepath.Join("redfish", c.export))
			status, out, errs := run(nil, "profiles", "compare", "--smbios", hpeMachine(t, c.product, c.brand, c.family, c.id), "--bios", export, "--format", "json")
			require.Equal(t, 0, status, errs)
			var closest []string
			for _, p := range decodeHeld(t, out).Profiles {
				t.Logf("%-55s agrees %2d differs %2d unknown %2d closest %t", p.ID, p.Agrees, p.Differs, p.Unknown, p.Closest)
				if p.Closest {
					closest = append(closest, p.ID)
				}
				for _, s := range p.Settings {
					if p.ID == c.nearest && s.Result == "fail" {
						t.Logf("  %s wants %v", s.Setting, s.Wanted)
					}
				}
			}
			assert.Equal(t, []string{c.nearest}, closest)
		})
	}
}
