package metrics

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/topology/place"
)

var (
	dimmInfo = declareMetric("dimm_info", "handle locator socket channel slot type manufacturer part_number ranks",
		"A memory module by its SMBIOS handle; always 1. An empty label is not known.")
	dimmSize       = declareMetric("dimm_size_bytes", "handle locator", "Capacity of a memory module.")
	dimmRated      = declareMetric("dimm_rated_transfers_per_second", "handle locator", "Rated speed of a memory module in transfers per second.")
	dimmConfigured = declareMetric("dimm_configured_transfers_per_second", "handle locator", "Configured speed of a memory module in transfers per second.")
	dimmSlots      = declareMetric("dimm_slots", "socket state", "Number of memory slots by processor and state; the empty socket is not known, or one controller serves all.")

	socketChannels  = declareMetric("socket_channels", "socket", "Memory channels of a processor.")
	socketPopulated = declareMetric("socket_channels_populated", "socket", "Memory channels of a processor that hold a module.")
	socketPeak      = declareMetric("socket_peak_bandwidth_bytes_per_second", "socket", "Theoretical memory bandwidth of a processor as populated.")
	socketRelative  = declareMetric("socket_relative_bandwidth_ratio", "socket bound",
		"Share of what this processor could have at its best: the slowest region's (low), the most that one can have (high), and where a document measured this layout its figure (documented).")

	settingInfo  = declareMetric("setting_info", "setting value view", "The value of a BIOS setting in one view; always 1, absent when not known.")
	nodeMemory   = declareMetric("numa_node_memory_bytes", "node", "Memory of a NUMA node as the kernel counts it.")
	nodeDistance = declareMetric("numa_distance", "from to", "Distance between two NUMA nodes as firmware states it; 10 is local. Left out on machines of more than 16 nodes.")
)

// addSlots adds the modules, and the number of slots by CPU and state. Both states of every CPU are included, so that the last
// module that fails leaves a 0.
func (c *collector) addSlots(slots []inventory.Slot) {
	eachModule(slots, func(s *inventory.Slot) {
		c.add(dimmInfo, 1, s.Handle.String(), s.Locator.Text(), nullable.Text(s.Socket, ""), nullable.Text(s.Channel, ""), nullable.Text(s.Slot, ""), s.Type.Text(),
			s.Manufacturer.Text(), s.PartNumber.Text(), s.Ranks.Text())
		addKnown(c, dimmSize, s.SizeBytes.Pointer(), 1, s.Handle.String(), s.Locator.Text())
		addKnown(c, dimmRated, s.RatedMTs.Pointer(), 1e6, s.Handle.String(), s.Locator.Text())
		addKnown(c, dimmConfigured, s.ConfiguredMTs.Pointer(), 1e6, s.Handle.String(), s.Locator.Text())
	})
	count := map[[2]string]int{}
	for i := range slots {
		socket := nullable.Text(slots[i].Socket, "")
		for _, state := range []string{"populated", "empty"} {
			count[[2]string{socket, state}] += 0
		}
		count[[2]string{socket, string(slots[i].State)}]++
	}
	for k, n := range count {
		c.add(dimmSlots, float64(n), k[0], k[1])
	}
}

// eachModule visits the populated slots. Of two with one handle and one label, which only a damaged table has,
// it visits the first: their series would be identical.
func eachModule(slots []inventory.Slot, visit func(*inventory.Slot)) {
	type key struct{ handle, locator string }
	seen := make(map[key]bool, len(slots))
	for i := range slots {
		s := &slots[i]
		k := key{s.Handle.String(), s.Locator.Text()}
		if s.State == "populated" && !seen[k] {
			seen[k] = true
			visit(s)
		}
	}
}

func (c *collector) addSockets(sockets []report.PopulationSocket) {
	for i := range sockets {
		s, socket := &sockets[i], nullable.Text(sockets[i].Socket, "")
		addKnown(c, socketChannels, s.ChannelsTotal.Pointer(), 1, socket)
		addKnown(c, socketPopulated, s.ChannelsPopulated.Pointer(), 1, socket)
		addKnown(c, socketPeak, s.PeakBytes.Pointer(), 1, socket)
		addKnown(c, socketRelative, s.Relative.Low, 1, socket, "low")
		addKnown(c, socketRelative, s.Relative.High, 1, socket, "high")
		addKnown(c, socketRelative, s.Relative.Value, 1, socket, "documented")
	}
}

func (c *collector) addSettings(settings map[string]report.Setting) {
	for id, s := range settings {
		for view, face := range map[string]*report.Face{"configured": &s.Configured, "pending": &s.Pending, "effective": &s.Effective} {
			if face.Value != "" {
				c.add(settingInfo, 1, id, string(face.Value), view)
			}
		}
	}
}

func (c *collector) addNodes(nodes []report.Node) {
	for i := range nodes {
		node := strconv.Itoa(nodes[i].ID)
		addKnown(c, nodeMemory, nodes[i].MemoryBytes.Pointer(), 1, node)
		if len(nodes[i].Distances) != len(nodes) || len(nodes) > maxDistanceNodes {
			continue // the node of a distance is unknown
		}
		for j, d := range nodes[i].Distances {
			c.add(nodeDistance, float64(d), node, strconv.Itoa(nodes[j].ID))
		}
	}
}

// LastMeasured returns memaudit's own last measurement, nil if there is none.
func LastMeasured(all []report.Measurement) *report.Measurement {
	var last *report.Measurement
	for i := range all {
		if all[i].Tool == inventory.ToolMemaudit {
			last = &all[i]
		}
	}
	return last
}

var (
	measuredRead    = declareMetric("measured_read_bytes_per_second", "cpu_node memory_node", "What the last memaudit measure read from a node's memory on a node's processors; absent when undecided.")
	measuredLatency = declareMetric("measured_latency_seconds", "cpu_node memory_node", "Idle latency of a load from a node's memory at the last memaudit measure; absent when undecided.")
	measuredSpread  = declareMetric("measured_spread_ratio", "cpu_node memory_node", "How far the passes of reading lie apart, over their median; a figure above 0.05 is undecided.")
	measuredPeak    = declareMetric("measured_peak_bytes_per_second", "cpu_node memory_node", "Theoretical peak of a node's own memory, beside what was read of it; absent where it is not known.")
	measuredLoaded  = declareMetric("measured_loaded_latency_seconds", "load", "Latency while Intel MLC loads the memory: at half of the peak, and the highest.")
	documentedLoad  = declareMetric("documented_loaded_latency_seconds", "load bound", "The lowest and the highest latency under that load that others measured on the same platform.")
	measuredTime    = declareMetric("measured_timestamp_seconds", "", "When the last memaudit measure was made, in seconds since 1970.")
)

// addMeasured adds memaudit's own last measurement. An undecided figure has no value; its spread shows why.
func (c *collector) addMeasured(all []report.Measurement) {
	c.addLoadedCurve(all)
	last := LastMeasured(all)
	if last == nil {
		return
	}
	for _, f := range last.Figures {
		value := map[string]metric{string(figure.Read): measuredRead, string(figure.Latency): measuredLatency}
		m, ok := value[f.Kind]
		if !ok || f.Value == nil || f.CPUNode == nil {
			continue
		}
		nodes := []string{strconv.Itoa(*f.CPUNode), strconv.Itoa(*f.MemoryNode)}
		if f.Undecided == "" {
			c.add(m, *f.Value, nodes...)
		}
		if m == measuredRead && f.Peak != nil {
			c.add(measuredPeak, float64(*f.Peak), nodes...)
		}
		if m == measuredRead && *f.Value > 0 {
			c.add(measuredSpread, (*f.High-*f.Low) / *f.Value, nodes...)
		}
	}
	if at, err := time.Parse(time.RFC3339, string(last.At)); err == nil {
		c.add(measuredTime, float64(at.Unix()))
	}
}

func (c *collector) addLoadedCurve(all []report.Measurement) {
	points := map[string]*report.MeasuredFigure{}
	for i := range all {
		for j := range all[i].Figures {
			if f := &all[i].Figures[j]; f.Load != "" && f.Value != nil {
				points[f.Load] = f
			}
		}
	}
	for _, load := range slices.Sorted(maps.Keys(points)) {
		f := points[load]
		c.add(measuredLoaded, *f.Value, load)
		if f.Documented != nil {
			c.add(documentedLoad, f.Documented.Low, load, "low")
			c.add(documentedLoad, f.Documented.High, load, "high")
		}
	}
}

// Signature returns the same text for two machines if and only if the same kinds of modules are in the same
// places: "12x16GiB-1f0c9a77d2e4". A place is the CPU, channel and slot if these are known, otherwise the label
// on the board. Vendors, part numbers and running speeds do not count: they differ within one order. It is ""
// for a machine with unknown slots.
func Signature(inv *report.Inventory) string {
	if len(inv.Slots) == 0 {
		return ""
	}
	lines := make([]string, 0, len(inv.Slots)+1)
	for i := range inv.Slots {
		lines = append(lines, slotLine(&inv.Slots[i]))
	}
	slices.Sort(lines)
	lines = append(lines, "sockets "+strconv.Itoa(inv.Processors()))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return sizesWord(inv.Slots) + "-" + hex.EncodeToString(sum[:6])
}

func slotLine(s *inventory.Slot) string {
	place := "label " + printable.Clean(s.BankLocator.Text()) + "/" + printable.Clean(s.Locator.Text())
	if s.Socket != nil && s.Channel != nil && s.Slot != nil {
		place = "place " + nullable.Text(s.Socket, "") + "." + nullable.Text(s.Channel, "") + "." + nullable.Text(s.Slot, "")
	}
	if s.State != "populated" {
		return place + " " + string(s.State)
	}
	return strings.Join([]string{place, s.SizeBytes.Text(), s.Technology.Text(), s.Type.Text(), s.Ranks.Text(), s.Registered.Text(),
		fact.Convert(s.RatedMTs, ddr.Nominal).Text(), s.TotalWidth.Text()}, " ")
}

// sizesWord counts modules by size, the largest first: "6x16GiB+6x8GiB".
func sizesWord(slots []inventory.Slot) string {
	count := map[int64]int{}
	eachModule(slots, func(s *inventory.Slot) {
		count[s.SizeBytes.Or(0)]++
	})
	var words []string
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		words = append(words, strconv.Itoa(count[size])+"x"+sizeWord(size))
	}
	return cmp.Or(strings.Join(words, "+"), "empty")
}

func sizeWord(size int64) string {
	switch {
	case size == 0:
		return "?"
	case size%(1<<30) == 0:
		return strconv.FormatInt(size>>30, 10) + "GiB"
	default:
		return strconv.FormatInt(size>>20, 10) + "MiB"
	}
}

var (
	findingInfo = declareMetric("finding_info", "rule subject severity root",
		"A rule that fails for a subject; always 1, absent for rules that pass. root is the rule whose failure this one follows from, or the rule itself.")
	problemInfo = declareMetric("problem_info", "rule severity where sentence fix",
		"A numbered problem of the report, one root cause with equal sockets together, with its place, what is wrong and how to fix it; always 1.")
	waiverUntil = declareMetric("waiver_until_timestamp_seconds", "rule subject", "When a waiver that is in force ends, in seconds since 1970: the failure counts again from then on.")
	corrected   = declareMetric("dimm_corrected_errors_total", "handle locator",
		"Memory errors corrected on a module since the kernel's EDAC driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.")
	logEntries = declareMetric("dimm_event_log_entries", "handle locator says",
		"Entries of the BMC's event log about a module that stand: since the last reset or of unknown time, not resolved and not followed by a repair. Without a handle: the place that the log names.")
	uncorrected = declareMetric("dimm_uncorrected_errors_total", "handle locator",
		"Memory errors that could not be corrected on a module since the kernel's EDAC driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.")
)

func (c *collector) addFindings(r *report.Report) {
	roots := map[*verdict.Finding]*verdict.Finding{}
	for i, root := range verdict.RootCauses(r.Findings) {
		roots[&r.Findings[i]] = &r.Findings[root]
	}
	for _, f := range limitFailures(maxFindings, worstFirst(r.Findings, roots)) {
		c.add(findingInfo, 1, f.Rule, f.Subject.String(), string(f.Severity), roots[f].Rule)
	}
}

// addProblems adds the numbered problems of the report: one alert for each is one alert per cause.
func (c *collector) addProblems(all []report.Problem) {
	left := maxProblems
	for i := range all {
		if p := &all[i]; p.IsAboveNote() && left > 0 {
			left--
			c.add(problemInfo, 1, p.Rule, string(p.Severity), oneLine(p.LabelWhere), oneLine(p.Label), oneLine(p.Fix))
		}
	}
}

// Limits of the failures and problems with their own series.
const (
	maxFindings = 100
	maxProblems = 20
)

func worstFirst(all []verdict.Finding, roots map[*verdict.Finding]*verdict.Finding) []*verdict.Finding {
	var out []*verdict.Finding
	for i := range all {
		if f := &all[i]; f.Result == verdict.Fail {
			out = append(out, f)
		}
	}
	follows := func(f *verdict.Finding) int { return int(zeroOrOne(roots[f] != f)) }
	slices.SortStableFunc(out, func(a, c *verdict.Finding) int {
		return cmp.Or(cmp.Compare(report.SeverityRank(c.Severity), report.SeverityRank(a.Severity)), cmp.Compare(follows(a), follows(c)))
	})
	return out
}

// limitFailures keeps the first failures. If there are more, one of each rule precedes a second of any: alerts are by
// rule, and a rule that fails on all of a hundred modules must not displace another.
func limitFailures(most int, all []*verdict.Finding) []*verdict.Finding {
	if len(all) <= most {
		return all
	}
	var first, more []*verdict.Finding
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Rule] {
			more = append(more, f)
			continue
		}
		seen[f.Rule] = true
		first = append(first, f)
	}
	return append(first, more...)[:most]
}

// oneLine cuts a text to the length of a label, at the end of a step if it has several.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxLabel {
		return text
	}
	const dots = " ..."
	room := text[:maxLabel-len(dots)+1]
	cut := strings.LastIndexByte(room, ' ')
	if cut < 0 {
		return text
	}
	if step := max(strings.LastIndex(room, "; "), strings.LastIndex(room, ". ")); step > 0 { // a step is printed completely or not at all
		cut = step + 1
	}
	return text[:cut] + dots
}

// addWaivers adds the last days of active waivers. A finding waived with its cause has none of its own: one waiver
// is one series, and one alert before it expires.
func (c *collector) addWaivers(all []verdict.Finding) {
	ends := map[string]string{}
	for i := range all {
		if f := &all[i]; waivedUntil(f) != "" {
			ends[f.Rule] = waivedUntil(f)
		}
	}
	for i := range all {
		f := &all[i]
		until := waivedUntil(f)
		if until == "" || ends[string(f.CausedBy)] == until {
			continue
		}
		if last, err := time.Parse(time.DateOnly, until); err == nil {
			c.add(waiverUntil, float64(last.AddDate(0, 0, 1).Unix()), f.Rule, f.Subject.String())
		}
	}
}

func waivedUntil(f *verdict.Finding) string {
	if f.Result != verdict.Waived || f.Waiver == nil {
		return ""
	}
	return string(f.Waiver.Until)
}

// addErrors adds the memory errors of each module, except those of a log: old messages are dropped from
// it, and a falling counter would look like a restart. A counter without a known slot has the driver's label
// and no handle, so that it is not lost.
func (c *collector) addErrors(inv *report.Inventory) {
	add := func(e *inventory.Errors, labels ...string) {
		if e == nil {
			return
		}
		entries := map[eventlog.Says]float64{}
		for _, l := range e.Standing() {
			entries[l.Says]++
		}
		for says, n := range entries {
			c.add(logEntries, n, append(labels, string(says))...)
		}
		if e.Source != inventory.SourceKernelLog && e.By != place.ByEvents {
			addKnown(c, corrected, e.Corrected.Pointer(), 1, labels...)
			addKnown(c, uncorrected, e.Uncorrected.Pointer(), 1, labels...)
		}
	}
	eachModule(inv.Slots, func(s *inventory.Slot) { add(s.Errors, s.Handle.String(), s.Locator.Text()) })
	for i := range inv.UnplacedErrors {
		add(&inv.UnplacedErrors[i].Errors, "", inv.UnplacedErrors[i].Label)
	}
}

// resultRanks has for each result of a rule the highest severity rank of its findings.
type resultRanks map[verdict.Result]int

// worstResults lists the results, the worst first.
var worstResults = [...]verdict.Result{verdict.Fail, verdict.Error, verdict.Unknown, verdict.Waived, verdict.Pass, verdict.NotApplicable}

func (r resultRanks) worstSeverity(results ...verdict.Result) string {
	worst := 0
	for _, result := range results {
		worst = max(worst, r[result])
	}
	return string(report.SeverityName(cmp.Or(worst, slices.Max(slices.Collect(maps.Values(r))))))
}

var (
	ruleFailed  = declareMetric("rule_failed", "rule severity", "1 when the rule failed for any subject, with the worst severity among the failures; there for every applicable rule.")
	ruleUnknown = declareMetric("rule_unknown", "rule severity", "1 when the rule could not be checked for any subject, which is never a pass; there for every applicable rule.")
	ruleCount   = declareMetric("rules", "result", "Number of rules by result, each counted once by the worst of its subjects.")
)

// addRules adds for every applicable rule whether it failed and whether it is unknown, which includes errors.
func (c *collector) addRules(findings []verdict.Finding) {
	rules := map[string]resultRanks{}
	for _, f := range findings {
		if rules[f.Rule] == nil {
			rules[f.Rule] = resultRanks{}
		}
		rules[f.Rule][f.Result] = max(rules[f.Rule][f.Result], report.SeverityRank(f.Severity))
	}
	count := map[verdict.Result]int{}
	for rule, ranks := range rules {
		worst := worstResults[slices.IndexFunc(worstResults[:], func(r verdict.Result) bool { return ranks[r] > 0 })]
		count[worst]++
		if worst != verdict.NotApplicable {
			c.add(ruleFailed, zeroOrOne(ranks[verdict.Fail] > 0), rule, ranks.worstSeverity(verdict.Fail))
			c.add(ruleUnknown, zeroOrOne(ranks[verdict.Unknown]+ranks[verdict.Error] > 0), rule, ranks.worstSeverity(verdict.Unknown, verdict.Error))
		}
	}
	for _, r := range worstResults {
		c.add(ruleCount, float64(count[r]), string(r))
	}
}
