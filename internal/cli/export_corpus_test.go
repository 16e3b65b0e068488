//go:build corpus

package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wishes are profiles that recommend, for every setting that a kernel can show, a value that a tree does not have:
// one of the first two fails each. The others recommend the same for BIOS setup, as a document about it does.
func wishes(t *testing.T) (folder string, names []string) {
	t.Helper()
	on := map[string]string{"hwp": "native", "sub_numa": "nps4", "energy_perf_bias": "max_performance", "package_c_state": "c6r", "memory_ras_mode": "mirror_full",
		"power_policy": "os_control", "memory_speed": "1066", "uncore_frequency": "maximum"}
	off := map[string]string{"sub_numa": `"off"`, "energy_perf_bias": "power_saving", "package_c_state": "c0c1", "memory_ras_mode": "independent",
		"power_policy": "max_performance", "memory_speed": "max", "uncore_frequency": "minimum"}
	for _, id := range []string{"turbo", "c_states", "c1e", "smt", "node_interleave", "virtualization", "iommu", "x2apic", "monitor_mwait", "p_states", "l3_as_numa"} {
		on[id], off[id] = "enabled", "disabled"
	}
	off["hwp"] = "disabled"
	var pack strings.Builder
	pack.WriteString("profiles:\n")
	for _, face := range []string{"", "configured"} {
		for name, want := range map[string]map[string]string{"on": on, "off": off} {
			names = append(names, "site/"+name+face)
			fmt.Fprintf(&pack, "  - id: site/%s%s\n    intent: [hpc]\n    title: a wish\n    citation: {vendor: Site, title: Table}\n", name, face)
			if face != "" {
				fmt.Fprintf(&pack, "    face: %s\n", face)
			}
			pack.WriteString("    settings:\n")
			for _, id := range slices.Sorted(maps.Keys(want)) {
				fmt.Fprintf(&pack, "      %s: {want: %s, level: warning}\n", id, want[id])
			}
		}
	}
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "wish.yaml"), []byte(pack.String()), 0o600))
	slices.Sort(names)
	return folder, names
}
