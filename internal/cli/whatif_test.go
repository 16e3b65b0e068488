package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestPlan checks the planner on an unbalanced R610, with expectations derived by hand.
func TestPlan(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-unbalanced")
	out := must(t, "plan", "--root", root, "--move", "DIMM_B4=DIMM_B3", "--format", "json")
	doc := decoded[struct {
		Schema string
		After  struct {
			Findings []struct{ Rule string }
		}
		Gone []struct{ Rule, Subject string } `json:"findings_gone"`
		New  []struct{ Rule, Subject string } `json:"findings_new"`
	}](t, out)
	assert.Equal(t, "memaudit.plan/v1", doc.Schema)
	assert.NotEmpty(t, doc.Gone)
	assert.Empty(t, doc.New)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--move", "DIMM_B4"}, "expected A=B"},
		{[]string{"--install", "DIMM_B3=big"}, "expected SLOT=SIZE, such as DIMM_A1=16G"},
		{[]string{"--install", "DIMM_B4=8G"}, "DIMM_B4 is not empty"},
		{[]string{"--move", "DIMM_B1=DIMM_B4"}, "DIMM_B4 is not empty: move or remove its module first, or swap the two: --move A=B --move B=A"},
		{[]string{"--remove", "DIMM_X1"}, `the nearest is "DIMM_A1"); accepted are a locator or its end (A1 of DIMM_A1), BANK/LOCATOR, or a handle`},
		{[]string{"--remove", "what"}, "the nearest is"},
		{[]string{"--remove", ""}, `--remove "": expected SLOT`},
		{[]string{"--move", " =DIMM_B3"}, "expected A=B"},
		{[]string{"--install", "DIMM_B3=3G"}, "no module has 3G; expected a power of two"},
		{[]string{"--move", "DIMM_B6=DIMM_B3"}, "DIMM_B6 holds no module to move; filled are DIMM_A1"},
		{nil, "plan needs --capacity SIZE, --move A=B"},
	} {
		status, out, errs := run(nil, append([]string{"plan", "--root", root}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.says)
	}
}

// TestPlanNamesAssumedModule checks that if the modules of a size differ, the one that a new one is assumed to equal is
// named next to the result, not in it.
func TestPlanNamesAssumedModule(t *testing.T) {
	b := smbiostest.New(2, 8)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Model 1"})
	array := b.Array(smbiostest.Array{Devices: 3, MaxBytes: 1 << 40})
	for slot, ranks := range []byte{1, 2, 0} {
		d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_A%d", slot+1), Type: 0x1A}
		if ranks > 0 {
			d.Bytes, d.Rank, d.Speed, d.Manufacturer, d.Part = 8<<30, ranks, 2666, "Samsung", fmt.Sprint("M00", ranks)
		}
		b.MemoryDevice(d)
	}
	status, out, errs := run(nil, "plan", "--smbios", fileOf(t, "dump.bin", b.Dump()), "--install", "DIMM_A3=8G")
	require.Zero(t, status, errs)
	assert.Contains(t, errs, "memaudit: warning: the modules of 8 GiB differ; the one in DIMM_A3 is taken to be like that in DIMM_A1: single-rank DDR4")
	assert.NotContains(t, out, "taken to be")
}

// TestPlanCapacity checks the configurations for 48 GiB on an R610, and for 128 GiB on four Westmere-EX processors,
// for which the paper has 32 GB of class 1 and class 2.
func TestPlanCapacity(t *testing.T) {
	t.Parallel()
	type configuration struct {
		DIMMs []struct {
			SizeBytes int64 `json:"size_bytes"`
			Count     int
		}
		Slots       []string
		Class       *string
		ExpectedMTs *int `json:"expected_mts"`
		Source      string
	}
	var doc struct {
		Schema         string
		Machine        *struct{ Product *string }
		Platform       string
		Sockets        int
		CapacityBytes  int64 `json:"capacity_bytes"`
		Configurations []configuration
	}
	out := must(t, "plan", "--root", tree(t, "dell-r610-unbalanced"), "--capacity", "48G", "--format", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Equal(t, "memaudit.plan/v1", doc.Schema)
	assert.Equal(t, "PowerEdge R610", *doc.Machine.Product)
	assert.Equal(t, []any{2, int64(48 << 30), "westmere-ep"}, []any{doc.Sockets, doc.CapacityBytes, doc.Platform})
	require.Len(t, doc.Configurations, 2)
	assert.Equal(t, []string{"DIMM_A1", "DIMM_A2", "DIMM_A3", "DIMM_A4", "DIMM_A5", "DIMM_A6"}, doc.Configurations[0].Slots, "six modules are bought either way, here the smaller ones")
	assert.Equal(t, []string{"DIMM_A1", "DIMM_A2", "DIMM_A3"}, doc.Configurations[1].Slots)
	assert.Equal(t, 1333, *doc.Configurations[1].ExpectedMTs)
	assert.Contains(t, doc.Configurations[1].Source, "R610 Technical Guide p29")

	doc.Machine = nil
	out = must(t, "plan", "--platform", "westmere-ex", "--sockets", "4", "--capacity", "128G", "--format", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Nil(t, doc.Machine)
	require.Len(t, doc.Configurations, 4)
	assert.Equal(t, "1", *doc.Configurations[0].Class)
	assert.Equal(t, 8, doc.Configurations[0].DIMMs[0].Count)

	out = must(t, "plan", "--platform", "westmere-ex", "--capacity", "50G")
	assert.Contains(t, out, "CAPACITY  64 GiB\n  requested 50 GiB")

	out = must(t, "plan", "--platform", "bensley", "--capacity", "4G", "--all")
	assert.Contains(t, out, "57 %")
	assert.Contains(t, out, "(discouraged)")
}

// TestPlanCapacityRefuses checks that a usage error has status 2, prints nothing, and names the accepted values.
func TestPlanCapacityRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--capacity", "lots"}, "expected a whole number with M, G or T"},
		{[]string{"--capacity", "0G", "--platform", "rome"}, "expected a whole number"},
		{[]string{"--capacity", "64G", "--platform", "westmer"}, "the nearest are westmere-ep"},
		{[]string{"--capacity", "1T", "--platform", "westmere-ep"}, "the most is 576 GiB"},
		{[]string{"--capacity", "64G", "--platform", "power10"}, "no document gives"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--sockets", "65"}, "expected a number from 1 to 64"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--sockets", "0"}, "expected a number from 1 to 64"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--root", "/nowhere"}, "--platform plans without a machine"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--move", "A=B"}, "--capacity plans from empty slots"},
		{[]string{"--platform", "rome"}, "--platform belongs to --capacity"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--format", "html"}, "expected one of"},
	} {
		status, out, errs := run(nil, append([]string{"plan"}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, out, c.args)
		assert.Contains(t, errs, c.says)
	}
}

// machinesOf names the machines of changes.
func machinesOf(list []fleet.Change) string {
	var out []string
	for i := range list {
		out = append(out, list[i].Machine)
	}
	return strings.Join(out, " ")
}

// TestFleetPlan checks that a machine with a module in the wrong slot is advised to move it, that one with half of
// its channels empty gets the modules in stock, that one with more modules than its class needs gives them up down to
// its floor, and that a good one stays unchanged.
func TestFleetPlan(t *testing.T) {
	t.Parallel()
	machines := []string{tree(t, "dell-r610-unbalanced"), tree(t, "dell-r610-good"), tree(t, "supermicro-rome-half"), tree(t, "dell-m710-full")}
	spare := fileOf(t, "spare.yaml", "- {part: HMA84GR7DJR4N-XN, count: 3}\n- {size: 32G, type: DDR4, ranks: 2, count: 3}\n- {size: 64G, type: DDR4, ranks: 2, count: 3}\n")
	status, d := fleetOf(t, nil, append([]string{"--plan", "--spare", spare}, machines...)...)
	require.Zero(t, status)
	p := d.Plan
	require.NotNil(t, p)
	assert.Empty(t, p.NotPlanned)

	require.Equal(t, "dell-r610-unbalanced", machinesOf(p.Moves))
	assert.Equal(t, []string{"move DIMM_B4 to DIMM_B3"}, p.Moves[0].Steps)
	assert.InDelta(t, 4.0/3, *p.Moves[0].Times, 0.01, "one processor has half of its bandwidth at most")

	require.Equal(t, "supermicro-rome-half", machinesOf(p.Spares))
	assert.Equal(t, 4, p.Spares[0].Modules)
	assert.Equal(t, []int{1, 2}, p.Spares[0].Spares)
	assert.Equal(t, []int{3, 1, 0}, []int{p.Stock[0].Used, p.Stock[1].Used, p.Stock[2].Used})
	assert.Empty(t, p.Stock[0].Assumed)
	assert.Equal(t, "speed and kind (RDIMM, LRDIMM, UDIMM) not given, taken to be as installed", p.Stock[1].Assumed)

	require.Equal(t, "dell-m710-full", machinesOf(p.GiveUp))
	assert.Equal(t, 6, p.GiveUp[0].Modules, "half of the capacity stays unless a floor allows less")
	for _, s := range p.GiveUp[0].Advice.Reaches.Sockets {
		assert.Equal(t, "A", string(s.Class))
	}
	assert.Nil(t, p.GiveUp[0].FloorBytes)

	text := must(t, append([]string{"fleet", "--plan", "--spare", spare}, machines...)...)
	for _, want := range []string{"4 machines: 1 can gain by moves alone, 1 can give up modules (6)", "4 of 9 spare modules placed in 1 machine",
		"1. move DIMM_B4 to DIMM_B3", "6 modules, 72 GiB to 48 GiB", "4 modules of spare 1 and 2; 1 warning fewer, at least 2.0 times", "no machine with modules of this kind"} {
		assert.Contains(t, strings.Join(strings.Fields(text), " "), want)
	}
}

// TestFleetPlanFloor checks that a floor of the machine, or of its product, keeps modules in it, that the machine's
// own takes precedence, and that a name that is not in the fleet is reported.
func TestFleetPlanFloor(t *testing.T) {
	t.Parallel()
	for text, modules := range map[string]int{
		"machines: {dell-m710-full: 48G}":                                   6,
		"products: {PowerEdge M710: 48G}":                                   6,
		"machines: {dell-m710-full: 72G}":                                   0,
		"{machines: {dell-m710-full: 24G}, products: {PowerEdge M710: 1T}}": 12,
		"{machines: {dell-m71-full: 72G}, products: {PowerEdge M71: 1T}}":   6,
	} {
		status, d := fleetOf(t, nil, "--plan", "--floor", fileOf(t, "floor.yaml", text), tree(t, "dell-m710-full"))
		require.Zero(t, status)
		given := 0
		for i := range d.Plan.GiveUp {
			given += d.Plan.GiveUp[i].Modules
			assert.NotNil(t, d.Plan.GiveUp[i].Advice.Reaches.CapacityBytes)
		}
		assert.Equal(t, modules, given, text)
		if strings.Contains(text, "m71-") {
			assert.Equal(t, []string{"machine dell-m71-full", "product PowerEdge M71"}, d.Plan.UnknownFloors)
		} else {
			assert.Empty(t, d.Plan.UnknownFloors)
		}
	}
}

// TestFleetPlanWithout checks the reason if nothing can be planned: a report and an inventory, which do not contain
// the machine, a machine whose population is accepted, one beyond the limit. Modules are not distributed if there are
// too few in stock.
func TestFleetPlanWithout(t *testing.T) {
	t.Parallel()
	half := tree(t, "supermicro-rome-half")
	_, doc, _ := run(nil, "check", "--root", half, "--format", "json")
	_, inv, _ := run(nil, "inventory", "--root", half, "--format", "json")
	status, d := fleetOf(t, nil, "--plan", fileOf(t, "report.json", doc), fileOf(t, "inventory.json", inv))
	assert.Equal(t, 3, status, "nothing is planned")
	require.Len(t, d.Plan.NotPlanned, 1)
	assert.Len(t, d.Plan.NotPlanned[0].Machines, 2)
	assert.Contains(t, d.Plan.NotPlanned[0].Reason, "does not hold the machine")

	spare := fileOf(t, "spare.yaml", "- {size: 32G, type: DDR4, ranks: 2, count: 3}\n")
	status, d = fleetOf(t, nil, "--plan", "--spare", spare, half, fileOf(t, "report.json", doc))
	assert.Zero(t, status)
	assert.Empty(t, d.Plan.Spares)
	assert.Zero(t, d.Plan.Stock[0].Used)

	m := machinetest.Named(t, "dell-r710-two-channels")
	two := m.Tree().Write(t)
	_, labels, _ := run(nil, "labels", "--root", two)
	_, signature, _ := strings.Cut(labels, "/memaudit-population=")
	signature, _, _ = strings.Cut(signature, "\n")
	config := fileOf(t, "memaudit.yaml", "accepted:\n  - {product: PowerEdge R710, population: "+signature+", reason: capacity is not needed, until: 2099-01-01}\n")
	_, d = fleetOf(t, nil, "--plan", "--config", config, two)
	require.Len(t, d.Plan.NotPlanned, 1)
	assert.Equal(t, "the configuration accepts its population as it is", d.Plan.NotPlanned[0].Reason)
}

// TestFleetPlanMistakes checks that an error in a file or a flag is reported with its place.
func TestFleetPlanMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flag, text, says string }{
		{"--spare", "- {size: 16G, type: DDR4, ranks: 2}", "entry 1: count is 0, expected a number from 1 to 1048576"},
		{"--spare", "- {size: 16G, type: DDR4, count: 2}", "entry 1: expected part, or size, type and ranks"},
		{"--spare", "- {size: 17G, type: DDR4, ranks: 2, count: 2}", "entry 1: size \"17G\": no module has it"},
		{"--spare", "- {size: 16G, type: DDR6, ranks: 2, count: 2}", "entry 1: type \"DDR6\": expected SMBIOS's word"},
		{"--spare", "- {size: 16G, type: DDR4, ranks: 2, speed: 1333, count: 2}", "entry 1: speed 1333: no data rate of DDR4"},
		{"--spare", "- {size: 16G, type: DDR4, ranks: 2, kind: big, count: 2}", "entry 1: kind \"big\": expected one of RDIMM, LRDIMM, UDIMM"},
		{"--spare", "- {part: HMA84GR7DJR4N-XN, size: 16G, count: 2}", "entry 1: size contradicts the part number HMA84GR7DJR4N-XN"},
		{"--spare", "- {parts: X, count: 2}", "line 1"},
		{"--spare", "", "0 entries, expected from 1 to 1024"},
		{"--floor", "machines: {a: much}", "machines: a: \"much\", expected a capacity such as 256G or 1T"},
		{"--floor", "", "names no machine and no product"},
	} {
		status, _, errs := run(nil, "fleet", "--plan", c.flag, fileOf(t, "file.yaml", c.text), tree(t, "dell-r610-good"))
		assert.Equal(t, 2, status, c.text)
		assert.Contains(t, strings.Join(strings.Fields(errs), " "), c.says, c.text)
	}
	for says, args := range map[string][]string{
		"--spare belongs to --plan":                     {"--spare", "x"},
		"--plan is printed as text or json, not as csv": {"--plan", "--format", "csv"},
		"leave out one of --section and --plan":         {"--plan", "--section", "machines"},
		"--limit 0s: expected more than no time":        {"--plan", "--limit", "0s"},
		"--spare /no/such: no such file":                {"--plan", "--spare", "/no/such"},
	} {
		status, _, errs := run(nil, append(append([]string{"fleet"}, args...), tree(t, "dell-r610-good"))...)
		assert.Equal(t, 2, status, says)
		assert.Contains(t, strings.Join(strings.Fields(errs), " "), says)
	}
}

// TestFleetPlanLimit checks that machines beyond the limit get no plan, with the reason.
func TestFleetPlanLimit(t *testing.T) {
	t.Parallel()
	p, out, errs := newProgram(nil)
	began := p.Now()
	var calls atomic.Int64
	p.Now = func() time.Time { return began.Add(time.Duration(calls.Add(1)) * time.Hour) }
	assert.Equal(t, 3, p.Main([]string{"fleet", "--plan", "--limit", "1m", tree(t, "dell-r610-unbalanced")}), errs.String())
	assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), "the time for the plan is over; --limit gives more than 1m0s")
}
