package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
)

// TestMachineNames checks that the vendor is printed once, without its legal form, and that an unknown name is
// reported as such.
func TestMachineNames(t *testing.T) {
	for _, c := range []struct{ vendor, product, want string }{
		{"Dell Inc.", "PowerEdge R710", "Dell PowerEdge R710"}, {"HPE", "HPE ProLiant", "HPE ProLiant"}, {"Lenovo", "LENOVO SR650", "LENOVO SR650"},
		{"Example Co., Ltd.", "Example One", "Example One"}, {"", "R710", "R710"}, {"Dell Inc.", "", "Dell Inc., model not known"}, {"", "", "machine of unknown make"},
		{"Intel Corporation", "S2600", "Intel S2600"},
	} {
		assert.Equal(t, c.want, Machine(&report.Machine{Vendor: nullable.String(c.vendor), Product: nullable.String(c.product)}), c)
	}
	for _, c := range []struct{ version, date, want string }{
		{"2.1", "", "BIOS 2.1"}, {"", "", ""}, {"2.1", "03/04/2019", "BIOS 2.1 (" + Date("03/04/2019") + ")"}, {"", "03/04/2019", "BIOS of " + Date("03/04/2019")},
	} {
		assert.Equal(t, c.want, BIOS(&report.BIOS{Version: nullable.String(c.version), Date: nullable.String(c.date)}), c)
	}
}

// TestPrintedRates checks the names under which JEDEC and the vendors print the speeds that firmware reports
// (JESD79-3F: 1066, 1333; JESD79-4: 2133, 2666, 2933).
func TestPrintedRates(t *testing.T) {
	for stated, want := range map[int]string{1067: "1066", 1332: "1333", 1334: "1333", 668: "667", 1867: "1866", 2134: "2133", 2667: "2666", 2934: "2933", 4800: "4800", 1111: "1111"} {
		assert.Equal(t, want, PrintedRate(stated), stated)
	}
}

// TestReachedSpeeds checks that a speed without a document for the modules is an upper limit.
func TestReachedSpeeds(t *testing.T) {
	assert.Equal(t, "1333 MT/s", ReachedSpeed(&report.ReachedSocket{ExpectedMTs: new(1333)}))
	assert.Equal(t, "up to 1333 MT/s", ReachedSpeed(&report.ReachedSocket{ExpectedMTs: new(1333), UpTo: true}))
	assert.Equal(t, "800 MT/s as today (32.0 GB/s if it ran at 1333 MT/s)", ReachedSpeed(&report.ReachedSocket{ExpectedMTs: new(1333), ClockMTs: new(800), PeakBytes: new(int64(19.2e9))}))
	assert.Equal(t, "1600 MT/s as today", ReachedSpeed(&report.ReachedSocket{ExpectedMTs: new(1333), ClockMTs: new(1600), PeakBytes: new(int64(38.4e9))}))
	assert.Empty(t, ReachedSpeed(&report.ReachedSocket{UpTo: true}))
}

// TestCountedProcessors counts populated sockets by model; one without data counts.
func TestCountedProcessors(t *testing.T) {
	const model = "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz"
	assert.Equal(t, []string{"2 x " + Processor(model), "1 x processor of unknown model"},
		Processors([]report.Socket{{Populated: new(true), Model: model}, {Populated: new(false), Model: "old text"}, {Model: model}, {Populated: new(true)}}))
	assert.Empty(t, Processors(nil))
}

// TestSummedCapacities sums modules by technology, or gives the kernel's count if no module is listed; one of unknown
// size makes it a lower limit, and empty slots and other devices do not count.
func TestSummedCapacities(t *testing.T) {
	const gib = int64(1 << 30)
	slot := func(technology, kind string, size int64) report.Slot {
		s := report.Slot{State: "populated", Technology: nullable.String(technology), Type: nullable.String(kind)}
		if size > 0 {
			s.SizeBytes = &size
		}
		return s
	}
	empty, flash := report.Slot{State: "empty", Technology: "dram", SizeBytes: new(8 * gib)}, slot("flash", "", gib)
	for name, c := range map[string]struct {
		slots []report.Slot
		nodes []report.Node
		want  []string
	}{
		"one kind":            {[]report.Slot{slot("dram", "DDR4", 8*gib), slot("dram", "DDR4", 16*gib), empty, flash, slot("other", "", gib)}, nil, []string{"24 GiB DDR4"}},
		"two kinds":           {[]report.Slot{slot("dram", "DDR3", 8*gib), slot("dram", "DDR4", 8*gib)}, nil, []string{"16 GiB DDR3 and DDR4"}},
		"no kind":             {[]report.Slot{slot("dram", "", 8*gib)}, nil, []string{"8 GiB"}},
		"another technology":  {[]report.Slot{slot("dram", "DDR4", 8*gib), slot("nvdimm", "DDR4", 128*gib)}, nil, []string{"8 GiB DDR4", "128 GiB NVDIMM"}},
		"alone":               {[]report.Slot{slot("nvdimm", "DDR4", 128*gib), slot("dram", "", 8*gib)}, nil, []string{"128 GiB NVDIMM", "8 GiB"}},
		"firmware's mistake":  {[]report.Slot{mistaken(slot("dram", "DDR2", 8*gib), "DDR3"), mistaken(slot("dram", "DRAM", 8*gib), "DDR3")}, nil, []string{"16 GiB DDR3 (reported as DDR2) and DDR3 (reported as DRAM)"}},
		"firmware's half":     {[]report.Slot{mistaken(slot("dram", "DDR2", 8*gib), "DDR2 FB-DIMM")}, nil, []string{"8 GiB DDR2 FB-DIMM"}},
		"of unknown size":     {[]report.Slot{slot("dram", "DDR4", 8*gib), slot("dram", "DDR4", 0)}, nil, []string{"at least 8 GiB DDR4"}},
		"seen by the kernel":  {[]report.Slot{empty}, []report.Node{{MemoryBytes: new(8 * gib)}, {MemoryBytes: new(8 * gib)}}, []string{"16 GiB seen by the kernel"}},
		"one node is unknown": {nil, []report.Node{{MemoryBytes: new(8 * gib)}, {}}, nil},
		"nodes of none":       {nil, []report.Node{{MemoryBytes: new(int64(0))}}, nil},
		"nothing":             {nil, nil, nil},
	} {
		assert.Equal(t, c.want, Capacities(&report.Inventory{Slots: c.slots, Nodes: c.nodes}), name)
	}
}

// mistaken is a module of a kind that firmware calls another.
func mistaken(s report.Slot, kind string) report.Slot {
	s.Memory = kind
	return s
}

// TestCountedErrors checks that uncorrected errors are printed with the corrected ones, which may be unknown, and
// that zero and uncounted ones are not printed.
func TestCountedErrors(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		errors *report.Errors
		want   string
	}{
		{nil, ""}, {&report.Errors{}, ""}, {&report.Errors{Corrected: n(0), Uncorrected: n(0)}, ""}, {&report.Errors{Corrected: n(1)}, "1 corrected errors"},
		{&report.Errors{Corrected: n(120), Uncorrected: n(0)}, "120 corrected errors"}, {&report.Errors{Corrected: n(3), Uncorrected: n(1)}, "3 corrected and 1 uncorrected errors"},
		{&report.Errors{Uncorrected: n(2)}, "? corrected and 2 uncorrected errors"},
	} {
		assert.Equal(t, c.want, Errors(c.errors))
	}
}

// TestMeasuredFigures checks a figure in its own unit, its passes if they differ, and the nodes of processors and
// memory if the tool names them.
func TestMeasuredFigures(t *testing.T) {
	latency, bandwidth := &report.MeasuredFigure{Kind: "latency", What: "chase"}, &report.MeasuredFigure{Kind: "bandwidth", What: "triad", Store: "streaming"}
	assert.Equal(t, "chase", MeasuredKind(latency))
	assert.Equal(t, "triad, streaming stores", MeasuredKind(bandwidth))
	assert.Equal(t, "not measured", MeasuredValue(latency, nil))
	assert.Equal(t, "81.5 ns", MeasuredValue(latency, new(81.5e-9)))
	assert.Equal(t, "20.0 GB/s", MeasuredValue(bandwidth, new(20e9)))
	for name, c := range map[string]struct {
		low, high *float64
		undecided nullable.String
		want      string
	}{
		"apart": {new(80e-9), new(90e-9), "", "80.0 ns to 90.0 ns"}, "equal": {new(80e-9), new(80e-9), "", ""}, "one": {new(80e-9), nil, "", ""}, "other": {nil, new(80e-9), "", ""},
		"undecided": {nil, nil, "too few", "too few"}, "both": {new(80e-9), new(90e-9), "too few", "80.0 ns to 90.0 ns; too few"}, "none": {nil, nil, "", ""},
	} {
		assert.Equal(t, c.want, MeasuredPasses(&report.MeasuredFigure{Kind: "latency", Low: c.low, High: c.high, Undecided: c.undecided}), name)
	}
	for name, c := range map[string]struct {
		cpu, memory *int
		want        string
	}{
		"run": {nil, nil, "run 3"}, "half": {new(1), nil, "run 3"}, "other half": {nil, new(1), "run 3"}, "local": {new(1), new(1), "node 1"}, "remote": {new(1), new(0), "node 1, memory of node 0"},
	} {
		assert.Equal(t, c.want, MeasuredPlace(&report.MeasuredFigure{Run: 2, CPUNode: c.cpu, MemoryNode: c.memory}), name)
	}
}

// TestEffortOfAdvice checks what is moved, bought and removed, and what is given up.
func TestEffortOfAdvice(t *testing.T) {
	for _, c := range []struct {
		advice report.Advice
		want   string
	}{
		{report.Advice{ID: report.AdviceSettings, Cures: make([]verdict.Ref, 2)}, "1 setting for 2 findings"},
		{report.Advice{ID: "move", Moves: 2}, "2 DIMMs to move, nothing to buy"},
		{report.Advice{ID: "install", Moves: 1, Installs: 1}, "1 DIMM to move, 1 DIMM to buy"},
		{report.Advice{ID: "exchange", Installs: 4, Removes: 4}, "4 DIMMs to buy, 4 DIMMs to take out"},
		{report.Advice{ID: "remove", Removes: 1, GivenUpBytes: 16 << 30}, "1 DIMM to take out, nothing to buy, 16 GiB of capacity given up"},
	} {
		assert.Equal(t, c.want, Effort(&c.advice))
	}
}

// TestWordsOfReadings checks a source with the file and the text if known, and what to do for an unknown value.
func TestWordsOfReadings(t *testing.T) {
	for want, e := range map[string]fact.Evidence{
		"numa": {Source: "numa"}, "numa /sys/x": {Source: "numa", Path: "/sys/x"}, "numa: 0-5": {Source: "numa", Raw: "0-5"}, "numa /sys/x: 0-5": {Source: "numa", Path: "/sys/x", Raw: "0-5"},
	} {
		assert.Equal(t, want, Reading(&e))
	}
	assert.Equal(t, WayNone, WayToKnow(""))
	assert.Equal(t, WaySMBIOS, WayToKnow("give --smbios FILE, or run as root"), "the narrower way")
	assert.Equal(t, WayRoot, WayToKnow("run as root"))
	assert.Equal(t, "a way of its own", WayToKnow("a way of its own"))
	var sums Tally
	sums.Add("a", 1)
	sums.Add("b", 2)
	sums.Add("a", 3)
	assert.Equal(t, Tally{{"a", 4}, {"b", 2}}, sums)
}

// TestWordsOfSubjects checks that two of a kind are joined like more.
func TestWordsOfSubjects(t *testing.T) {
	assert.Equal(t, []string{"sockets 0-1"}, Subjects([]inventory.Subject{inventory.SocketSubject(1), inventory.SocketSubject(0)}))
	assert.Equal(t, []string{"socket 3", "machine"}, Subjects([]inventory.Subject{inventory.SocketSubject(3), {}}))
	assert.Equal(t, NoSocket, SocketID(nil))
	assert.Equal(t, 2, SocketID(new(2)))
	assert.Empty(t, Share(&report.Relative{Low: new(0.5)}))
	assert.Empty(t, Share(&report.Relative{High: new(0.5)}))
	assert.Equal(t, "50 % of best bandwidth", Share(&report.Relative{Low: new(0.5), High: new(0.5)}))
}

// TestBoardsOfRepeatedLabels checks that boards are named if labels repeat and every slot has its board and
// controller, without the processor's own name.
func TestBoardsOfRepeatedLabels(t *testing.T) {
	slot := func(label, bank string, controller *int) *report.Slot {
		return &report.Slot{Locator: nullable.String(label), BankLocator: nullable.String(bank), Controller: controller, Socket: new(1)}
	}
	inv := &report.Inventory{Sockets: []report.Socket{{ID: 0, Designation: "CPU1"}, {ID: 1, Designation: "CPU2"}}}
	for name, c := range map[string]struct {
		slots []*report.Slot
		want  map[int]string
	}{
		"repeated":          {[]*report.Slot{slot("1A", "CPU2-MEM-A", new(0)), slot("1A", "CPU2-MEM-B", new(1))}, map[int]string{0: "MEM-A", 1: "MEM-B"}},
		"another processor": {[]*report.Slot{slot("1A", "CPU1-MEM-A", new(0)), slot("1A", "CPU1-MEM-B", new(1))}, map[int]string{0: "CPU1-MEM-A", 1: "CPU1-MEM-B"}},
		"no controller":     {[]*report.Slot{slot("1A", "CPU2-MEM-A", new(0)), slot("1A", "CPU2-MEM-B", nil)}, nil},
		"no board":          {[]*report.Slot{slot("1A", "CPU2-MEM-A", new(0)), slot("1A", "", new(1))}, nil},
		"not repeated":      {[]*report.Slot{slot("1A", "CPU2-MEM-A", new(0)), slot("1B", "CPU2-MEM-B", new(1))}, nil},
	} {
		assert.Equal(t, c.want, Boards(inv, c.slots), name)
	}
	assert.Empty(t, report.Designation(inv, nil))
	assert.Equal(t, "CPU2", report.Designation(inv, new(1)))
}
