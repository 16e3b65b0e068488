package report

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
)

// compared are the configured settings of the machine.
var compared = map[string]string{"smt": "disabled", "turbo": "enabled", "memory_speed": "max"}

// heldRow is one setting beside a profile.
func heldRow(id string, result audit.Result, want ...string) (audit.Finding, *audit.WantedSetting) {
	f := audit.Finding{Rule: "setting." + id, Subject: "setting " + id, Result: result, Severity: audit.Info, Citation: dell11G()}
	w := &audit.WantedSetting{ID: id, Want: want}
	switch result {
	case audit.Pass:
		f.Found = compared[id] + " (configured)"
	case audit.Fail:
		f.Found, f.Remedy = compared[id]+" (configured)", "System BIOS > "+id+" = "+want[0]+"\nracadm set BIOS."+id+" "+want[0]
		f.Effect = &audit.Effect{Text: "+2 to +8 %", Source: "Dell, Figure 9"}
		w.Note, w.Exceptions = "the text says to test per application", []string{"a test shows a gain"}
	case audit.Unknown:
		f.Reason, f.KnownBy = "neither firmware's settings nor the kernel show it", "export the BIOS settings"
	case audit.NotApplicable:
		f.Reason = "concerns only processors with Turbo Boost"
	case audit.Waived, audit.Error:
	}
	return f, w
}

func held(id, intent string, closest bool, rows ...func() (audit.Finding, *audit.WantedSetting)) audit.Held {
	h := audit.Held{Profile: audit.Profile{ID: id, Intent: intent, Title: id, Citation: *dell11G()}, Intents: []string{intent}, Closest: closest}
	for _, row := range rows {
		f, w := row()
		h.Findings, h.Rows = append(h.Findings, f), append(h.Rows, w)
	}
	h.Summary = audit.Summarize(h.Findings)
	return h
}

func row(id string, result audit.Result, want ...string) func() (audit.Finding, *audit.WantedSetting) {
	return func() (audit.Finding, *audit.WantedSetting) { return heldRow(id, result, want...) }
}

// comparisons are made-up comparisons by name.
func comparisons() map[string]*audit.Comparison {
	power := row("power_policy", audit.Unknown, "firmware_dynamic")
	noSMT := row("smt", audit.Pass, "disabled")
	byAnalogy := held("dell-11g/low-latency", "low-latency", false, row("c_states", audit.Error, "disabled"), row("turbo", audit.NotApplicable, "enabled"))
	byAnalogy.Analogy = "the document speaks of R710"
	return map[string]*audit.Comparison{
		"unknown": {Held: []audit.Held{
			held("hpe-gen10plus-amd-7003/transactional-application-processing", "database", false, power, row("smt", audit.Unknown, "enabled")),
			held("hpe-gen10plus-amd-7003/general-power-efficient-compute", "energy-efficiency", false, power),
		}},
		"none": {Why: "no document gives a profile for this machine"},
		"some": {
			Held: []audit.Held{
				held("dell-11g/balanced", "balanced", true, power, noSMT, row("turbo", audit.Fail, "disabled")),
				held("dell-11g/max-performance", "max-performance", false, row("power_policy", audit.Unknown, "max_performance", "os_dynamic"),
					row("smt", audit.Fail, "enabled"), row("turbo", audit.Fail, "disabled"), row("memory_speed", audit.Pass, "max")),
				held("dell-11g/hpc", "hpc", true, power, noSMT, row("turbo", audit.Fail, "disabled")),
				byAnalogy,
			},
			Undecided: []audit.Undecided{{ID: "dell-11g/board", Reason: "whether the profile dell-11g/board is written for this machine is not known"}},
		},
	}
}

func eachComparison(t *testing.T, run func(t *testing.T, name string, c *Comparison)) {
	t.Helper()
	for name, held := range comparisons() {
		m := badMachine()
		for id, value := range compared {
			setting := m.sys.Settings[id]
			setting.Configured = direct(value)
			m.sys.Settings[id] = setting
		}
		c := BuildComparison(&m.sys, &m.topo, held, testOptions())
		t.Run(name, func(t *testing.T) { run(t, name, &c) })
	}
}

func TestComparisonGolden(t *testing.T) {
	eachComparison(t, func(t *testing.T, name string, c *Comparison) {
		for file, o := range map[string]TextOptions{"80": {}, "160": {Width: 160}, "verbose": {Verbose: true}} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, FormatText, c, o))
			golden(t, filepath.Join("testdata", "compare."+name+"."+file+".txt"), b.Bytes())
		}
		var b bytes.Buffer
		require.NoError(t, WriteComparison(&b, FormatJSON, c, TextOptions{}))
		golden(t, filepath.Join("testdata", "compare."+name+".json"), b.Bytes())
	})
}

// No line is wider than the page, down to the narrowest one.
func TestComparisonKeepsTheWidth(t *testing.T) {
	eachComparison(t, func(t *testing.T, _ string, c *Comparison) {
		for _, width := range []int{60, 80, 100, 120, 121, 160, 300} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, FormatText, c, TextOptions{Width: width, Verbose: true}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, columns(strings.TrimSuffix(line, "\n")), width, line)
				assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no blanks at the end")
			}
		}
	})
}

func TestComparisonKeepsItsSchema(t *testing.T) {
	comparison, report := committedSchema(t, "comparison.v1.json"), committedSchema(t, "report.v1.json")
	eachComparison(t, func(t *testing.T, name string, c *Comparison) {
		require.NoError(t, comparison.Validate(asJSON(t, c)))
		r := badMachine().report()
		without := asJSON(t, r).(map[string]any)
		assert.NotContains(t, without, "profiles", "there only when it was asked for")
		r.HoldAgainst(comparisons()[name])
		with := asJSON(t, r).(map[string]any)
		require.NoError(t, report.Validate(with))
		assert.Equal(t, asJSON(t, c).(map[string]any)["profiles"], with["profiles"])
		delete(with, "profiles")
		assert.Equal(t, without, with, "nothing else changes")
	})
}

func TestComparisonKeys(t *testing.T) {
	assert.Equal(t, []string{"id", "intent", "intents", "analogy", "title", "source", "closest", "agrees", "differs", "unknown", "not_applicable", "error", "settings"},
		keysOf(reflect.TypeFor[HeldProfile]()))
	assert.Equal(t, []string{"setting", "result", "severity", "wanted", "found", "reason", "known_by", "effect", "remedy", "note", "exceptions", "place"},
		keysOf(reflect.TypeFor[HeldSetting]()))
}

func TestFoldCell(t *testing.T) {
	for in, want := range map[string][]string{
		"= enabled":          {"= enabled"},
		"? firmware_dynamic": {"? firmware_", "  dynamic"},
		"! max or auto":      {"! max or auto"},
		"! disabled or auto": {"! disabled or", "auto"},
		"? abcdefghijklmnop": {"? abcdefghijk", "  lmnop"},
		"":                   {""},
	} {
		assert.Equal(t, want, foldCell(in, 13), in)
	}
}
