package text

import (
	"testing"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"

	"github.com/stretchr/testify/assert"
)

// resulted is a report of findings with such results; those that fail are of a severity.
func resulted(results ...string) *report.Report {
	r := &report.Report{}
	for _, result := range results {
		f := report.Finding{Rule: "memory.x", Subject: "machine", Result: result, Severity: "info"}
		switch result {
		case "pass":
			r.Summary.Pass++
		case "unknown":
			r.Summary.Unknown++
		case "not_applicable":
			r.Summary.NotApplicable++
		case "waived":
			r.Summary.Waived++
		case "error":
			r.Summary.Error++
		default:
			f.Result, f.Severity = "fail", result
			r.Summary.Fail++
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// TestCounts: the failures by severity, what did not fail, and what to do next.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		results      []string
		counts, next string
	}{
		{nil, "0 passed, 0 unknown, 0 not applicable", "see the sources"},
		{[]string{"pass"}, "1 passed, 0 unknown, 0 not applicable", "nothing"},
		{[]string{"waived"}, "0 passed, 0 unknown, 0 not applicable, 1 waived", "nothing"},
		{[]string{"pass", "unknown"}, "1 passed, 1 unknown, 0 not applicable", "-v says what could not be told"},
		{[]string{"pass", "error"}, "1 passed, 0 unknown, 0 not applicable, 1 broken", "mend the rules that broke"},
		{[]string{"info"}, "1 finding at info; 0 passed, 0 unknown, 0 not applicable", "weigh the remarks"},
		{[]string{"warning"}, "1 finding at warning; 0 passed, 0 unknown, 0 not applicable", "see the fix"},
		{[]string{"info", "critical", "warning", "critical", "error"}, "2 findings at critical, 1 at warning, 1 at info; 0 passed, 0 unknown, 0 not applicable, 1 broken", "see the fix"},
	} {
		r := resulted(c.results...)
		assert.Equal(t, c.counts, Counts(r, true), c.results)
		assert.Equal(t, c.next, NextStep(r, wordAdvice), c.results)
	}
	r := resulted("info")
	r.Advice = []report.Advice{{ID: "move"}}
	assert.Equal(t, "see What to do", NextStep(r, "What to do"))
	r = resulted("pass")
	r.Advice = []report.Advice{{ID: "move"}}
	assert.Equal(t, "nothing", NextStep(r, wordAdvice))
	r.Verdict.Status = report.StatusNotApplicable
	assert.Equal(t, "audit the host", NextStep(r, wordAdvice))
	assert.Equal(t, "1 passed, 0 unknown", Counts(r, false), "in brief what does not apply is not counted")
}

// TestSpeedBelowTheSlots: the slowest module's speed beside the expected one, as far as
// both are known.
func TestSpeedBelowTheSlots(t *testing.T) {
	nvdimm := "nvdimm"
	inv := channelsOf("A1", "B1", "C1", "D1")
	inv.Slots[0].ConfiguredMTs, inv.Slots[1].ConfiguredMTs, inv.Slots[2].Technology = new(1333), new(1066), &nvdimm
	inv.Slots[3] = slotOf("D1", 0, 3, 0, 0)
	inv.Slots = append(inv.Slots, slotOf("X1", 1, 0, 0, 8))
	p := &report.PopulationSocket{Socket: new(0)}
	d := &drawing{inv: inv}
	assert.Equal(t, "1066 MT/s (expected ?)", d.speed(0, p))
	inv.Slots[0], inv.Slots[1] = inv.Slots[1], inv.Slots[0]
	assert.Equal(t, "1066 MT/s (expected ?)", d.speed(0, p))
	p.ExpectedMTs = new(1067)
	assert.Equal(t, "1066 MT/s", d.speed(0, p), "one rate, written in two ways")
	p.ExpectedMTs = new(1333)
	assert.Equal(t, "1066 MT/s (expected 1333)", d.speed(0, p))
	assert.Equal(t, "1333 MT/s expected", d.speed(1, p))
	assert.Equal(t, "speed not known", d.speed(1, &report.PopulationSocket{}))
}

// TestMarksOfASocket: what failed there, by the rule's own word, but no remark, nothing that
// follows from another failure and nothing of another socket; the slots that a failure wants
// filled or that it names stand out.
func TestMarksOfASocket(t *testing.T) {
	fail := func(subject, severity, mark, cause string) report.Finding {
		f := report.Finding{Rule: "memory.rule", Subject: subject, Result: "fail", Severity: severity}
		if mark != "" {
			f.Mark = &mark
		}
		if cause != "" {
			f.CausedBy = &cause
		}
		return f
	}
	waived := fail("socket 0", "warning", "waived", "")
	waived.Result = "waived"
	inv := channelsOf("A1", "B1", "C1", "D1")
	for i := range inv.Slots {
		if i > 0 {
			inv.Slots[i] = slotOf(string(rune('A'+i))+"1", 0, i, 0, 0)
		}
	}
	inv.Slots = append(inv.Slots, slotOf("C2", 0, 2, 1, 0), slotOf("D2", 0, 3, 1, 0))
	inv.Slots[3], inv.Slots[5] = inv.Slots[5], inv.Slots[3] // D2 before D1
	inv.Slots[1].State = "unknown"
	inv.Population.Sockets = []report.PopulationSocket{{Socket: new(0), DIMMsPerChannel: []int{1, 0, 0, 0}}}
	d := &drawing{inv: inv, findings: []report.Finding{
		fail("socket 0", "warning", "", ""), fail("socket 0", "critical", "empty", ""), fail("socket 0", "info", "remark", ""), fail("socket 0", "warning", "led", "memory.x"),
		fail("socket 1", "warning", "other", ""), fail("machine", "warning", "machine", ""), waived}}
	assert.Equal(t, []string{"rule", "empty"}, d.marks(0))
	assert.Empty(t, d.starved(0))
	*d.findings[1].Mark = "half, " + verdict.EmptyChannels
	assert.Equal(t, []string{"rule", "half, channels 1, 2, 3 empty"}, d.marks(0))
	assert.ElementsMatch(t, []string{"0xC1", "0xD1"}, d.starved(0), "the first free slot of each; what B1 holds is not known")
	d.inv.Population.Sockets[0].DIMMsPerChannel = []int{1, 0, 1}
	assert.Equal(t, []string{"rule", "half, channel 1 empty"}, d.marks(0))
	assert.Empty(t, d.starved(0))
	d.inv.Population.Sockets[0].DIMMsPerChannel = []int{1, 1, 0}
	assert.Equal(t, []string{"0xC1"}, d.starved(0), "D is not counted")
	inv.Slots[2].Slot = nil
	assert.Equal(t, []string{"0xC2"}, d.starved(0))
	inv.Slots = append(inv.Slots, slotOf("C3", 0, 2, 1, 0))
	assert.Equal(t, []string{"0xC2"}, d.starved(0), "of two with one number the first")
	d.inv.Population.Sockets = nil
	assert.Equal(t, []string{"rule", "half, channels empty"}, d.marks(0))
	assert.Empty(t, d.starved(0))
	assert.Equal(t, []string{"machine"}, d.marks(wording.NoSocket), "behind one controller the machine's failures, that have a word for it")
	assert.Equal(t, []string{"other"}, d.marks(1))
	named := []report.Finding{fail("slot 0xA1 (A1)", "info", "", ""), fail("slot 0xB1", "info", "", ""), fail("slotted", "info", "", ""), waived}
	named[3].Subject = "slot 0xC1"
	assert.Equal(t, []string{"0xA1", "0xB1"}, failedSlots(named))
}
