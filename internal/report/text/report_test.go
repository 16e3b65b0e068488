package text

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/place"
)

func textOf(t *testing.T, r *report.Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, r, o))
	return b.String()
}

// flat undoes line breaks, so that a wrapped phrase can be searched for.
func flat(s string) string { return strings.Join(strings.Fields(s), "") }

// TestEveryProblemIsPrinted checks at any width that the brief report has each problem above info with its rule and
// fix, and that the full one has the rule of every finding that is not a pass, with what was found or why it is
// unknown.
func TestEveryProblemIsPrinted(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		for _, width := range []int{0, 60, 160} {
			brief := flat(textOf(t, r, Options{Width: width}))
			for i := range r.Problems {
				if p := &r.Problems[i]; p.IsAboveNote() && !p.Settings() {
					assert.Contains(t, brief, p.Rule)
					assert.Contains(t, brief, flat(p.Fix), p.Rule)
				}
			}
			full := flat(textOf(t, r, Options{Width: width, Verbose: true}))
			for i := range r.Findings {
				f := &r.Findings[i]
				if f.Result == verdict.Pass || f.Result == verdict.NotApplicable {
					continue
				}
				assert.Contains(t, full, strings.TrimPrefix(f.Rule, "setting."))
				for _, s := range []nullable.String{f.Reason, f.KnownBy} {
					assert.Contains(t, full, flat(string(s)), f.Rule)
				}
			}
		}
	})
}

// fill sets every string field of a value to a hostile string.
func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), s)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, s)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(s).Convert(v.Type().Key()), e)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Interface: // the error of a fact
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(.5)
	default:
		panic("fill: " + v.Kind().String())
	}
}

// TestHostileStringsStayText checks that a terminal never executes firmware's strings.
func TestHostileStringsStayText(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\x1b[2J\n\r\u202e\u009b\xff内 x"
	for _, result := range []verdict.Result{verdict.Pass, verdict.Fail, verdict.Unknown, verdict.NotApplicable, verdict.Waived, verdict.Error, hostile} {
		var r report.Report
		fill(reflect.ValueOf(&r).Elem(), hostile)
		for i := range r.Findings {
			r.Findings[i].Result = result
		}
		for i, state := range []inventory.SlotState{inventory.SlotPopulated, inventory.SlotEmpty} {
			r.Inventory.Slots[i].State = state
		}
		for _, severity := range []string{hostile, "warning"} {
			for i := range r.Problems {
				r.Problems[i].Severity = verdict.Severity(severity)
			}
			for _, o := range []Options{{}, {Verbose: true, Width: 160}} {
				assertPrintable(t, textOf(t, &r, o))
				var b bytes.Buffer
				require.NoError(t, WriteInventory(&b, &r.Inventory, o))
				assertPrintable(t, b.String())
			}
		}
	}
}

func assertPrintable(t *testing.T, s string) {
	t.Helper()
	for i, c := range s {
		if c != '\n' && (!unicode.IsPrint(c) || c == unicode.ReplacementChar) {
			t.Fatalf("byte %d is %q in %q", i, c, s)
		}
	}
}

// TestNotes checks that a note lists several settings line by line and says why a failure is no more than a note, and
// that the summary counts what the failures come to.
func TestNotes(t *testing.T) {
	differs := func(id, value, want string) verdict.Finding {
		return verdict.Finding{Rule: "setting." + id, Result: verdict.Fail, Severity: verdict.Info, Value: value, Found: nullable.String(value), Expected: nullable.String(want),
			Subject: inventory.Subject{Kind: inventory.AboutSetting, Name: id}, Remedy: "set it in BIOS setup"}
	}
	r := &report.Report{Profile: &verdict.Profile{ID: "v/balanced", Intent: "balanced", Vendor: "V"}, Findings: []verdict.Finding{
		{Rule: "memory.channel.populated", Result: verdict.Fail, Severity: verdict.Info, Short: "channels 2 and 3 are empty", Doubt: "the SMBIOS table may not list all slots"},
		differs("smt", "enabled", "disabled"), differs("c1e", "disabled", "enabled"),
	}}
	r.Summary = verdict.Summarize(r.Findings)
	r.MakeVerdict(report.Criteria{})
	out := textOf(t, r, Options{Width: 80})
	assert.Contains(t, out, `
Note         Channels 2 and 3 are empty; in doubt, as the SMBIOS table may not
             list all slots (memaudit explain memory.channel.populated)
Note         2 settings differ from V's balanced profile: smt and c1e
             setting  current   recommended  severity
             smt      enabled   disabled     info
             c1e      disabled  enabled      info

0 checks passed, 3 failed (2 notes).`)
}

// TestSlotsThatShareAPlaceAreAllShown checks that two slots that firmware puts in one place both stay in the picture.
func TestSlotsThatShareAPlaceAreAllShown(t *testing.T) {
	m := reporttest.Bad(t)
	for i := range m.Topo.Placements {
		m.Topo.Placements[i] = place.Placement{Source: "slot_map", Certainty: fact.Direct}
	}
	m.Topo.Placements[0].Slot = 1 << 30
	text := textOf(t, reporttest.Report(m), Options{})
	for i := range m.Sys.Slots {
		assert.Contains(t, text, strings.TrimPrefix(m.Sys.Slots[i].Locator.Value, "DIMM_")+" ", text)
	}
}
