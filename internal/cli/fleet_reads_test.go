package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/serve/fleet"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// TestFleetReadsWhatCheckPrints checks that the fleet has the verdict of check, whatever is asked of it and whatever the
// machine is like: SMT off in firmware, a processor without Turbo, no SMBIOS table, a guest, a profile not applied.
func TestFleetReadsWhatCheckPrints(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	changed := func(change func(dir string)) []string {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(root)))
		change(dir)
		return []string{"--root", dir}
	}
	smt := func(word string) func(string) {
		return func(dir string) {
			writeFile(t, filepath.Join(dir, "sys/devices/system/cpu/smt/control"), []byte(word+"\n"))
			writeFile(t, filepath.Join(dir, "sys/devices/system/cpu/smt/active"), []byte("0\n"))
		}
	}
	site := writeFile(t, filepath.Join(t.TempDir(), "site.yaml"), []byte("waivers:\n  - {rule: memory.channel.populated, reason: on purpose, until: 2099-11-07}\n"))
	for name, args := range map[string][]string{
		"as it is":                  {"--root", root},
		"SMT off in firmware":       changed(smt("notsupported")),
		"SMT not implemented":       changed(smt("notimplemented")),
		"SMT off by the kernel":     changed(smt("forceoff")),
		"strict":                    {"--root", root, "--strict"},
		"strict, never":             {"--root", root, "--strict", "--fail-on", "never"},
		"by a profile":              {"--root", root, "--profile", "max-performance"},
		"identifiers":               {"--root", root, "--identifiers", "--host-name"},
		"class 2, info":             {"--smbios", table(t, "fujitsu-rx900s2-class2"), "--fail-on", "info"},
		"class 2, waived":           {"--smbios", table(t, "fujitsu-rx900s2-class2"), "--config", site},
		"a profile without answers": {"--smbios", table(t, "fujitsu-rx900s2-class2"), "--profile", "hpc"},
		"no Turbo": changed(func(dir string) {
			cpuinfo := filepath.Join(dir, "proc/cpuinfo")
			text, err := os.ReadFile(cpuinfo)
			require.NoError(t, err)
			writeFile(t, cpuinfo, []byte(strings.ReplaceAll(string(text), " ida", "")))
		}),
		"no SMBIOS": changed(func(dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, "sys/firmware/dmi"))) }),
		"a guest": changed(func(dir string) {
			cpuinfo := filepath.Join(dir, "proc/cpuinfo")
			text, err := os.ReadFile(cpuinfo)
			require.NoError(t, err)
			writeFile(t, cpuinfo, []byte(strings.ReplaceAll(string(text), "\nflags\t\t:", "\nflags\t\t: hypervisor")))
			writeFile(t, filepath.Join(dir, "sys/class/dmi/id/sys_vendor"), []byte("QEMU\n"))
			writeFile(t, filepath.Join(dir, "sys/class/dmi/id/product_name"), []byte("KVM\n"))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, doc, errs := run(nil, append([]string{"check", "--format", "json"}, args...)...)
			require.NotEmpty(t, doc, errs)
			var r report.Report
			decodeJSON(t, doc, &r)
			_, d := fleetOf(t, []byte(doc), "-")
			require.Empty(t, d.Unreadable)
			require.Len(t, d.Machines, 1)
			m := &d.Machines[0]
			assert.Equal(t, r.Verdict, *m.Verdict)
			assert.Equal(t, r.Summary.Worst, m.Worst)
			assert.Equal(t, map[report.Status]int{r.Verdict.Status: 1}, counted(d))
			above := 0
			for i := range r.Problems {
				if r.Problems[i].Above() {
					above++
				}
			}
			assert.Len(t, m.Problems, above)
			t.Log(r.Verdict.Line())
		})
	}
}

// table is a file with a machine's SMBIOS table.
func table(t *testing.T, name string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), name), machinetest.Named(t, name).Table.Dump())
}

// counted are the verdicts that occur.
func counted(d fleet.Document) map[report.Status]int {
	out := map[report.Status]int{}
	for status, n := range d.Verdicts {
		if n > 0 {
			out[status] = n
		}
	}
	return out
}
