//go:build corpus

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// vendorOf is sys_vendor of the machine that an export is of.
func vendorOf(file string) string {
	for part, vendor := range map[string]string{"/dell": "Dell Inc.", "/hp": "HPE", "/cray": "HPE", "/cisco": "Cisco Systems Inc", "/lenovo": "Lenovo",
		"/supermicro": "Supermicro", "/gigabyte": "GIGABYTE", "/zt": "ZTSYSTEMS"} {
		if strings.Contains(file, part) {
			return vendor
		}
	}
	return ""
}

// TestStockKernelsContradictNoExport audits every export of the corpus with unmodified kernels, on a machine whose
// firmware does what the export says. No setting contradicts BIOS setup except those that a kernel rewrites, with a
// note on that.
func TestStockKernelsContradictNoExport(t *testing.T) {
	b := newPatchBench(t)
	counts := map[string]int{}
	for i := range patchables {
		p := &patchables[i]
		file := corpustest.Dir(t, p.file)
		alone := b.stand(t, p, readFile(t, file))
		setup := map[string]string{}
		for id, s := range alone.sys.Settings {
			setup[id] = s.Configured.Or("")
		}
		e, err := bios.Decode(file, []byte(readFile(t, file)))
		require.NoError(t, err)
		amd := slices.Contains([]string{"rome", "milan", "genoa"}, p.platform)
		for k := range slices.Values(stockKernels) {
			if k.amd != amd {
				continue
			}
			tree := k.runs(setup).With(machinetest.DMI(vendorOf(p.file), p.product, "1.0"))
			root, err := host.OpenDir(tree.Write(t))
			require.NoError(t, err)
			sys, joined := collect.WithExports(collect.Input{Root: root, Tables: func() (settings.Tables, error) { return b.tables, nil }, Exports: []collect.Export{{Source: inventory.SourceBIOS, Path: file, Export: e}}})
			require.False(t, joined[0].Foreign, p.file)
			result, err := b.engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{})
			require.NoError(t, err)
			for _, f := range result.Findings {
				if f.Rule != "settings.conflict" {
					continue
				}
				counts["settings compared, "+string(f.Result)]++
				if f.Result == verdict.Fail {
					counts["rewritten by the kernel: "+f.Subject.String()]++
					assert.True(t, f.Severity == verdict.Info && strings.Contains(string(f.Found), "decided by the kernel"), "%s, %s: %v: %s", p.file, k.name, f.Subject, f.Found)
				}
			}
		}
	}
	corpustest.LogCounts(t, "conflicts", counts)
	assert.Greater(t, counts["settings compared, pass"], 500)
}
