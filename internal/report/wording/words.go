package wording

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// MeasuredKind names the loop of a figure, and its kind of store if known.
func MeasuredKind(f *report.MeasuredFigure) string {
	if f.Store == "" {
		return f.What
	}
	return f.What + ", " + string(f.Store) + " stores"
}

// MeasuredValue prints bytes per second, or seconds if the figure is a latency.
func MeasuredValue(f *report.MeasuredFigure, v *float64) string {
	switch {
	case v == nil:
		return "not measured"
	case f.Kind == "latency", f.Kind == report.LoadedLatency:
		return strconv.FormatFloat(1e9**v, 'f', 1, 64) + " ns"
	}
	return humanize.Bandwidth(int64(*v))
}

// ShareOfPeak compares a bandwidth with the theoretical peak of the node's own memory, and a latency under load with what others
// measured; "" if that is not known.
func ShareOfPeak(f *report.MeasuredFigure) string {
	if d := f.Documented; d != nil {
		return platform.Nanoseconds([]float64{math.Round(1e9 * d.Low), math.Round(1e9 * d.High)}) + " on " + d.Of + " (" + d.Source + ")"
	}
	if f.Value == nil || f.Peak == nil {
		return ""
	}
	return Percent(*f.Value/float64(*f.Peak)) + " % of " + humanize.Bandwidth(*f.Peak)
}

// MeasuredPasses gives the extremes of a figure's passes, and the reason why it is undecided; "" if there is neither.
func MeasuredPasses(f *report.MeasuredFigure) string {
	extremes := ""
	if f.Low != nil && f.High != nil && *f.Low != *f.High {
		extremes = MeasuredValue(f, f.Low) + " to " + MeasuredValue(f, f.High)
	}
	return humanize.Joined("; ", extremes, string(f.Undecided))
}

// MeasuredPlace names the processors and the memory: the node, two nodes, or the number of the run of a tool that
// names no node.
func MeasuredPlace(f *report.MeasuredFigure) string {
	switch {
	case f.CPUNode == nil || f.MemoryNode == nil:
		return "run " + strconv.Itoa(f.Run+1)
	case *f.CPUNode == *f.MemoryNode:
		return "node " + strconv.Itoa(*f.CPUNode)
	}
	return "node " + strconv.Itoa(*f.CPUNode) + ", memory of node " + strconv.Itoa(*f.MemoryNode)
}

// FormatReading is one reading in one line: its source, the file and its text.
func FormatReading(e *fact.Evidence) string {
	return humanize.Joined(": ", humanize.Joined(" ", e.Source, e.Path), e.Reading())
}

// DescribeCost is the cost of a deviation, and its source; "" if none is documented. Costs computed by the population model
// name it themselves.
func DescribeCost(e *verdict.Effect) string {
	if e == nil {
		return ""
	}
	source := string(e.Source)
	if source == "" || source == verdict.PopulationModel {
		return e.Text
	}
	return e.Text + " (" + source + ")"
}

// DescribeWaiver is why a failure is accepted, and until when; "" without a waiver.
func DescribeWaiver(w *verdict.Waiver) string {
	if w == nil || w.Until == "" {
		return cmp.Or(w, &verdict.Waiver{}).Reason
	}
	return w.Reason + " (until " + string(w.Until) + ")"
}

// DescribeErrors describes the errors counted for a module: "120 corrected errors", with the uncorrected ones if there are
// any; "" if they are not counted or zero.
func DescribeErrors(e *inventory.Errors) string {
	switch {
	case e == nil:
		return ""
	case e.Uncorrected.Or(0) > 0:
		return FormatCount(e.Corrected) + " corrected and " + FormatCount(e.Uncorrected) + " uncorrected errors"
	case e.Corrected.Or(0) > 0:
		return FormatCount(e.Corrected) + " corrected errors"
	case len(e.Standing()) > 0:
		return "errors in the BMC's event log"
	default:
		return ""
	}
}

// FormatCount is a number that may not be known: "?" then.
func FormatCount(n fact.Fact[int64]) string { return cmp.Or(n.Text(), "?") }

// AdviceEffort counts what an advice asks for.
func AdviceEffort(a *plan.Advice) string {
	if a.ID == plan.Settings {
		return "1 setting for " + humanize.Plural(len(a.Cures), "finding")
	}
	var parts []string
	for _, c := range []struct {
		n  int
		do string
	}{{a.Moves, "move"}, {a.Installs, "buy"}, {a.Removes, "take out"}} {
		if c.n > 0 {
			parts = append(parts, humanize.Plural(c.n, "DIMM")+" to "+c.do)
		}
	}
	if a.Installs == 0 {
		parts = append(parts, "nothing to buy")
	}
	if a.GivenUpBytes != 0 {
		parts = append(parts, humanize.Size(a.GivenUpBytes)+" of capacity given up")
	}
	return strings.Join(parts, ", ")
}

// ReachedSpeed is the speed that a layout is expected to run at, "" if that is not known. If the memory
// runs slower than expected today, that is today's speed, with what it would give at the expected one.
func ReachedSpeed(s *plan.Reached) string {
	if s.ExpectedMTs == nil {
		return ""
	}
	expected := PrintedRate(*s.ExpectedMTs) + " MT/s"
	if s.UpTo {
		expected = "up to " + expected
	}
	if s.ClockMTs == nil {
		return expected
	}
	clock := PrintedRate(*s.ClockMTs) + " MT/s as today"
	if *s.ClockMTs > *s.ExpectedMTs || s.PeakBytes == nil {
		return clock
	}
	atExpected := *s.PeakBytes / int64(ddr.Nominal(*s.ClockMTs)) * int64(*s.ExpectedMTs)
	return clock + " (" + humanize.Bandwidth(atExpected) + " if it ran at " + expected + ")"
}

// LimiterName is the word for what decides the expected speed.
func LimiterName(limiter population.Limiter) string {
	names := map[population.Limiter]string{population.LimitDPC: "DIMMs per channel", population.LimitDIMM: "the modules"}
	return cmp.Or(names[limiter], printable.Clean(string(limiter)))
}

// PromisedShare is the share that a layout is promised, with a note if the clock is unknown; a full share only if there is
// no class (classed) that means the same.
func PromisedShare(r *population.Relative, classed bool) string {
	share := BandwidthShare(r)
	if share == "" && r.Low != nil && (!classed || r.ByChannels) {
		share = "full bandwidth"
	}
	if share != "" && r.ByChannels {
		share += " by channels, the clock is not known"
	}
	return share
}

// BandwidthShare is the share of the best bandwidth: measured, or the model's range,
// and which of the two. A full share is not worth a word.
func BandwidthShare(r *population.Relative) string {
	switch {
	case r.Value != nil:
		return Percent(*r.Value) + " % of best bandwidth (measured)"
	case r.Low == nil || r.High == nil || *r.Low >= 1:
		return ""
	case Percent(*r.Low) == Percent(*r.High):
		return Percent(*r.Low) + " % of best bandwidth" + InBrackets(r.Note)
	default:
		return Percent(*r.Low) + " to " + Percent(*r.High) + " % of best bandwidth" + InBrackets(r.Note)
	}
}

// InBrackets appends to another text: " (s)", nothing for "".
func InBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

const otherInput = "need other input"

// needs describe what a check needs to run by the inputs that would make its facts known. The first that one of them is
// listed for counts, the narrower ones first.
var needs = [...]struct {
	need   string
	inputs []fact.Input
}{
	{"need its SMBIOS table (--smbios FILE)", []fact.Input{fact.SMBIOSFile}},
	{"need the complete output of dmidecode", []fact.Input{fact.CompleteOutput}},
	{otherInput, []fact.Input{fact.ProcessorTable, fact.BrandString}},
	{"need the running machine", []fact.Input{fact.LiveBesideFile, fact.LiveFiles, fact.LiveSystem, fact.LiveNodes, fact.OwnBrandString}},
	{otherInput, []fact.Input{fact.RegisterCapture, fact.RegisterModule}},
	{"need root", []fact.Input{fact.Root, fact.RootAsBefore, fact.RegistersAsRoot}},
	{"need a fuller capture (memaudit snapshot)", nil},
	{"need its BMC (--redfish URL)", []fact.Input{fact.BMCMemory, fact.ConfiguredSpeed}},
	{"need its BIOS settings (--bios FILE or --redfish URL)", []fact.Input{fact.BIOSSettings, fact.BIOSExport, fact.BIOSExportPassed,
		fact.BIOSExportComplete, fact.BIOSToCompare, fact.BIOSOrBMC, fact.BIOSOrWithoutXen, fact.ReadAgainOrBIOS, fact.KVMOrBIOS, fact.OwnTableOrBIOS}},
	{"need a slot map (memaudit rules draft)", []fact.Input{fact.SlotMap, fact.LetteredSlotMap}},
}

// DescribeNeed describes what a check needs to run, by what would make its facts known.
func DescribeNeed(knownBy nullable.String) string {
	if knownBy == "" {
		return "are not possible on this hardware"
	}
	for _, n := range needs {
		if slices.ContainsFunc(strings.Split(string(knownBy), fact.BetweenInputs), func(one string) bool {
			return n.inputs == nil && fact.Input(one).IsCapture() || slices.ContainsFunc(n.inputs, fact.Input(one).Is)
		}) {
			return n.need
		}
	}
	return otherInput
}

//go:embed terms.tsv
var termsFile string

// Term is an abbreviation and what it means in a few words.
type Term struct{ Name, Meaning string }

// termsByName lists the abbreviations by their names in small letters.
var termsByName = sync.OnceValue(func() map[string]Term {
	out := map[string]Term{}
	for line := range strings.Lines(termsFile) {
		name, meaning, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			out[strings.ToLower(name)] = Term{name, meaning}
		}
	}
	return out
})

// TermsIn lists the abbreviations in a text, in their order, as separate words in any case: also those in the ids of
// rules and settings ("memory.ecc.active", "upi_speed") and in the plural.
func TermsIn(text string) []Term {
	var out []Term
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, term := range termsInWord(word) {
			if !seen[term.Name] {
				seen[term.Name] = true
				out = append(out, term)
			}
		}
	}
	return out
}

// termsInWord lists the abbreviations in a word: itself, else the parts joined by hyphens.
func termsInWord(word string) []Term {
	name := strings.ToLower(word)
	term, ok := termsByName()[name]
	if !ok && strings.HasSuffix(word, "s") {
		term, ok = termsByName()[strings.TrimSuffix(name, "s")]
	}
	if ok {
		return []Term{term}
	}
	first, rest, ok := strings.Cut(word, "-")
	if !ok {
		return nil
	}
	return append(termsInWord(first), termsInWord(rest)...)
}

// JoinSubjects brings numbered subjects of one kind together: "sockets 0-3".
func JoinSubjects(subjects []inventory.Subject) []string {
	numbers := map[string][]int{}
	var out []string
	for _, s := range subjects {
		kind := string(s.Kind)
		if s.Kind != inventory.AboutSocket && s.Kind != inventory.AboutNode {
			out = append(out, s.String())
			continue
		}
		if numbers[kind] == nil {
			out = append(out, kind)
		}
		numbers[kind] = append(numbers[kind], s.Number)
	}
	for i, kind := range out {
		if list := numbers[kind]; list != nil {
			slices.Sort(list)
			if len(list) > 1 {
				kind += "s"
			}
			out[i] = kind + " " + humanize.Ranges(list)
		}
	}
	return out
}
