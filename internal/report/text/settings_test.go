package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// TestSettingsTable: every face, who decided, what each rests on; a setting
// that the machine lacks is told from one that is not known.
func TestSettingsTable(t *testing.T) {
	face := func(value, path string) report.Face {
		return report.Face{Value: new(value), State: "ok", Certainty: "direct", Evidence: []report.Evidence{{Source: "bios", Path: new(path), Raw: new(value)}}}
	}
	inv := &report.Inventory{Settings: map[string]report.Setting{
		"turbo": {Configured: face("enabled", "a.json"), Pending: face("disabled", "a.json"),
			Effective: report.Face{Value: new("disabled"), State: "ok", Certainty: "indirect", Evidence: []report.Evidence{{Source: "cpufreq", Path: new("/no_turbo"), Raw: new("1")}}},
			DecidedBy: report.DecidedBy{Value: new("administrator"), Certainty: "indirect", Evidence: []report.Evidence{{Source: "cpufreq", Path: new("/no_turbo"), Raw: new("1")}}}},
		"hemisphere_mode": {Configured: report.Face{State: "absent", Reason: new("not offered by this machine's BIOS")}},
		"determinism":     {Effective: report.Face{State: "absent", Reason: new("the kernel does not show it"), KnownBy: new("--bios FILE")}},
		"df_c_states":     {Effective: report.Face{State: "absent", Reason: new("the kernel does not show it"), KnownBy: new("--bios FILE")}},
	}}
	var b strings.Builder
	require.NoError(t, WriteInventory(&b, inv, Options{Settings: true}))
	_, table, ok := strings.Cut(b.String(), "SETTINGS")
	require.True(t, ok)
	require.Equal(t, `  2 of 4 known; '-' is not known
  setting          configured   pending   effective  decided by     certainty
  hemisphere_mode  not offered  -         -          -              -
  turbo            enabled      disabled  disabled   administrator  indirect
      bios a.json: enabled
      bios a.json: disabled
      cpufreq /no_turbo: 1
  not known: determinism, df_c_states
      the kernel does not show it; --bios FILE
`, strings.TrimRight(table, "\n")+"\n")
}

// differing are failures of settings, each found so where enabled was wanted.
func differing(ids ...string) []report.Finding {
	var out []report.Finding
	for _, id := range ids {
		out = append(out, report.Finding{Rule: "setting." + id, Subject: "setting " + id, Result: "fail", Severity: "info", Found: new("disabled (effective)"), Expected: new("enabled"),
			Citation: &report.Citation{Vendor: "Dell", Title: "Guide", Place: new("page 4")}})
	}
	return out
}

// TestSettingsUnlikeTheProfile: a table of what was found and what is wanted; of up to four
// each has below it what it costs and how it is set, where there is room; the document once.
func TestSettingsUnlikeTheProfile(t *testing.T) {
	remedy, menu := "racadm set BIOS.Smt Enabled\nSystem BIOS > SMT", "set SMT (the second thread) to Enabled in the BIOS setup (or with racadm)"
	findings := differing("smt", "turbo")
	findings[0].Remedy, findings[0].Effect = &remedy, &report.Effect{Text: "a tenth is lost (Figure 3)"}
	findings[1].Remedy = &menu
	r := &report.Report{Profile: &report.Profile{ID: "example/hpc"}, ProfileAsked: true}
	printed := func(tight int, findings []report.Finding) string {
		return partOf(Options{}, tight, func(p *printer) { p.settingFailures(r, failureGroups(findings)) })
	}
	table := `INFO      2 settings unlike example/hpc
  setting  found     wanted   matters
  smt      disabled  enabled  info
`
	require.Equal(t, table+`      a tenth is lost
      set by: racadm set BIOS.Smt Enabled
  turbo    disabled  enabled  info
      BIOS setup: set SMT
  source    Dell, Guide, page 4
`, printed(0, findings))
	require.Equal(t, table+`      set by: racadm set BIOS.Smt Enabled
  turbo    disabled  enabled  info
      BIOS setup: set SMT
  source    Dell, Guide, page 4
`, printed(1, findings), "what it costs needs more room")
	bare := `  turbo    disabled  enabled  info
  source    Dell, Guide, page 4
`
	require.Equal(t, table+bare+"  set by    -v prints what each does and how it is set\n", printed(2, findings))
	require.Equal(t, table+bare, printed(tightest, findings))
	r.ProfileAsked = false
	require.NotContains(t, printed(tightest, findings), "source")
	require.Contains(t, printed(tightest-1, findings), "\n  source    Dell, Guide, page 4\n")
	require.Contains(t, printed(0, findings), "INFO      2 settings unlike example/hpc (not asked for)\n")
	r.Profile = nil
	require.Contains(t, printed(0, findings), "INFO      2 settings unlike the profile\n")
	// Of five the table alone is printed, of four on a roomy page each with its notes.
	for n, notes := range map[int]bool{4: true, 5: false} {
		several := differing("a", "b", "c", "d", "e")[:n]
		several[0].Remedy = &remedy
		require.Equal(t, notes, strings.Contains(printed(0, several), "set by: racadm"))
		require.NotContains(t, printed(1, several), "set by: racadm")
	}
	// An advice that sets several is named, and its settings have no way of their own.
	findings[0].Advice = []string{"settings"}
	require.Contains(t, printed(0, findings), "\n  set by    one step for 1 of 2, see ADVICE\n")
	require.NotContains(t, printed(0, findings), "racadm")
	// Two places of one document are named without, another document beside it.
	more := differing("a", "b", "c")
	more[1].Citation.Place, more[2].Citation.Title = new("page 5"), "Handbook"
	require.Contains(t, printed(0, more), "\n  source    Dell, Guide\n  source    Dell, Handbook, page 4\n")
	more[0].Citation = nil
	require.Contains(t, printed(0, more), "\n  source    Dell, Guide, page 5\n  source    Dell, Handbook, page 4\n")
	// A document that a cause named before is not named again.
	require.NotContains(t, partOf(Options{}, 0, func(p *printer) {
		p.said["DellGuide"] = true
		p.settingFailures(r, failureGroups(findings))
	}), "source")
	require.Empty(t, printed(0, failing("memory.x", "found")))
	require.Contains(t, partOf(Options{Verbose: true}, 0, func(p *printer) { p.settingFailures(r, failureGroups(findings)) }), "INFO      setting.smt   setting smt\n  found     disabled (effective)\n")
}

// TestClause: a sentence up to what it explains or adds.
func TestClause(t *testing.T) {
	for in, want := range map[string]string{
		"a tenth (Figure 3); more": "a tenth", "set it, or leave it": "set it", "set it, then reboot": "set it", "one; two": "one", "a, b and c": "a, b and c",
	} {
		require.Equal(t, want, clause(in))
	}
}

// TestWhySettingsAreNotKnown: each reason once, the kernel's before that of BIOS setup; the
// certainty is that of the weakest face that is known, and only readings of such are listed.
func TestWhySettingsAreNotKnown(t *testing.T) {
	s := report.Setting{Effective: report.Face{Reason: new("not shown"), KnownBy: new("--bios FILE"), Certainty: "none", Evidence: []report.Evidence{{Source: "hidden"}}},
		Configured: report.Face{Reason: new("no export"), KnownBy: new("--bios FILE")}}
	require.Equal(t, "not shown; --bios FILE; no export", settingWhy(&s))
	require.Empty(t, settingCertainty(&s))
	require.Empty(t, settingReadings(&s))
	s.Pending = report.Face{Value: new("on"), Certainty: "direct", Evidence: []report.Evidence{{Source: "bios"}, {Source: "bios"}}}
	require.Equal(t, "direct", settingCertainty(&s))
	require.Equal(t, []string{"bios"}, settingReadings(&s))
	s.Configured = report.Face{Value: new("on"), Certainty: "corroborated", Evidence: []report.Evidence{{Source: "export"}}}
	require.Equal(t, "corroborated", settingCertainty(&s))
	s.Effective.Value, s.Effective.Certainty = new("on"), "indirect"
	require.Equal(t, "indirect", settingCertainty(&s))
	require.Equal(t, []string{"export", "bios", "hidden"}, settingReadings(&s))
	s.DecidedBy.Evidence = []report.Evidence{{Source: "cmdline"}}
	require.Equal(t, []string{"export", "bios", "hidden"}, settingReadings(&s), "nobody is known to have decided")
	s.DecidedBy.Value = new("command line")
	require.Equal(t, []string{"export", "bios", "hidden", "cmdline"}, settingReadings(&s))
	var b strings.Builder
	require.NoError(t, WriteInventory(&b, &report.Inventory{Settings: map[string]report.Setting{"a": {}, "b": {Pending: s.Pending}}}, Options{}))
	require.Contains(t, b.String(), "\nSETTINGS  1 of 2 known; '-' is not known\n  setting  configured  pending  effective  certainty  evidence\n  b        -           on       -          direct     bios\n  not known: a\n")
	b.Reset()
	require.NoError(t, WriteInventory(&b, &report.Inventory{Settings: map[string]report.Setting{"a": {}}}, Options{}))
	require.Contains(t, b.String(), "\nSETTINGS  0 of 1 known; '-' is not known\n  not known: a\n")
}
