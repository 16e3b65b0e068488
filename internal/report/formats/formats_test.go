package formats

import (
	"bytes"
	"encoding/csv"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWrite(t *testing.T) {
	r := reporttest.Report(reporttest.Good(t))
	for _, format := range Reports() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, format, r, text.Options{}))
		assert.NotEmpty(t, b.String())
		require.ErrorContains(t, Write(brokenWriter{}, format, r, text.Options{}), "disk full")
	}
	for _, format := range Inventories() {
		var b bytes.Buffer
		require.NoError(t, WriteInventory(&b, format, &r.Inventory, text.Options{}))
		assert.NotEmpty(t, b.String())
	}
}

// Identifiers leave only when they are asked for, and then in both formats.
func TestIdentifiers(t *testing.T) {
	m := reporttest.Good(t)
	m.Sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "SYSTEM-SECRET", SystemUUID: "UUID-SECRET", BoardSerial: "BOARD-SECRET", ChassisSerial: "CHASSIS-SECRET", AssetTag: "TAG-SECRET"}
	for _, asked := range []bool{false, true} {
		o := reporttest.Options()
		o.Identifiers = asked
		r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b, &r))
		require.NoError(t, text.WriteInventory(&b, &r.Inventory, text.Options{Width: 200}))
		for _, secret := range []string{"SYSTEM-", "UUID-", "BOARD-", "CHASSIS-", "TAG-", "SERIAL-", "ASSET-"} {
			n := bytes.Count(b.Bytes(), []byte(secret+"SECRET"))
			assert.Equal(t, asked, n >= 2, secret)
			assert.Equal(t, asked, n > 0, secret)
		}
	}
}

// reportOf has one finding per word, "RESULT:SEVERITY".
func reportOf(words string) *report.Report {
	r := &report.Report{}
	for w := range strings.FieldsSeq(words) {
		result, severity, _ := strings.Cut(w, ":")
		r.Findings = append(r.Findings, verdict.Finding{Rule: "a.rule", Result: verdict.Result(result), Severity: verdict.Severity(severity)})
		switch result {
		case "pass":
			r.Summary.Pass++
		case "fail":
			r.Summary.Fail++
		case "waived":
			r.Summary.Waived++
		case "unknown":
			r.Summary.Unknown++
		}
	}
	r.MakeVerdict(report.Criteria{})
	return r
}

// A monitor ends the text at a vertical bar and a problem at a line break.
func TestNagiosIsClean(t *testing.T) {
	found := "4 GiB | critical=0\nMEMAUDIT OK\x1b[31m \xff"
	r := reportOf("fail:critical")
	r.Findings[0].Found = nullable.String(found)
	r.Machine.Vendor = fact.Known(found, fact.Direct, fact.Evidence{})
	r.MakeVerdict(report.Criteria{Failed: errors.New("a | b\nc")})
	r.Problems[0].Fix = found
	var b strings.Builder
	require.NoError(t, WriteNagios(&b, r))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], "MEMAUDIT CRITICAL - "), lines[0])
	assert.Equal(t, 1, strings.Count(b.String(), "|"))
	assert.NotContains(t, b.String(), "\x1b")
	assert.Equal(t, "   Fix: 4 GiB / critical=0?MEMAUDIT OK?[31m ?", lines[2])
}

// hostile is a report of a machine whose firmware prints anything.
func hostile(t *testing.T) *report.Report {
	m := reporttest.Bad(t)
	const evil = "a\x00\n\"<\u202e\xff%20/..\x7f\u009b31m"
	for i := range m.Sys.Slots {
		m.Sys.Slots[i].Locator = reporttest.Direct(evil)
	}
	for i := range m.Audit.Findings {
		f := &m.Audit.Findings[i]
		f.Found, f.Subject = evil, reporttest.Subject(evil)
		for j := range f.Evidence {
			f.Evidence[j].Path = "/" + evil
		}
	}
	return reporttest.Report(m)
}

// TestFormatsArePrintable checks that no format contains a string of firmware's that a terminal would interpret.
func TestFormatsArePrintable(t *testing.T) {
	for _, format := range Reports() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, format, hostile(t), text.Options{}))
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", ""), "\n"); line != printable.Clean(line) {
				t.Errorf("%s: %q", format, line)
				break
			}
		}
	}
}

// assetsOf writes the good machine's inventory, with identifiers when asked.
func assetsOf(t *testing.T, format string, identifiers bool, change func(inv *report.Inventory)) []byte {
	t.Helper()
	m := reporttest.Good(t)
	m.Sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "SYSTEM-SECRET", AssetTag: "TAG-SECRET"}
	o := reporttest.Options()
	o.Identifiers = identifiers
	inv := report.BuildInventory(&m.Sys, &m.Topo, o)
	if change != nil {
		change(&inv)
	}
	var b bytes.Buffer
	require.NoError(t, WriteInventory(&b, format, &inv, text.Options{}))
	return b.Bytes()
}

// TestCSVOfSlots checks one row per slot, with identifiers only on request.
func TestCSVOfSlots(t *testing.T) {
	for _, asked := range []bool{false, true} {
		var inv report.Inventory
		rows, err := csv.NewReader(bytes.NewReader(assetsOf(t, CSV, asked, func(i *report.Inventory) { inv = *i }))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1+len(inv.Slots))
		column := map[string]int{}
		for i, name := range rows[0] {
			column[name] = i
		}
		serials := 0
		for i := range inv.Slots {
			s, row := &inv.Slots[i], rows[1+i]
			assert.Equal(t, s.Handle.String(), row[column["handle"]])
			assert.Equal(t, s.PartNumber.Text(), row[column["part_number"]])
			assert.Equal(t, s.SizeBytes.Text(), row[column["size_bytes"]])
			assert.Equal(t, asked, row[column["machine_serial"]] == "SYSTEM-SECRET")
			if row[column["serial"]] != "" {
				serials++
			}
		}
		assert.Equal(t, asked, serials > 0)
	}
}

// TestCSVWithoutFormulas checks that a spreadsheet does not evaluate firmware's strings.
func TestCSVWithoutFormulas(t *testing.T) {
	text := string(assetsOf(t, CSV, false, func(i *report.Inventory) {
		i.Slots[0].PartNumber = reporttest.Direct("=HYPERLINK(1)")
	}))
	assert.Contains(t, text, ",'=HYPERLINK(1),")
}

// labelLine is a feature of NFD whose value Kubernetes takes.
var labelLine = regexp.MustCompile(`^feature\.node\.kubernetes\.io/memaudit-[a-z]+=[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func labelsOf(t *testing.T, r *report.Report) map[string]string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteLabels(&b, r))
	got := map[string]string{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		assert.Regexp(t, labelLine, line)
		key, value, _ := strings.Cut(line, "=")
		got[strings.TrimPrefix(key, "feature.node.kubernetes.io/memaudit-")] = value
	}
	return got
}

// TestLabelsFailure checks that the worst failure is "none" only if the verdict is ok.
func TestLabelsFailure(t *testing.T) {
	for _, c := range []struct{ status, worst, want string }{
		{"ok", "", "none"}, {"ok", "info", "info"}, {"critical", "critical", "critical"}, {"unknown", "info", "info"},
		{"unknown", "", "unknown"}, {"not_applicable", "", "not_applicable"},
	} {
		r := &report.Report{Verdict: report.Verdict{Status: report.Status(c.status)}}
		if c.worst != "" {
			r.Summary.Worst = verdict.Severity(c.worst)
		}
		got := labelsOf(t, r)
		assert.Equal(t, c.want, got["failure"], c)
		assert.Equal(t, c.status, got["verdict"])
	}
}

// What firmware and site packs print does not break out of a label's value.
func TestLabelsAreClean(t *testing.T) {
	r := reportOf("pass:info")
	evil := "a b\n# +no-label\nfeature.node.kubernetes.io/other=1 é" + strings.Repeat("x", 80)
	r.Machine.Platform.ID = nullable.String(evil)
	r.Profile = &verdict.Profile{ID: "--vendor/max performance--"}
	got := labelsOf(t, r)
	assert.Equal(t, "vendor_max_performance", got["profile"])
	assert.Equal(t, "a_b____no-label_feature.node.kubernetes.io_other_1__xxxxxxxxxxx", got["platform"])
	assert.NotContains(t, got, "population", "no slot is known")
	r.Profile = &verdict.Profile{ID: "///"}
	assert.NotContains(t, labelsOf(t, r), "profile")
}

// A label's value is cut between characters, and before what is not a character of
// one.
func TestLabelValueIsCut(t *testing.T) {
	for _, s := range []string{strings.Repeat("aé", 60), strings.Repeat("x", 62) + "é", strings.Repeat("x", 63) + "é", strings.Repeat("日", 70) + "x"} {
		got := labelValue(s)
		assert.LessOrEqual(t, len(got), 63)
		assert.Regexp(t, `^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`, got)
	}
	assert.Equal(t, strings.Repeat("x", 63), labelValue(strings.Repeat("x", 63)+"é"))
}

// What is waived is one of the rules' results and one of JUnit's skipped.
func TestWaivedIsCounted(t *testing.T) {
	r := reportOf("pass:info waived:critical waived:info unknown:info fail:warning")
	for i := range r.Findings {
		r.Findings[i].Rule += strconv.Itoa(i)
	}
	r.Findings[1].Rule = r.Findings[0].Rule // one of its subjects passed, the rule is waived
	var exposed, junit strings.Builder
	require.NoError(t, metrics.Write(&exposed, r))
	assert.Contains(t, exposed.String(), "memaudit_rules{result=\"waived\"} 2\n")
	assert.Contains(t, exposed.String(), "memaudit_rules{result=\"pass\"} 0\n")
	require.NoError(t, WriteJUnit(&junit, r))
	assert.Contains(t, junit.String(), `tests="5" failures="1" errors="0" skipped="3"`)
	assert.Equal(t, 3, strings.Count(junit.String(), "<skipped"))
}

// TestLabelsCountErrors checks that a rule that broke counts as unknown.
func TestLabelsCountErrors(t *testing.T) {
	assert.Equal(t, "3", labelsOf(t, &report.Report{Summary: verdict.Summary{Pass: 7, Unknown: 1, Error: 2}})["unknown"])
}
