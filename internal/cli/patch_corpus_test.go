//go:build corpus

package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// patchable is an export of the corpus and the machine that it is of, as the
// corpus's index describes it.
type patchable struct {
	file, product, platform string
	// registry is a registry of the corpus that belongs to the export.
	registry string
	// resolved marks that the registry is given with the export.
	resolved bool
}

var patchables = []patchable{
	{"bios-cli/dell-racadm-get.txt", "PowerEdge R720", "sandybridge-ep", "", false},
	{"bios-cli/dell-scp-c6320.xml", "PowerEdge C6320", "haswell-ep", "", false},
	{"bios-cli/dell-scp-r6515.json", "PowerEdge R6515", "rome", "", false},
	{"bios-cli/dell-syscfg-11g-shape.txt", "PowerEdge R710", "nehalem-ep", "", false},
	{"bios-cli/dell-wsman-bios_enumeration.xml", "PowerEdge R720", "sandybridge-ep", "", false},
	{"bios-cli/hp-conrep-shape.xml", "ProLiant DL380p Gen8", "sandybridge-ep", "", false},
	{"bios-cli/supermicro-sum-x11dph-t.xml", "X11DPH-T", "cascade-lake-sp", "", false},
	{"bios-cli/supermicro-sum-x11sch-f.xml", "X11SCH-F", "xeon-e-2100-2200", "", false},
	{"bios-cli/supermicro-sum-x11scm-f.xml", "X11SCM-F", "xeon-e-2100-2200", "", false},
	{"redfish/cisco-c220-m4s.json", "UCSC-C220-M4S", "broadwell-ep", "", false},
	{"redfish/cisco-c220-m5sx.json", "UCSC-C220-M5SX", "cascade-lake-sp", "", false},
	{"redfish/cisco-c225-m6s.json", "UCSC-C225-M6S", "milan", "", false},
	{"redfish/cisco-c240-m5sn.json", "UCSC-C240-M5SN", "cascade-lake-sp", "", false},
	{"redfish/cisco-s3260.json", "UCSC-C3K-M4SRB", "broadwell-ep", "", false},
	{"redfish/cray-ex235a-node0.json", "EX235a", "milan", "", false},
	{"redfish/cray-ex420-node0.json", "EX420", "ice-lake-sp", "", false},
	{"redfish/cray-ex425-node0.json", "EX425", "milan", "", false},
	{"redfish/dell-mx740c.json", "PowerEdge MX740c", "cascade-lake-sp", "", false},
	{"redfish/dell-r650.json", "PowerEdge R650", "ice-lake-sp", "", false},
	{"redfish/dell-r6615.json", "PowerEdge R6615", "genoa", "", false},
	{"redfish/dell-r670.json", "PowerEdge R670", "granite-rapids-sp", "", false},
	{"redfish/dell-r740-synthetic-min.json", "PowerEdge R740", "skylake-sp", "", false},
	{"redfish/gigabyte-ami-megarac.json", "R282-Z90-00", "rome", "gigabyte-ami", false},
	{"redfish/hpe-alletra4220-gen12-u71.json", "HPE Alletra Storage Server 4220 Gen12", "granite-rapids-sp", "hpe-u71-alletra4220-gen12", false},
	{"redfish/hpe-dl325-gen10plus-a43.json", "ProLiant DL325 Gen10 Plus", "rome", "hpe-a43-dl325-gen10plus", false},
	{"redfish/hpe-dl360-gen10plus-u46.json", "ProLiant DL360 Gen10 Plus", "ice-lake-sp", "hpe-u46-dl360-gen10plus", false},
	{"redfish/hpe-dl360-gen12-u68.json", "HPE ProLiant Compute DL360 Gen12", "granite-rapids-sp", "hpe-u68-dl360-gen12", false},
	{"redfish/hpe-dl380a-gen11-u58.json", "ProLiant DL380a Gen11", "sapphire-rapids", "hpe-u58-dl380a-gen11", false},
	{"redfish/hpe-gen10-u34-2018.json", "ProLiant DL360 Gen10", "skylake-sp", "", false},
	{"redfish/hpe-vserver-iserver.json", "ProLiant DL360 Gen10 Plus", "ice-lake-sp", "hpe-u46-dl360-gen10plus", false},
	{"redfish/hpe-xl675d-gen10plus-a47-a100.json", "ProLiant XL675d Gen10 Plus", "milan", "hpe-a47-xl675d-gen10plus", false},
	{"redfish/lenovo-se350-fixture.json", "ThinkSystem SE350", "xeon-d-2100", "", false},
	{"redfish/lenovo-sr635v3.json", "ThinkSystem SR635 V3", "genoa", "", false},
	{"redfish/lenovo-xcc-fixture.json", "ThinkSystem SR650 V2", "ice-lake-sp", "", false},
	{"redfish/lenovo-xcc-synthetic-min.json", "ThinkSystem SR650", "cascade-lake-sp", "", false},
	{"redfish/supermicro-as-1115cs-tnr.json", "AS -1115CS-TNR", "genoa", "", false},
	{"redfish/zt-systems-ami.json", "ZT", "ice-lake-sp", "zt-systems-ami", false},
}

// unpatched are the files of the corpus without a change, with the reason.
var unpatched = map[string]string{
	"bios-cli/asrockrack-e3c246d4i-nl.json":    "no form of a change is documented",
	"bios-cli/dell-wsman-bios_integer.xml":     nothingToChange,
	"bios-cli/dell-wsman-bios_string.xml":      nothingToChange,
	"bios-cli/ibm-asu-hs22-hpc.bat":            "what is to be set, not what is set",
	"bios-cli/ibm-asu-ls22-ls42-hpc.bat":       "what is to be set, not what is set",
	"bios-cli/ibm-asu-m2-m3-hpc.bat":           "what is to be set, not what is set",
	"bios-cli/ibm-asu-m4-hpc.bat":              "what is to be set, not what is set",
	"bios-cli/intel-syscfg-flexran-du.ini":     "no form of a change is documented",
	"redfish/dmtf-public-rackmount1-cray.json": nothingToChange,
	"redfish/dmtf-public-rackmount1.json":      nothingToChange,
	"redfish/supermicro-gb300-arm.json":        nothingToChange, // no setting of an x86 machine in it
	"redfish/sushy-hpe-like.json":              nothingToChange,
}

const nothingToChange = "0 to change"

// TestPatchEveryFile checks that every export of the corpus is patched below, or refused with the reason.
func TestPatchEveryFile(t *testing.T) {
	own := writeFile(t, filepath.Join(t.TempDir(), "wanted.yaml"), []byte(wanted))
	for _, file := range append(corpustest.Glob(t, "redfish/*.json"), corpustest.Glob(t, "bios-cli/*.*")...) {
		name := filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
		says, listed := unpatched[name]
		patched := slices.ContainsFunc(patchables, func(p patchable) bool { return p.file == name })
		if filepath.Ext(name) == ".md" || patched {
			continue
		}
		if !assert.True(t, listed, name) {
			continue
		}
		status, out, errs := run(nil, "profiles", "patch", "site/wanted", "--rules", own, "--root", emptyTree(t), "--bios", file)
		assert.Equal(t, says == nothingToChange, status == 0, "%s: %s", name, errs)
		assert.Empty(t, out, name)
		assert.Contains(t, errs, says, name)
	}
}

// TestPatchEveryExport makes the change for every export of the corpus, every profile for its machine and every
// format, applies it to the export with independent code and audits again: the changed settings pass, nothing is left
// to change, and no other attribute and no other setting differs.
func TestPatchEveryExport(t *testing.T) {
	b := newPatchBench(t)
	for i := range patchables {
		p := &patchables[i]
		t.Run(filepath.Base(p.file), func(t *testing.T) {
			if b.all(t, p); p.registry != "" {
				p.resolved = true
				b.all(t, p)
			}
		})
	}
	corpustest.LogCounts(t, "patches", b.counts)
}

// patchBench has the data shared by all runs, and counts them.
type patchBench struct {
	engine *audit.Engine
	tables settings.Tables
	counts map[string]int
	// records are the recorded values of every attribute, by its plain name.
	records map[string]string
}

func newPatchBench(t *testing.T) *patchBench {
	t.Helper()
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	engine := audit.NewEngine(packs).WithTables(func() (settings.Tables, error) { return tables, nil })
	b := &patchBench{engine: engine, tables: tables, counts: map[string]int{}, records: map[string]string{}}
	file := contentOf(t, "../../rules/settings/spellings.tsv")
	for line := range strings.Lines(string(file)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 6 {
			b.records[settings.PlainName(f[3])] += "|" + f[5]
		}
	}
	return b
}

// stand is one machine with an export.
type stand struct {
	sys    *inventory.System
	topo   *population.Result
	joined *collect.Export
}

// stand reads an export and the machine.
func (b *patchBench) stand(t *testing.T, p *patchable, raw string) *stand {
	t.Helper()
	in := collect.Input{Tables: func() (settings.Tables, error) { return b.tables, nil }}
	add := func(name, text string) {
		e, err := bios.Decode(name, []byte(text))
		require.NoError(t, err, name)
		in.Exports = append(in.Exports, collect.Export{Source: inventory.SourceBIOS, Path: name, Export: e})
	}
	add(p.file, raw)
	if p.registry != "" && p.resolved {
		add(p.registry, string(corpustest.Read(t, "redfish/registries/"+p.registry+".json")))
	}
	sys, joined := collect.WithExports(in)
	require.NotEmpty(t, joined)
	at := fact.Evidence{Source: inventory.SourceCPU}
	sys.Machine.Product = fact.Known(p.product, fact.Direct, at)
	topo := population.Derive(sys, rules.FS)
	topo.Platform = fact.Known(&platform.Platform{ID: p.platform}, fact.Direct, at)
	return &stand{sys, topo, joined[0]}
}

// all runs every profile and format of one export.
func (b *patchBench) all(t *testing.T, p *patchable) {
	raw := string(contentOf(t, corpustest.Dir(t, p.file)))
	now := b.stand(t, p, raw)
	fits := b.engine.FittingProfiles(now.sys, now.topo)
	if len(fits) == 0 {
		t.Logf("no profile is written for %s", p.product)
	}
	for _, fit := range fits {
		for _, f := range patch.Forms() {
			form, err := patch.ChooseForm(now.joined.Export, f)
			if err != nil {
				continue
			}
			if form == patch.OneCLI && now.joined.Export.Format == bios.Redfish {
				continue // OneCLI's words are not those of the file; patch's TestForms has them
			}
			b.one(t, p, raw, now, fit.ID, form)
		}
	}
}

// printed checks that a report and the patch agree: every line with a tool, of a setting that fails by BIOS setup's
// value, names an attribute and a value that the patch changes, and every change of the patch is in the remedy of the
// settings that fail for it.
func (b *patchBench) printed(t *testing.T, name string, now *stand, profile string, form patch.Form, chosen *audit.Chosen) {
	t.Helper()
	usual, err := patch.ChooseForm(now.joined.Export, "")
	require.NoError(t, err)
	if form != usual {
		return
	}
	changes := assess.MakePatch(now.joined, form, chosen).Changes
	o := audit.Options{Profile: profile, Asked: true, Changes: assess.Changes(func() []*collect.Export { return []*collect.Export{now.joined} })}
	found, err := b.engine.Run(now.sys, now.topo, o)
	require.NoError(t, err)
	failing := map[string]string{}
	for i := range found.Findings {
		f := &found.Findings[i]
		if f.Result != verdict.Fail || !strings.HasPrefix(f.Rule, "setting.") || !strings.Contains(string(f.Found), "(configured") {
			continue
		}
		failing[strings.TrimPrefix(f.Rule, "setting.")] = string(f.Remedy)
		for line := range strings.Lines(string(f.Remedy)) {
			tool := slices.ContainsFunc([]string{"racadm: ", "syscfg: ", "ilorest: ", "redfish: ", "sum: ", "BIOS attribute "}, func(s string) bool { return strings.Contains(line, s) })
			if !tool {
				continue
			}
			b.counts["lines of check"]++
			assert.True(t, slices.ContainsFunc(changes, func(c patch.Change) bool {
				return strings.Contains(line, c.Attribute.Name) && strings.Contains(line, c.To)
			}), "%s %s: %s", name, f.Rule, line)
		}
	}
	for _, c := range changes {
		for _, id := range append([]string{c.Setting}, c.Also...) {
			if remedy, fails := failing[id]; fails {
				b.counts["changes that check prints"]++
				assert.True(t, strings.Contains(remedy, c.Attribute.Name) && strings.Contains(remedy, c.To), "%s: %s %s -> %s, but check says: %s", name, id, c.Attribute.Name, c.To, remedy)
			}
		}
	}
}

// one is one export, profile and form.
func (b *patchBench) one(t *testing.T, p *patchable, raw string, now *stand, profile string, form patch.Form) {
	t.Helper()
	name := p.file + " " + profile + " " + string(form)
	chosen, _, err := b.engine.ChooseProfile(profile, now.sys, now.topo)
	require.NoError(t, err)
	made := assess.MakePatch(now.joined, form, chosen)
	b.printed(t, name, now, profile, form, chosen)
	b.counts["exports x profiles x forms"]++
	b.counts["rows open"] += len(made.Open)
	b.counts["rows met"] += len(made.Met)
	var text strings.Builder
	require.NoError(t, made.Write(&text, form))
	if text.Len() == 0 {
		b.counts["nothing to change"]++
		return
	}
	changes := sets(t, form, text.String())
	require.Len(t, changes, len(made.Changes), name)
	for i := range made.Changes {
		proven(t, name, now.joined.Export, &made.Changes[i], b.records)
	}
	b.counts["patches applied"]++
	b.counts["attributes changed"] += len(changes)
	changes = append(changes, b.firmware(t, p, made)...)
	then := b.stand(t, p, applied(t, now.joined.Export, raw, changes))
	b.again(t, name, chosen, made, then, form)
	nothingElse(t, name, made, now, then, changes)
}

// firmware does what the machine's firmware does when a preset is selected.
func (b *patchBench) firmware(t *testing.T, p *patchable, made *patch.Patch) []set {
	t.Helper()
	if len(made.Written) == 0 {
		return nil
	}
	var out []set
	if strings.HasPrefix(p.registry, "hpe-") {
		var registry struct {
			Profiles map[string]map[string]string `json:"ProfileMap"`
		}
		require.NoError(t, json.Unmarshal(corpustest.Read(t, "redfish/registries/"+p.registry+".json"), &registry))
		written, ok := registry.Profiles[made.Preset.To]
		require.True(t, ok, made.Preset.To)
		for _, name := range slices.Sorted(maps.Keys(written)) {
			if _, ok := made.Export.Attribute(name); ok {
				out = append(out, set{name: name, value: written[name]})
			}
		}
		return out
	}
	for _, n := range made.Written {
		name, value, ok := strings.Cut(n.Reason, " = ")
		require.True(t, ok, n.Reason)
		out = append(out, set{name: name, value: value})
	}
	return out
}

// again audits the changed machine.
func (b *patchBench) again(t *testing.T, name string, chosen *audit.Chosen, made *patch.Patch, then *stand, form patch.Form) {
	t.Helper()
	rest := assess.MakePatch(then.joined, form, chosen)
	for _, c := range rest.Changes {
		assert.Fail(t, "left to change", "%s: %s %s -> %s", name, c.Attribute.Name, c.From, c.To)
	}
	result, err := b.engine.Run(then.sys, then.topo, audit.Options{Profile: chosen.Profile.ID, Asked: true})
	require.NoError(t, err)
	open := map[string]bool{}
	for _, n := range made.Open {
		open["setting."+n.Setting] = true
	}
	want := map[string]bool{}
	for _, w := range chosen.Rows {
		want["setting."+w.ID] = true
	}
	for i := range result.Findings {
		f := &result.Findings[i]
		if !want[f.Rule] {
			continue
		}
		switch {
		case f.Result == verdict.Pass:
			b.counts["rows pass"]++
		case open[f.Rule]:
			b.counts["rows open "+string(f.Result)]++
		default:
			assert.Fail(t, "does not pass", "%s: %s %s %s %s", name, f.Rule, f.Result, f.Found, f.Reason)
		}
	}
}

// nothingElse checks that everything outside the change is as before, and that side effects are listed.
func nothingElse(t *testing.T, name string, made *patch.Patch, now, then *stand, changes []set) {
	t.Helper()
	was, is := now.joined.Export.Attributes, then.joined.Export.Attributes
	require.Len(t, is, len(was), name)
	for i := range was {
		if !slices.ContainsFunc(changes, func(c set) bool { return c.name == was[i].Name }) {
			assert.Equal(t, was[i], is[i], name)
		}
	}
	said := map[string]bool{}
	for _, c := range made.Changes {
		said[c.Setting] = true
		for _, id := range c.Also {
			said[id] = true
		}
	}
	for _, n := range append(slices.Clone(made.Written), made.SideEffects...) {
		said[n.Setting] = true
	}
	for _, id := range made.Met { // its own value, which a preset kept from acting
		said[id] = said[id] || !now.sys.Settings[id].Configured.Known()
	}
	for id, s := range now.sys.Settings {
		after := then.sys.Settings[id].Configured
		if before := s.Configured; !said[id] && (before.Value != after.Value || before.State != after.State) {
			assert.Fail(t, "another setting changed", "%s: %s was %v (%s), is %v (%s)", name, id, before.Value, before.Reason, after.Value, after.Reason)
		}
	}
}

// proven checks that a new value is one that the export offers, a value of a switch that it uses itself, or one on
// record for the attribute.
func proven(t *testing.T, name string, export *bios.Export, c *patch.Change, records map[string]string) {
	t.Helper()
	values := append(slices.Clone(c.Attribute.Options), settings.OtherWord(c.From))
	if export.Format == bios.DellSyscfg {
		values = append(values, "enable", "disable") // Dell's paper of 11G, Appendix B
	}
	for i := range export.Attributes {
		if v := export.Attributes[i].Value; settings.OtherWord(v) != "" {
			values = append(values, v)
		}
	}
	for _, v := range strings.Split(records[settings.PlainName(c.Attribute.Name)], "|") {
		word, _, _ := strings.Cut(v, "=")
		values = append(values, word)
	}
	assert.Contains(t, values, c.To, "%s: %s is not known to be spelled so", name, c.Attribute.Name)
}
