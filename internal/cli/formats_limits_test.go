package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// milan is a server of two EPYC 7543 with one or two modules a channel, that
// shows nodes nodes a processor.
func milan(modules, nodes int) machinetest.Machine {
	const brand = "AMD EPYC 7543 32-Core Processor"
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: "HPE", Version: "A42", Date: "02/14/2022"})
	b.System(smbiostest.System{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	b.Board(smbiostest.Board{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	for n := 1; n <= 2; n++ {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("Proc %d", n), Manufacturer: "Advanced Micro Devices, Inc.", Version: brand, Family: 0x6B, ID: machinetest.Signature(25, 1, 1),
			Cores: 32, Enabled: 32, Threads: 32, Upgrade: 0x37, Characteristics: 0xFC})
	}
	array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 4 << 40})
	for p := 1; p <= 2; p++ {
		for n := 1; n <= 16; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("PROC %d DIMM %d", p, n)}
			if modules == 32 || n%2 == 0 {
				d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 32<<30, 3200, 3200, 2, "HPE", "P06189-001"
				d.MinMV, d.MaxMV, d.ConfiguredMV = 1200, 1200, 1200
			}
			b.MemoryDevice(d)
		}
	}
	return machinetest.Machine{Name: "milan", Table: b, CPUID: [3]int{25, 1, 1},
		Host: hosttest.Machine{Sockets: 2, NodesPerSocket: nodes, CoresPerSocket: nodes, ThreadsPerCore: 1, L3PerSocket: nodes,
			NodeMiB: modules * 32 << 10 / 2 / nodes, Vendor: "AuthenticAMD", Brand: brand, Policies: true},
		Files: machinetest.DMI("HPE", "ProLiant DL385 Gen10 Plus v2", "A42")}
}

// tuned is the export of a machine's settings, as HPE's registry A42 names them
// and its profile for HPC sets them.
func tuned(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "profiles", "hpe-a42.tsv"))
	require.NoError(t, err)
	attributes := map[string]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || cells[0] == "attribute" || len(cells) < 11 {
			continue
		}
		attributes[cells[0]] = cells[10]
		if cells[10] == "." {
			attributes[cells[0]] = cells[1]
		}
	}
	doc, err := json.Marshal(map[string]any{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryA42.v1_3_72", "Attributes": attributes})
	require.NoError(t, err)
	return export(t, string(doc))
}

// TestSeriesOfManyNodes checks that captures of machines of 34 and 64 NUMA nodes have no more than the maximum of
// series, none of them a distance.
func TestSeriesOfManyNodes(t *testing.T) {
	t.Parallel()
	for _, nodes := range corpustest.Sample([]int{32, 17}, 2) {
		m := milan(32, nodes)
		machine := filepath.Join(t.TempDir(), "machine.tar")
		require.NoError(t, os.WriteFile(machine, m.Tree().Tar(t, ""), 0o600))
		_, out, errs := run(nil, "check", "--snapshot", machine, "--bios", tuned(t), "--profile", "hpc", "--format", "prometheus", "--fail-on", "never")
		require.Empty(t, errs)
		families, total := exposition(t, out), 0
		for _, f := range families {
			total += len(f.GetMetric())
		}
		t.Logf("%d nodes: %d series", 2*nodes, total)
		assert.LessOrEqual(t, total, 600)
		assert.Len(t, families["memaudit_numa_node_memory_bytes"].GetMetric(), 2*nodes)
		assert.Len(t, families["memaudit_dimm_size_bytes"].GetMetric(), 32)
		assert.NotContains(t, families, "memaudit_numa_distance")
	}
}

// TestSeries counts the series of machines of which nearly everything is known:
// memory, kernel, and every setting that a profile for HPC sets.
func TestSeries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ modules, nodes, most int }{{16, 2, 250}, {32, 4, 400}} {
		m := milan(c.modules, c.nodes)
		dir := t.TempDir()
		m.Tree().WriteTo(t, dir)
		_, out, errs := run(nil, "check", "--root", dir, "--bios", tuned(t), "--profile", "hpc", "--format", "prometheus", "--fail-on", "never")
		require.Empty(t, errs)
		families := exposition(t, out)
		count := map[string]int{}
		total := 0
		for name, f := range families {
			count[name] = len(f.GetMetric())
			total += count[name]
		}
		t.Logf("%d modules, %d nodes: %d series: %v", c.modules, 2*c.nodes, total, count)
		assert.Equal(t, c.modules, count["memaudit_dimm_info"])
		assert.Equal(t, 4*c.nodes*c.nodes, count["memaudit_numa_distance"])
		assert.Equal(t, 2, count["memaudit_socket_peak_bandwidth_bytes_per_second"])
		assert.GreaterOrEqual(t, count["memaudit_setting_info"], 20, "the settings count")
		assert.LessOrEqual(t, total, c.most)
	}
}
