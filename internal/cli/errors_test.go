package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestErrorsToThePart follows errors that the kernel counted to the slot: in
// what is printed for people, and as metrics.
func TestErrorsToThePart(t *testing.T) {
	t.Parallel()
	root := trees.Dir(t, "dell-r740-errors")
	status, out, errs := run(nil, "inventory", "--root", root)
	require.Zero(t, status, errs)
	assert.Regexp(t, `B4 .* 8317/0 `, out)
	assert.Regexp(t, `A2 .* 0/1 `, out)
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, "# TYPE memaudit_dimm_corrected_errors_total counter\n")
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x110F",locator="B4"} 8317`)
	assert.Contains(t, out, `memaudit_dimm_uncorrected_errors_total{handle="0x1101",locator="A2"} 1`)
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x1100",locator="A1"} 0`)
	_, out, _ = run(nil, "check", "--root", root, "--format", "html")
	assert.Contains(t, out, "8317 corrected errors")
}

// TestErrorsInEverySentence checks that each output names count, slot and time as a person reads them, what the vendor says
// to do first, and that no label moves with the next error or minute.
func TestErrorsInEverySentence(t *testing.T) {
	t.Parallel()
	const counter = "sys/devices/system/edac/mc/mc3/dimm0/"
	audited := func(label, uncorrected, seconds string) string {
		m := machinetest.Named(t, "dell-r740-errors")
		for path := range m.Files {
			if strings.HasSuffix(path, "/seconds_since_reset") {
				m.Files[path] = seconds + "\n"
			}
		}
		if label != "" {
			m.Files[counter+"dimm_label"], m.Files[counter+"dimm_ue_count"] = label+"\n", uncorrected+"\n"
		}
		root := t.TempDir()
		m.Tree().WriteTo(t, root)
		return root
	}
	first, later := audited("", "", "300123"), audited("", "", "300423")
	for _, c := range []struct{ root, format, want string }{
		{first, "text", "A2: 1 uncorrected error in 3.5 days"},
		{first, "nagios", "A2: 1 uncorrected error in 3.5 days"},
		{first, "json", "A2: 1 uncorrected error in 3.5 days"},
		{first, "html", "A2: 1 uncorrected error in 3.5 days"},
		{first, "text", "restart the server, so that post-package repair can heal the module in A2"},
		{audited("", "", "217"), "text", "A2: 1 uncorrected error in 3 minutes"},
		{audited("mc#3csrow#0channel#0", "3", "300123"), "nagios", "3 uncorrected errors in 3.5 days on mc#3csrow#0channel#0"},
	} {
		_, out, errs := run(nil, "check", "--root", c.root, "--format", c.format)
		assert.Contains(t, strings.Join(strings.Fields(out), " "), c.want, "%s: %s", c.format, errs)
		assert.NotRegexp(t, `\d\.\d{3,}\S* days`, out)
	}
	labels := func(root string) []string {
		_, out, _ := run(nil, "check", "--root", root, "--format", "prometheus")
		return regexp.MustCompile(`(?m)^memaudit_problem_info.*$`).FindAllString(out, -1)
	}
	assert.NotEmpty(t, labels(first))
	assert.Equal(t, labels(first), labels(later))
	assert.Equal(t, labels(audited("mc#3csrow#0channel#0", "3", "300123")), labels(audited("mc#3csrow#0channel#0", "9", "301123")))
}

// TestErrorsOfNoSlot checks that errors that cannot be assigned to a slot are neither lost nor assigned to one.
func TestErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r740-errors")
	m.Files["sys/devices/system/edac/mc/mc3/dimm0/dimm_label"] = "mc#3csrow#0channel#0\n"
	root := t.TempDir()
	m.Tree().WriteTo(t, root)
	_, out, _ := run(nil, "inventory", "--root", root)
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "8317 corrected errors on mc#3csrow#0channel#0; nothing says which slot that is")
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="",locator="mc#3csrow#0channel#0"} 8317`)
	assert.NotContains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x110F"`)
	_, out, _ = run(nil, "check", "--root", root, "--format", "json")
	machine := 0
	for _, f := range verdictsOf(t, out) {
		switch {
		case f.Rule != "memory.errors.corrected":
		case f.Subject == "machine":
			machine++
			assert.Equal(t, "fail", f.Result)
		default:
			assert.Equal(t, "unknown", f.Result, f.Subject)
		}
	}
	assert.Equal(t, 1, machine)
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_finding_info{root="memory.errors.corrected",rule="memory.errors.corrected",severity="info",subject="machine"} 1`)
}

// TestUncorrectedErrorsOfNoSlot checks that uncorrected errors are critical whichever module had them, also if only
// the controller's total counts them.
func TestUncorrectedErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	const mc = "sys/devices/system/edac/mc/mc3/"
	for name, change := range map[string]func(files hosttest.Files){
		"a rank": func(files hosttest.Files) {
			files[mc+"dimm0/dimm_label"], files[mc+"dimm0/dimm_ue_count"] = "mc#3csrow#0channel#0\n", "3\n"
		},
		"no module told": func(files hosttest.Files) { files[mc+"ue_noinfo_count"] = "3\n" },
		"the total":      func(files hosttest.Files) { files[mc+"ue_count"] = "3\n" },
	} {
		m := machinetest.Named(t, "dell-r740-errors")
		change(m.Files)
		root := t.TempDir()
		m.Tree().WriteTo(t, root)
		status, out, _ := run(nil, "check", "--root", root, "--format", "json")
		assert.Equal(t, 1, status, name)
		machine := 0
		for _, f := range verdictsOf(t, out) {
			if f.Rule == "memory.errors.uncorrected" && f.Subject == "machine" {
				machine++
				assert.Equal(t, "fail", f.Result, name)
				assert.Equal(t, "critical", f.Severity, name)
			}
		}
		assert.Equal(t, 1, machine, name)
	}
}

// TestControllerErrorsOfNoSlot checks that errors that the BMC counts for a module that matches no slot, or for the
// memory in total, are the machine's, under their own label, and that those counted for slots are not counted twice.
func TestControllerErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r610-good")
	root := t.TempDir()
	m.Tree().WriteTo(t, root)
	secret := filepath.Join(t.TempDir(), "bmc")
	require.NoError(t, os.WriteFile(secret, []byte("username: u\npassword: p\n"), 0o600))
	const system = "/redfish/v1/Systems/1"
	for name, c := range map[string]struct {
		label, counts, total string
		want                 map[string]string // the rule and its severity
		found                string
	}{
		"uncorrected":       {"DIMM.X99", `{"CorrectableECCErrorCount":0,"UncorrectableECCErrorCount":3}`, "", map[string]string{"memory.errors.uncorrected": "critical"}, "3 uncorrected errors on DIMM.X99 "},
		"corrected":         {"DIMM.X99", `{"CorrectableECCErrorCount":400}`, "", map[string]string{"memory.errors.corrected": "info"}, "400 corrected errors on DIMM.X99 "},
		"few corrected":     {"DIMM.X99", `{"CorrectableECCErrorCount":9}`, "", nil, ""},
		"as a whole":        {"DIMM.X99", `{}`, `{"CorrectableECCErrorCount":0,"UncorrectableECCErrorCount":1}`, map[string]string{"memory.errors.uncorrected": "critical"}, "1 uncorrected error on memory as a whole "},
		"all accounted for": {"DIMM.X99", `{"UncorrectableECCErrorCount":2}`, `{"UncorrectableECCErrorCount":2}`, map[string]string{"memory.errors.uncorrected": "critical"}, "2 uncorrected errors on DIMM.X99 "},
		"a slot's":          {"A1", `{"UncorrectableECCErrorCount":2}`, `{"UncorrectableECCErrorCount":2}`, nil, ""},
	} {
		tree := map[string]string{
			"/redfish/v1/":        `{"Systems":{"@odata.id":"/redfish/v1/Systems"}}`,
			"/redfish/v1/Systems": `{"Members":[{"@odata.id":"` + system + `"}]}`,
			system:                `{"Model":"PowerEdge R610","Memory":{"@odata.id":"` + system + `/Memory"},"MemorySummary":{"Metrics":{"@odata.id":"` + system + `/Total"}}}`,
			system + "/Memory":    `{"Members":[{"@odata.id":"` + system + `/Memory/m"}]}`,
			system + "/Memory/m": `{"Id":"m","DeviceLocator":"` + c.label + `","CapacityMiB":16384,"Status":{"State":"Enabled"},
				"Metrics":{"@odata.id":"` + system + `/Memory/m/Metrics"}}`,
			system + "/Memory/m/Metrics": `{"CurrentPeriod":` + c.counts + `}`,
		}
		if c.total != "" {
			tree[system+"/Total"] = `{"CurrentPeriod":` + c.total + `}`
		}
		bmc := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, ok := tree[r.URL.Path]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write([]byte(body))
		}))
		_, out, errs := run(nil, "check", "--root", root, "--redfish", bmc.URL, "--redfish-credentials", secret, "--redfish-insecure", "--format", "json")
		bmc.Close()
		var got map[string]string
		for _, f := range verdictsOf(t, out) {
			if strings.HasPrefix(f.Rule, "memory.errors.") && f.Subject == "machine" && f.Result == "fail" {
				if got == nil {
					got = map[string]string{}
				}
				got[f.Rule] = f.Severity
				assert.Contains(t, out, c.found, name)
			}
		}
		assert.Equal(t, c.want, got, "%s: %s", name, errs)
	}
}

// TestKnownBadModules checks that the example of a site's list of parts fails for a module of a named batch, and for
// no other.
func TestKnownBadModules(t *testing.T) {
	t.Parallel()
	pack, err := os.ReadFile(filepath.Join(corpustest.Root(t), "deploy", "site", "known-bad-modules.yaml"))
	require.NoError(t, err)
	for part, want := range map[string]string{"M000": "fail", "M393B5273CH0-CH9": "pass"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "batches.yaml")
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(pack), "EXAMPLE-PART-1", part)), 0o644))
		status, _, errs := run(nil, "rules", "validate", dir)
		require.Zero(t, status, errs)
		_, out, _ := run(nil, "check", "--root", trees.Dir(t, "dell-r740-errors"), "--rules", dir, "--format", "json")
		asked := 0
		for _, f := range verdictsOf(t, out) {
			if f.Rule == "site.module.batch" {
				asked++
				assert.Equal(t, want, f.Result, f.Subject)
			}
		}
		assert.Equal(t, 12, asked)
	}
}
