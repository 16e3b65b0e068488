package knowledge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/knowledge"
)

// files are the built-in files that are not packs.
func files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"platforms/*.yaml", "slots/*.yaml", "settings/*.yaml", "parts/*.yaml", "events/*.yaml", "processors.csv", "platforms/sources.tsv", "slots/sets.tsv", "slots/order.tsv"} {
		names, err := fs.Glob(edited, pattern)
		require.NoError(t, err)
		for _, name := range names {
			data, err := fs.ReadFile(edited, name)
			require.NoError(t, err)
			out[name] = string(data)
		}
	}
	require.Greater(t, len(out), 55)
	return out
}

// schemas are read once for all tests.
var schemas = knowledge.NewBase(edited)

var edited = os.DirFS("../../../rules")

// TestShippedFilesAreWellFormed checks that the built-in files pass the checks for a site's files, and that editors
// that read the schemas accept them.
func TestShippedFilesAreWellFormed(t *testing.T) {
	for name, text := range files(t) {
		file := knowledge.Parse(name, []byte(text))
		assert.NotEqual(t, knowledge.Pack, file.Kind, name)
		for _, f := range file.Check(schemas, true) {
			t.Error(f)
		}
		if file.Kind != knowledge.Processors && file.Kind != knowledge.Table {
			require.NoError(t, whole(t, file.Kind, text), name)
		}
	}
}

// wholeSchemas are the schemas as that implementation reads them, once for all files.
var wholeSchemas = map[knowledge.Kind]*validator.Schema{}

func wholeSchema(t *testing.T, kind knowledge.Kind) *validator.Schema {
	t.Helper()
	if schema := wholeSchemas[kind]; schema != nil {
		return schema
	}
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "rules", string(kind)+".schema.json"))
	require.NoError(t, err)
	doc, err := validator.UnmarshalJSON(strings.NewReader(string(raw)))
	require.NoError(t, err)
	c := validator.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	schema, err := c.Compile("schema.json")
	require.NoError(t, err)
	wholeSchemas[kind] = schema
	return schema
}

// whole is another implementation's result for a file: nil, or the error.
func whole(t *testing.T, kind knowledge.Kind, text string) error {
	t.Helper()
	schema := wholeSchema(t, kind)
	for dec := yaml.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		data, err := json.Marshal(named(v))
		require.NoError(t, err)
		value, err := validator.UnmarshalJSON(strings.NewReader(string(data)))
		require.NoError(t, err)
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
}

// named gives every mapping keys that JSON allows.
func named(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = named(v[k])
		}
	case map[any]any:
		out := map[string]any{}
		for k, value := range v {
			out[fmt.Sprint(k)] = named(value)
		}
		return out
	case []any:
		for i := range v {
			v[i] = named(v[i])
		}
	}
	return v
}

// TestFaultsHaveTheirPlace damages built-in files and expects one line with the fault and its place. If the schema
// alone decides, the other implementation refuses the file too.
func TestFaultsHaveTheirPlace(t *testing.T) {
	all := files(t)
	for _, c := range []struct {
		file, old, replacement, want string
		schema                       bool
	}{
		{"platforms/westmere-ep.yaml", "max_dpc: 3", "max_dpc: three", `platforms/westmere-ep.yaml:6:10: max_dpc: "three", expected a whole number`, true},
		{"platforms/westmere-ep.yaml", "name: ", "nam: ", `platforms/westmere-ep.yaml:3:1: unknown key "nam", expected one of `, true},
		{"platforms/westmere-ep.yaml", "policy: 'any'", "policy: some", `platforms/westmere-ep.yaml:7:9: policy: "some", expected one of any, symmetric-imc, `, true},
		{"platforms/westmere-ep.yaml", "[1333, 1333, 800]", "[1333, 1333, 800, 800]", `platforms/westmere-ep.yaml:10:15: speeds.rdimm-1r2r: 4 cells, but max_dpc is 3`, false},
		{"platforms/westmere-ep.yaml", "[1333, 1333, 800]", "[800, 1333, 800]", `speeds.rdimm-1r2r: 1333 after 800: the speed rises with depth`, false},
		{"platforms/westmere-ep.yaml", "IBM-X3550M3-PG", "NO-SUCH", "sources: NO-SUCH is not in rules/platforms/sources.tsv", false},
		{"platforms/westmere-ep.yaml", "[1333, 1333, 800]", "[1333, 1333]", "speeds.rdimm-1r2r: 2 cells, but max_dpc is 3", false},
		{"platforms/westmere-ep.yaml", "{udimm: 2,", "{lrdimm: 2,", "max_dpc_of: lrdimm has no row in speeds", false},
		{"platforms/westmere-ep.yaml", "{udimm: 2,", "{udimm: 3,", "max_dpc_of.udimm: 3, expected fewer than max_dpc, 3", false},
		{"platforms/westmere-ep.yaml", "rdimm-1r2r:", "rdim:", "speeds: unknown kind rdim, expected rdimm, ", false},
		{"platforms/westmere-ep.yaml", "[1333, 1333, 800]", "[1334, 1333, 800]", "speeds.rdimm-1r2r: 1334 MT/s is printed as 1333", false},
		{"platforms/cascade-lake-sp.yaml", "max_mts: 2666, source: 'GIGAMON-FM'", "max_mts: 2666, source: 'NO-SUCH'", "boards: source NO-SUCH is not one of the platform's sources", false},
		{"platforms/cascade-lake-sp.yaml", "slots: 12, source: 'DELL-CLX-BAL'", "slots: 12, source: 'NO-SUCH'", "measured: source NO-SUCH is not one of the platform's sources", false},
		{"platforms/cascade-lake-sp.yaml", "8: [0.66, 0.66]", "8: [0.66]", "measured[1].dimms.8: 1 numbers, expected the lowest and the highest share", false},
		{"platforms/cascade-lake-sp.yaml", "dense-boards: [2933, 2666]", "dense-boards: [2666, 2933]", "speeds.dense-boards: 2933 after 2666: the speed rises with depth", false},
		{"platforms/westmere-ex.yaml", "[0, 2], [5, 7]", "[0, 2, 8], [5, 7]", "platforms/westmere-ex.yaml:12:29: lockstep_channels[1]: 3 channels, expected 2", true},
		{"platforms/westmere-ex.yaml", "[0, 2], [5, 7]", "[0], [5, 7]", "platforms/westmere-ex.yaml:12:29: lockstep_channels[1]: 1 channel, expected 2", true},
		{"platforms/westmere-ex.yaml", "[0, 2], [5, 7]", "[0, 8], [5, 7]", "platforms/westmere-ex.yaml:12:33: lockstep_channels: channel 8, but channels_per_socket is 8", false},
		{"platforms/westmere-ex.yaml", "[0, 2], [5, 7]", "[0, 3], [5, 7]", "platforms/westmere-ex.yaml:12:33: lockstep_channels: channel 3 is listed twice", false},
		{"platforms/ampere-altra.yaml", "vendor: 'Ampere'", "vendor: 'Amper'", `citation: the vendor of AMPERE-ALTRA is "Amper", in rules/platforms/sources.tsv "Ampere"`, false},
		{"platforms/westmere-ep.yaml", `Xeon\(R\)`, `Xeon(R`, "error parsing regexp", false},
		{"platforms/westmere-ep.yaml", "---", "", "recognise: belongs in a second document, after a line of --- alone", false},
		{"platforms/westmere-ep.yaml", "id: westmere-ep", "id: Westmere EP", `id: "Westmere EP" does not match ^[a-z0-9][a-z0-9-]*$, expected small letters, the file's name`, true},
		{"platforms/westmere-ep.yaml", "controllers: 1", "controllers: 2", "controllers: 2, expected a divisor of channels_per_socket, which is 3", false},
		{"platforms/westmere-ep.yaml", "vendor: 'GenuineIntel'", "vendor: Intel", `recognise[0].vendor: "Intel", expected GenuineIntel: the processor's own word`, false},
		{"platforms/milan.yaml", "vendor: 'AuthenticAMD'", "vendor: AMD", `recognise[0].vendor: "AMD", expected AuthenticAMD: the processor's own word`, false},
		{"platforms/westmere-ep.yaml", `Xeon\(R\)`, `Xeon(R)`, "expected \\(R\\) and \\(TM\\): without \\ they are groups of the expression", false},
		{"slots/dell.yaml", "check: [label]", "check: [guess]", `slots/dell.yaml:5:`, true},
		{"slots/dell.yaml", "[1, 4, 7]", "[1, 4, 4]", "dell-11g-3ch: slot 4 is listed twice in groups", false},
		{"slots/dell.yaml", "RASD-LABELS", "NO-SUCH", "source NO-SUCH is not in sources.yaml beside the maps", false},
		{"slots/dell.yaml", "locators: [dell]", "locators: [delll]", "delll is not a pattern of locators.yaml", false},
		{"slots/dell.yaml", "controllers: [0, 0, 0, 1, 1, 1]", "controllers: [0, 0, 1, 1]", "controllers has 4 channels, groups 6", false},
		{"slots/locators.yaml", "P{cpu}-DIMM{slot:1}{L}", "P{gpu}-DIMM{slot:1}{L}", "unknown field {gpu}, expected one of cpu, p, ", false},
		{"slots/locators.yaml", "{cpu=2}RISER", "{cpu=two}RISER", "unknown field {cpu=two}, expected one of cpu, p, ", false},
		{"slots/locators.yaml", "schema: 1\n", "", "slots/locators.yaml:17:1: schema is missing", true},
		{"slots/locators.yaml", "schema: 1\n", "schema: 2\n", `slots/locators.yaml:17:9: schema: "2", expected 1`, true},
		{"slots/dell.yaml", "schema: 1\n", "schema: 2\n", `slots/dell.yaml:2:9: schema: "2", expected 1`, true},
		{"slots/dell.yaml", "schema: 1\n", "schema: 0\n", `slots/dell.yaml:2:9: schema: "0", expected 1`, true},
		{"slots/sources.yaml", "schema: 1\n", "schema: 2\n", `schema: "2", expected 1`, true},
		{"parts/samsung.yaml", "schema: 1\n", "schema: 2\n", `parts/samsung.yaml:2:9: schema: "2", expected 1`, true},
		{"settings/dell.yaml", "vendor: Dell\n", "schema: 2\nvendor: Dell\n", `unknown key "schema", expected one of `, true},
		{"platforms/westmere-ep.yaml", "id: westmere-ep\n", "schema: 2\nid: westmere-ep\n", `unknown key "schema", expected one of `, true},
		{"slots/dell.yaml", "schema: 1\n", "schema: 1\n<<: [{unheard: 1}, {vendor: 2}]\n", `slots/dell.yaml:3:7: unknown key "unheard", expected one of `, false},
		{"slots/dell.yaml", "schema: 1\n", "<<: [{schema: 2}, {schema: 1}]\n", `slots/dell.yaml:2:15: schema: "2", expected 1`, false},
		{"slots/locators.yaml", "node: controller", "node: socke", "expected one of socket, controller, auto, ignore", true},
		{"settings/dell.yaml", "source: R650", "source: R65", "source R65 is not listed under sources", false},
		{"settings/dell.yaml", "vendor: Dell\n", "vendr: Dell\n", "vendor is missing", true},
		{"settings/dell.yaml", "  energy_efficient_turbo:", "  efficient_turbo:", "settings.efficient_turbo: is not in rules/settings/vocabulary.tsv", false},
		{"settings/dell.yaml", "values: {DynamicUFS: dynamic", "values: {DynamicUFS: dynamical", `settings.uncore_frequency[0].values.DynamicUFS: "dynamical", expected one of dynamic`, false},
		{"settings/dell.yaml", "EnergyEfficientTurbo, group: BIOS.SysProfileSettings, menu: System Profile Settings > Energy Efficient Turbo, values: *switch", "EnergyEfficientTurbo, group: BIOS.SysProfileSettings", "settings.energy_efficient_turbo[0]: needs values: the vendor's word and one of enabled, disabled", false},
		{"settings/hpe.yaml", "JavaLatency: {sub_numa: nps2", "JavaLatency: {sub_numa: nps3", `masters[2].means.JavaLatency.sub_numa: "nps3", expected one of `, false},
		{"settings/hpe.yaml", "JavaLatency: {sub_numa: nps2", "JavaLatency: {turbo: enabled, sub_numa: nps2", "masters[2].means.JavaLatency.turbo: a word of a setting that the preset does not lock", false},
		{"settings/hpe.yaml", "locks: [sub_numa, l3_as_numa, smt, determinism", "locks: [sub_numa, l3_as_numa, smt2, determinism", "masters[2].locks[2]: smt2 is not in rules/settings/vocabulary.tsv", false},
		{"settings/lenovo.yaml", "- {source: SR635V3, for: [genoa]}", "- {source: NO-SUCH, for: [genoa]}", "generations[7].source: source NO-SUCH is not listed under sources", false},
		{"parts/samsung.yaml", "- {by: [depth], gives: size_gb", "- {by: [deep], gives: size_gb", `samsung-ddr4: match has no group "deep"`, false},
		{"parts/samsung.yaml", "check: [doc, field]", "check: [guess]", "expected one of doc, field, infer", true},
		{"parts/samsung.yaml", "sources: [SAM-DDR4-PG", "sources: [NO-SUCH", "samsung-ddr4: source NO-SUCH is not listed under sources", false},
		{"parts/samsung.yaml", `"ddr": "DDR4"`, `"ddr": "DDR9"`, `parts[0].fixed.ddr: "DDR9", expected one of DDR2, DDR3, DDR4, DDR5`, true},
		{"slots/sets.tsv", "set\tdell-11g-9\t", "set\tdell-11g-6\t", "block dell-11g-6 is listed twice", false},
		{"slots/sets.tsv", "set\tdell-11g-9\t", "sets\tdell-11g-9\t", `slots/sets.tsv:9:1: "sets" before the first block`, false},
		{"slots/sets.tsv", "\nset\tdell-11g-9\t\tPowerEdge R710;PowerEdge T710;PowerEdge M710", "\nset\tdell-11g-9\t\t", "dell-11g-9: no product", false},
		{"slots/sets.tsv", "PowerEdge M710\n", "PowerEdge M710\t12+\n", `dell-11g-9: counted "12+", expected such as +12, 33-n, letters, letters from 0 or 2 boards`, false},
		{"slots/sets.tsv", "1/1,1/8,2/1,2/8", "1/1,1/8,2/1,8", `4 modules in 1/1,1/8,2/1,8: "8" is not a slot`, false},
		{"slots/sets.tsv", "C0,D0,G0,H0", "C0,D0,G0,H", `"H" is not a slot`, false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "2\t1,1\tlisted", "slots/sets.tsv:11:1: dell-11g-9: 2 modules in 1,1: expected 2 different slots", false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "2\t1,A2\tlisted", `2 modules in 1,A2: "A2" is not a slot`, false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "2\t1,2\tgood", `grade "good", expected one of balanced, `, false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "2\t-\tlisted", `sets "-" and grade "listed", - goes with not-allowed`, false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "1\t2\tlisted", "dell-11g-9: 1 module: two rows", false},
		{"slots/sets.tsv", "2\t1,2\tlisted", "two\t1,2\tlisted", `"two" modules, expected a number from one`, false},
		{"slots/sets.tsv", "2\t1,2\tlisted\tDell, PowerEdge R610 Technical Guide p29", "2\t1,2\tlisted\t", "the document of 2 modules is missing", false},
		{"slots/sets.tsv", "2\t1,2\tlisted\t", "2\t1,2\t", "dell-11g-9: 5 fields, expected 6", false},
		{"slots/order.tsv", "S1200SP\tDIMM_A2,DIMM_A1\t", "S1200SP DIMM_A2,DIMM_A1 ", "2 fields, expected 3: boards, labels of one channel, document (and its address)", false},
		{"slots/order.tsv", "\nS5500BC\t", "\nS1200SP\t", "S1200SP is listed twice", false},
		{"slots/order.tsv", "\nS5500BC\t", "\nS5500BC;\t", "a board without a name", false},
		{"slots/order.tsv", "DIMM_A2,DIMM_A1", "DIMM_A2,DIMM_B1", `S1200SP: labels "DIMM_A2,DIMM_B1", expected those of one channel`, false},
		{"slots/order.tsv", "DIMM_A2,DIMM_A1", "DIMM_A2,DIMM_A2", `S1200SP: labels "DIMM_A2,DIMM_A2", expected those of one channel`, false},
		{"slots/order.tsv", "DIMM_A2,DIMM_A1", "2,1", `S1200SP: labels "2,1", expected those of one channel`, false},
		{"slots/order.tsv", "DIMM_A2,DIMM_A1", ",", `S1200SP: labels ",", expected those of one channel`, false},
		{"slots/order.tsv", "DIMM_A2,DIMM_A1", "DIMM_A2", "S1200SP: one label, expected the labels of a channel in the order in which they are filled", false},
		{"slots/order.tsv", "Intel, Server Board S1200SP Family Technical Product Specification, 3.3.1.1, p19", "TPS", `S1200SP: document "TPS", expected vendor, title and place`, false},
		{"platforms/sources.tsv", "\nAMPERE-ONE\t", "\nAMPERE-ALTRA\t", "key AMPERE-ALTRA is listed twice", false},
		{"platforms/sources.tsv", "\tprocessor\tnumber speed", "\tmaker of it\tnumber speed", `AMD-EPYC-LIST: authority "maker of it", expected one of maker, processor, third, collection, unread`, false},
		{"platforms/sources.tsv", "\tprocessor\tnumber speed", "\tprocessor\tnumber clock", `AMD-EPYC-LIST: says "clock", expected words of channels, `, false},
		{"platforms/sources.tsv", "\nAMPERE-ONE\tAmpere\t", "\nAMPERE-ONE\tAmpere\t\t", "10 fields, expected 9", false},
		{"platforms/sources.tsv", "\tPowerEdge M620\n", "\t\n", "DELL-M620-P32: models is empty", false},
		{"processors.csv", "amd epyc 7203,amd", "amd epyc 9999,amd", "rows are in the order of their keys, each key once", false},
	} {
		text := strings.Replace(all[c.file], c.old, c.replacement, 1)
		require.NotEqual(t, all[c.file], text, c.old)
		var said []string
		file := knowledge.Parse(c.file, []byte(text))
		for _, f := range file.Check(schemas, true) {
			said = append(said, f.String())
			assert.Regexp(t, `^[a-z./-]+:\d+:\d+: .+$`, f.String())
		}
		assert.Contains(t, strings.Join(said, "\n"), c.want)
		if c.schema {
			require.Error(t, whole(t, file.Kind, text), c.want)
		}
	}
}

// TestSitesDocument checks that a site's platform may define its document in its citation, and that one of the
// project's own is listed with the others.
func TestSitesDocument(t *testing.T) {
	text := strings.NewReplacer("key: 'AMPERE-ALTRA'", "key: OWN", "sources: [AMPERE-ALTRA,", "sources: [OWN,").Replace(files(t)["platforms/ampere-altra.yaml"])
	assert.Empty(t, knowledge.Parse("platforms/own.yaml", []byte(text)).Check(schemas, false))
	faults := knowledge.Parse("platforms/own.yaml", []byte(text)).Check(schemas, true)
	require.Len(t, faults, 1)
	assert.Equal(t, "platforms/own.yaml:14:11: sources: OWN is not in rules/platforms/sources.tsv", faults[0].String())
}

// FuzzCheck checks that no file makes the check panic, and that a fault is one line.
func FuzzCheck(f *testing.F) {
	f.Add("id: a\nname: b\nsources: [x]\n---\nrecognise: [{brand: '('}]\n")
	f.Add("schema: 1\nmaps:\n  - {id: a, models: [x], locators: [y], check: [doc], sources: [z]}\n")
	f.Add("a: &a {<<: *a}\nmaps: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"x.yaml", "x.csv"} {
			for _, fault := range knowledge.Parse(name, []byte(text)).Check(schemas, false) {
				if strings.Contains(fault.String(), "\n") {
					t.Errorf("%q", fault.String())
				}
			}
		}
	})
}
