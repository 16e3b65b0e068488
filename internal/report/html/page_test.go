package html_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	unescape "html"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/tools/reporttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

func pageOf(t testing.TB, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, html.Write(&b, r))
	return b.String()
}

// TestPages compares the pages of example servers with reviewed ones.
func TestPages(t *testing.T) {
	for _, name := range []string{"bad", "chipset", "unknown", "vm"} {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Report(reporttest.Inputs(t)[name])
			if name == "bad" {
				r.AddComparison(reporttest.Inputs(t)[name].Comparison())
			}
			_, body, _ := strings.Cut(pageOf(t, r), "</style>")
			reporttest.Golden(t, filepath.Join("testdata", name+".html"), []byte(body))
		})
	}
}

// nodes reads a page as XML does: HTML's void elements are closed first. Go has
// no reader of HTML in its library; this one refuses what is not balanced.
func nodes(t *testing.T, page string) []xml.StartElement {
	t.Helper()
	page = strings.TrimPrefix(page, "<!DOCTYPE html>")
	page = regexp.MustCompile(`<(meta|br)( [^>]*)?>`).ReplaceAllString(page, "<$1$2/>")
	page = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(page))
	var out []xml.StartElement
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok {
			out = append(out, start.Copy())
		}
	}
}

func value(e *xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// TestSound checks that every page is balanced, runs and loads nothing, has unique ids, and that every internal link
// has its target.
func TestSound(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		page := pageOf(t, reporttest.Report(m))
		ids, ways := map[string]bool{}, []string{}
		for _, e := range nodes(t, page) {
			assert.NotContains(t, []string{"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image", "foreignObject"}, e.Name.Local)
			for _, a := range e.Attr {
				assert.False(t, strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" || a.Name.Local == "style", a.Name.Local)
			}
			if id, ok := value(&e, "id"); ok {
				assert.False(t, ids[id], "id %s comes twice", id)
				ids[id] = true
			}
			if to, ok := value(&e, "href"); ok {
				ways = append(ways, to)
			}
		}
		for _, to := range ways {
			if id, inside := strings.CutPrefix(to, "#"); inside {
				assert.True(t, ids[id], to)
				continue
			}
			assert.True(t, strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://"), to)
		}
		assert.NotContains(t, page, "dimms_per_channel", "a word of the JSON's, not of people")
		assert.NotContains(t, page, "@import")
		assert.NotContains(t, page, "url(")
	})
}

// TestPageIsComplete checks that each finding's element has all texts of the finding.
func TestPageIsComplete(t *testing.T) {
	r := reporttest.Report(reporttest.Bad(t))
	page := pageOf(t, r)
	for i := range r.Findings {
		f := &r.Findings[i]
		_, from, found := strings.Cut(page, `data-rule="`+f.Rule+`" data-subject="`+f.Subject.String()+`" data-result="`+string(f.Result)+`" data-severity="`+string(f.Severity)+`"`)
		require.True(t, found, f.Rule)
		element, _, _ := strings.Cut(from, "</article>")
		element = unescape.UnescapeString(element)
		for _, says := range []nullable.String{f.Title, f.Found, f.Expected, f.Why, f.Reason, f.KnownBy, f.Remedy} {
			assert.Contains(t, element, string(says))
		}
		for _, e := range f.Evidence {
			assert.Contains(t, element, e.Raw)
		}
		if f.Effect != nil {
			assert.Contains(t, element, f.Effect.Text)
		}
		if f.Waiver != nil {
			assert.Contains(t, element, f.Waiver.Reason)
		}
	}
}

// TestGuest checks that a guest gets the sentence, and no empty box.
func TestGuest(t *testing.T) {
	r := &report.Report{Verdict: report.Verdict{Status: report.StatusNotApplicable, Sentence: "a guest"}}
	page := pageOf(t, r)
	assert.Contains(t, page, "a guest</h1>")
	r.Inventory = report.Inventory{Nodes: []report.Node{{}}, Settings: map[string]report.Setting{"smt": {}}, Slots: []inventory.Slot{{}}}
	page = pageOf(t, r)
	assert.Equal(t, 2, strings.Count(page, "<section"), "findings and sources")
}

// TestHostile checks that strings of firmware's and of a site's pack stay text.
func TestHostile(t *testing.T) {
	m := reporttest.Bad(t)
	const evil = `"><script>alert(1)</script><svg onload='x'>` + "\x00\x1b[31m\u202e\xff"
	m.Sys.Machine.Product, m.Sys.Machine.Vendor = reporttest.Direct(evil), reporttest.Direct(evil)
	for i := range m.Sys.Slots {
		m.Sys.Slots[i].Locator, m.Sys.Slots[i].PartNumber = reporttest.Direct(evil), reporttest.Direct(evil)
	}
	for i := range m.Audit.Findings {
		f := &m.Audit.Findings[i]
		f.Found, f.Remedy, f.Subject, f.Reason = evil, evil, reporttest.Subject(evil), evil
		if f.Citation != nil {
			c := *f.Citation
			c.URL = "javascript:alert(1)"
			f.Citation = &c
		}
	}
	page := pageOf(t, reporttest.Report(m))
	assert.Contains(t, page, "onload=&#39;x&#39;&gt;??[31m??", "each that is not printable is a '?'")
	for _, r := range page {
		require.True(t, r == '\n' || unicode.IsPrint(r) && r != unicode.ReplacementChar, "%q", r)
	}
	for _, e := range nodes(t, page) {
		assert.NotEqual(t, "script", e.Name.Local)
		to, ok := value(&e, "href")
		assert.False(t, ok && strings.HasPrefix(to, "javascript"), to)
		_, on := value(&e, "onload")
		assert.False(t, on)
	}
}

// TestArrows checks that the cheapest advice is drawn: numbers where modules leave and arrive, and an arrow if both
// are at one processor.
func TestArrows(t *testing.T) {
	r := reporttest.Report(reporttest.Bad(t))
	from, to, other := "0x1109", "0x1108", "0x1103"
	r.Advice = []plan.Advice{
		{ID: "move", Moves: 2, Source: "general practice", Steps: []plan.Step{{Do: "move", From: from, To: to}, {Do: "move", From: to, To: other}}},
		{ID: "install", Installs: 1, Source: "general practice", Steps: []plan.Step{{Do: "install", To: to}}},
	}
	page := pageOf(t, r)
	assert.Equal(t, 1, strings.Count(page, `class="arrow"`), "the second goes to the other processor")
	assert.Equal(t, 2, strings.Count(page, `<circle class="step out"`))
	assert.Equal(t, 2, strings.Count(page, `<circle class="step in"`))
	assert.Contains(t, page, "2 DIMMs to move, nothing to buy")
	assert.Equal(t, 2, strings.Count(page, "data-advice="))
	nodes(t, page)
}

// TestArrowsOfSwap checks that a swap is an arrow in each direction, and that the number of its line is on both
// slots, as on those that get a module.
func TestArrowsOfSwap(t *testing.T) {
	r := reporttest.Report(reporttest.Bad(t))
	one, other := "0x1109", "0x1108"
	r.Advice = []plan.Advice{{ID: "move", Moves: 2, Source: "general practice", Steps: []plan.Step{
		{Do: "swap", From: one, To: other},
	}}}
	page := pageOf(t, r)
	assert.Equal(t, 2, strings.Count(page, `class="arrow"`))
	last := map[string]string{} // what is drawn last at each place
	for _, m := range regexp.MustCompile(`<circle class="step (in|out)" cx="(\d+)" cy="(\d+)"`).FindAllStringSubmatch(page, -1) {
		last[m[2]+" "+m[3]] = m[1]
	}
	assert.Equal(t, []string{"in", "in"}, slices.Collect(maps.Values(last)))
	assert.Contains(t, page, "<li>swap the modules of ")
	assert.NotContains(t, page, ">2</text>", "there is one line")
	nodes(t, page)
}

// TestMeasuredAndPredicted checks that a figure of a node's local memory has its share of the node's part of
// the peak, that one of another node has none, and that an undecided one has its reason.
func TestMeasuredAndPredicted(t *testing.T) {
	r := reporttest.Report(reporttest.Bad(t))
	number := func(v float64) *float64 { return &v }
	zero, one, peak := 0, 1, int64(32e9)
	noise, store := "the passes differ by 7 %", "non-temporal"
	r.Measured = []report.Measurement{{Tool: "memaudit", Figures: []report.MeasuredFigure{
		{Kind: "read", What: "read", CPUNode: &zero, MemoryNode: &zero, Value: number(24e9), Low: number(23e9), High: number(25e9), Peak: &peak},
		{Kind: "triad", What: "Triad", Store: nullable.String(store), CPUNode: &zero, MemoryNode: &one, Value: number(10e9), Undecided: nullable.String(noise)},
		{Kind: "latency", What: "latency", CPUNode: &one, MemoryNode: &one, Value: number(89.5e-9)},
	}}}
	page := pageOf(t, r)
	nodes(t, page)
	_, section, _ := strings.Cut(page, "Measured with memaudit")
	section, _, _ = strings.Cut(section, "</table>")
	for _, want := range []string{"24.0 GB/s", "23.0 GB/s to 25.0 GB/s", "75 % of 32.0 GB/s", "Triad, non-temporal stores", noise, "89.5 ns"} {
		assert.Contains(t, section, want)
	}
	assert.Equal(t, 1, strings.Count(section, "% of "), "only the node's own bandwidth has a share")
}

// TestWithoutATable checks that a table that was not read lists nothing, and is not reported as read.
func TestWithoutATable(t *testing.T) {
	r := &report.Report{Inventory: report.Inventory{Sources: []inventory.Source{{Name: "smbios", State: "denied"}}}}
	page := pageOf(t, r)
	assert.Contains(t, page, "Only root can read the SMBIOS table (sudo memaudit check).")
	assert.NotContains(t, page, "lists no memory.")
	r.Inventory.Sources[0].State = "ok"
	assert.Contains(t, pageOf(t, r), "The SMBIOS table lists no memory.")
}
