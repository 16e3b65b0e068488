package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const exportText = "[Key=BIOS.Setup.1-1#SysProfileSettings]\nSysProfile=PerfOptimized\nProcTurboMode=Disabled (Pending Value=Enabled)\nAssetTag=A-4711\nSetupPassword=hunter2\n"

// settingsOf is the settings part of an inventory.
type settingsOf struct {
	Machine  struct{ Vendor *string }
	Sources  []struct{ Name, State, Detail string }
	Settings map[string]struct {
		Configured, Pending, Effective struct {
			Value  *string
			Reason *string
		}
	}
	Unmapped []struct {
		Source, Path, Format string
		Attributes           []string
	}
}

func export(t *testing.T, text string) string {
	t.Helper()
	return fileOf(t, "bios.txt", text)
}

// An export is added to the audited machine, and does not identify it.
func TestBIOSJoins(t *testing.T) {
	t.Parallel()
	file := export(t, exportText)
	status, out, errs := run(nil, "inventory", "--root", tree(t, "dell-r610-good"), "--bios", file, "--format", "json")
	require.Equal(t, 0, status, errs)
	assert.NotContains(t, out+errs, "4711")
	assert.NotContains(t, out+errs, "hunter2")
	doc := decoded[settingsOf](t, out)
	turbo := doc.Settings["turbo"]
	assert.Equal(t, "disabled", *turbo.Configured.Value)
	assert.Equal(t, "enabled", *turbo.Pending.Value)
	assert.Equal(t, "disabled", *doc.Settings["node_interleave"].Effective.Value)
	require.Len(t, doc.Unmapped, 1)
	assert.Equal(t, []string{"AssetTag", "SetupPassword"}, doc.Unmapped[0].Attributes)
	assert.Equal(t, file, doc.Unmapped[0].Path)
}

// Standard input, with a machine known by its SMBIOS table.
func TestBIOSFromStandardInput(t *testing.T) {
	t.Parallel()
	status, out, errs := run([]byte("logicproc=disable\n"), "inventory", "--root", tree(t, "dell-r610-good"), "--bios", "-", "--format", "json")
	require.Equal(t, 0, status, errs)
	assert.Equal(t, "disabled", *decoded[settingsOf](t, out).Settings["smt"].Configured.Value)
	status, _, errs = run(nil, "inventory", "--bios", "-", "--smbios", "-")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "standard input (-) is named 2 times")
}

// Unreadable input is exit status 3, and everything else is still reported.
func TestBIOSFailures(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	good := export(t, exportText)
	for _, c := range []struct{ name, file, state, want string }{
		{"missing", filepath.Join(t.TempDir(), "none"), "absent", "no such file or directory"},
		{"folder", t.TempDir(), "refused", "is a folder, expected a file"},
		{"prose", export(t, "hello\n"), "malformed", `line 1: "hello", expected a Redfish Bios resource`},
		{"empty", export(t, ""), "absent", "the file is empty"},
		{"cut", export(t, `{"Attributes": {"SysProfile": `), "malformed", "JSON ends before its value does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, errs := run(nil, "inventory", "--root", root, "--bios", c.file, "--bios", good, "--format", "json")
			assert.Equal(t, 3, status)
			assert.Contains(t, errs, "--bios "+c.file+": ")
			assert.Contains(t, errs, c.want)
			doc := decoded[settingsOf](t, out)
			assert.Equal(t, "disabled", *doc.Settings["turbo"].Configured.Value, "the other file is read")
			var states []string
			for _, s := range doc.Sources {
				if s.Name == "bios" {
					states = append(states, s.State)
				}
			}
			assert.ElementsMatch(t, []string{c.state, "ok"}, states)
		})
	}
}

// A file of an unknown form: the hint is the command for the machine, or every vendor's if its own is not known.
func TestBIOSHint(t *testing.T) {
	t.Parallel()
	file := export(t, "hello\n")
	for root, want := range map[string]string{
		"dell-r610-good":         "for this machine (Dell PowerEdge R610), memaudit reads what this writes: syscfg -o FILE\n",
		"dell-r740-errors":       "(Dell PowerEdge R740), memaudit reads what this writes: racadm get BIOS.SysProfileSettings\n",
		"supermicro-rome-half":   "memaudit reads what this writes: sum -c GetCurrentBiosCfg --file FILE\n",
		"supermicro-x7db8-deep":  everyWriter,
		"fujitsu-rx600s6-class1": everyWriter,
	} {
		status, _, errs := run(nil, "check", "--root", tree(t, root), "--bios", file)
		assert.Equal(t, 3, status, root)
		assert.Contains(t, errs, want, root)
	}
	_, _, errs := run(nil, "check", "--bios", file)
	assert.Contains(t, errs, everyWriter)
}

// Another vendor's export is reported as such, and no finding on it is above info.
func TestBIOSOfAnotherMachine(t *testing.T) {
	t.Parallel()
	file := export(t, `{"MinProcIdlePower": "C6", "ProcSMT": "Enabled", "ProcAMDBoost": "Disabled"}`)
	root := tree(t, "dell-r610-good")
	out := must(t, "inventory", "--root", root, "--bios", file, "--format", "json")
	doc := decoded[settingsOf](t, out)
	assert.Equal(t, "disabled", *doc.Settings["turbo"].Configured.Value)
	said := false
	for _, s := range doc.Sources {
		said = said || s.Name == "bios" && s.State == "partial" && strings.Contains(s.Detail, "the export is of a machine of HPE, and this one is of Dell Inc.")
	}
	assert.True(t, said, out)
	status, out, errs := run(nil, "check", "--root", root, "--bios", file, "--profile", "max-performance", "--format", "json", "--fail-on", "never")
	require.Equal(t, 3, status, errs)
	assert.Contains(t, out, "but no document confirms what the export says of", "a failure in doubt decides nothing")
	report := decoded[struct {
		Findings []struct{ Rule, Result, Severity string }
	}](t, out)
	for _, f := range report.Findings {
		if f.Result == "fail" && (f.Rule == "setting.turbo" || f.Rule == "settings.conflict") {
			assert.Equal(t, "info", f.Severity, f.Rule)
		}
	}
}

// The configuration names exports of the live machine; they are not used for a capture.
func TestBIOSConfigured(t *testing.T) {
	t.Parallel()
	conf := fileOf(t, "memaudit.yaml", "bios: ["+export(t, exportText)+"]\n")
	p, _, _ := newProgram(nil)
	c, err := p.loadConfig(conf)
	require.NoError(t, err)
	files, err := (&inputFlags{conf: c}).biosFiles()
	require.NoError(t, err)
	assert.Equal(t, c.BIOS, files)
	files, err = (&inputFlags{conf: c, root: "x"}).biosFiles()
	require.NoError(t, err)
	assert.Empty(t, files)
}
