package measure

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/nullable"
)

// passesOf are quiet passes of one kind: eight threads for a second each, or one.
func passesOf(kind Kind, values ...float64) []Pass {
	none, out := 0.0, make([]Pass, len(values))
	for i, v := range values {
		out[i] = Pass{Kind: kind, Value: v, Wall: 8, CPU: 8, Foreign: &none, Clock: 8e8}
		if kind == Latency {
			out[i].Wall, out[i].CPU = 1, 1
		}
	}
	return out
}

// lost are passes that do not count.
func lost(kind Kind, n int) []Pass {
	why, out := "somebody came", passesOf(kind, slices.Repeat([]float64{1}, n)...)
	for i := range out {
		out[i].Discarded = nullable.String(why)
	}
	return out
}

// TestFigure checks the median, the bounds and the reason for given passes.
func TestFigure(t *testing.T) {
	alike := func(n int) []Pass { return passesOf(Read, slices.Repeat([]float64{100e9}, n)...) }
	for name, c := range map[string]struct {
		passes            []Pass
		count             int
		median, low, high float64
		why               string
	}{
		"none":              {nil, 0, 0, 0, 0, "not measured"},
		"none of this kind": {passesOf(Triad, 1e9), 0, 0, 0, 0, "not measured"},
		"all lost":          {lost(Read, 8), 0, 0, 0, 0, "0 of 8 passes count, 7 are needed: somebody came"},
		"one lost, none":    {lost(Read, 1), 0, 0, 0, 0, "0 of 1 passes count, 7 are needed: somebody came"},
		"one":               {alike(1), 1, 100e9, 100e9, 100e9, "1 passes, 7 are needed"},
		"six":               {alike(6), 6, 100e9, 100e9, 100e9, "6 passes, 7 are needed"},
		"six and one lost":  {append(alike(6), lost(Read, 1)...), 6, 100e9, 100e9, 100e9, "6 of 7 passes count, 7 are needed: somebody came"},
		"seven":             {alike(7), 7, 100e9, 100e9, 100e9, ""},
		"seven, five lost":  {append(alike(7), lost(Read, 5)...), 7, 100e9, 100e9, 100e9, ""},
		"eight":             {passesOf(Read, 98e9, 99e9, 99e9, 100e9, 101e9, 101e9, 101e9, 102e9), 8, 100.5e9, 98e9, 102e9, ""},
		"5 % apart":         {passesOf(Read, 97.5e9, 100e9, 100e9, 100e9, 100e9, 100e9, 102.5e9), 7, 100e9, 97.5e9, 102.5e9, ""},
		"6 % apart":         {passesOf(Read, 97e9, 100e9, 100e9, 100e9, 100e9, 100e9, 103e9), 7, 100e9, 97e9, 103e9, "the passes differ by 6.0 %, more than 5 %"},
		"nothing":           {passesOf(Read, 0, 0, 0, 0, 0, 0, 0), 7, 0, 0, 0, "not above zero"},
		"less than nothing": {passesOf(Read, -1, -1, -1, -1, -1, -1, -1), 7, -1, -1, -1, "not above zero"},
	} {
		t.Run(name, func(t *testing.T) {
			f := (&Cell{Threads: 8, Passes: c.passes}).Figure(Read)
			assert.Equal(t, []float64{float64(c.count), c.median, c.low, c.high}, []float64{float64(f.Count), f.Median, f.Low, f.High})
			assert.Equal(t, c.why, f.Why)
		})
	}
}

// TestBelow checks that every pass of one is below every pass of the other, at similar clocks.
func TestBelow(t *testing.T) {
	figure := func(low, high, clock float64) Figure {
		return Figure{Kind: Read, Count: 8, Median: (low + high) / 2, Low: low, High: high, Clock: clock}
	}
	doubtful := Figure{Kind: Read, Why: "noise"}
	for name, c := range map[string]struct {
		one, other Figure
		share      float64
		why        string
	}{
		"a fifth":          {figure(78e9, 80e9, 1e9), figure(100e9, 104e9, 1e9), 0.2, ""},
		"above":            {figure(100e9, 104e9, 1e9), figure(78e9, 80e9, 1e9), 0, ""},
		"overlap":          {figure(78e9, 101e9, 1e9), figure(100e9, 104e9, 1e9), 0, ""},
		"5 % slower":       {figure(80e9, 80e9, 95), figure(100e9, 100e9, 100), 0.2, ""},
		"6 % slower":       {figure(80e9, 80e9, 94), figure(100e9, 100e9, 100), 0, "the cores ran at different clocks: 94 % of the faster ones"},
		"6 % faster":       {figure(80e9, 80e9, 100), figure(100e9, 100e9, 94), 0, "the cores ran at different clocks: 94 % of the faster ones"},
		"one step":         {figure(80e9, 80e9, 1), figure(100e9, 100e9, 1), 0.2, ""},
		"no clock":         {figure(80e9, 80e9, 0), figure(100e9, 100e9, 1e9), 0, "the cores' clocks are not known"},
		"no other clock":   {figure(80e9, 80e9, 1e9), figure(100e9, 100e9, 0), 0, "the cores' clocks are not known"},
		"neither clock":    {figure(80e9, 80e9, 0), figure(100e9, 100e9, 0), 0, "the cores' clocks are not known"},
		"undecided":        {doubtful, figure(100e9, 100e9, 1e9), 0, "noise"},
		"other undecided":  {figure(80e9, 80e9, 1e9), doubtful, 0, "the other figure is undecided: noise"},
		"clock below zero": {figure(80e9, 80e9, -1), figure(100e9, 100e9, -1), 0, "the cores' clocks are not known"},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.one.GapBelow(&c.other)
			assert.Equal(t, c.why, got.Why)
			if c.why == "" {
				assert.InDelta(t, c.share, got.Share, 1e-12)
			}
		})
	}
}

// TestPass checks that a pass counts up to the limits of each disturbance, and not beyond.
func TestPass(t *testing.T) {
	const s = time.Second
	quiet := Sample{Value: 100e9, Wall: s, CPU: s, Clock: 8e8, Switches: 3}
	with := func(change func(*Sample)) *Sample {
		c := quiet
		change(&c)
		return &c
	}
	for name, c := range map[string]struct {
		sample        *Sample
		before, after Counters
		discarded     string
	}{
		"quiet":        {&quiet, Counters{}, Counters{}, ""},
		"no figure":    {with(func(p *Sample) { p.Value = 0 }), Counters{}, Counters{}, "it gave no figure"},
		"below zero":   {with(func(p *Sample) { p.Value = -1 }), Counters{}, Counters{}, "it gave no figure"},
		"no time":      {with(func(p *Sample) { p.Wall, p.CPU = 0, 0 }), Counters{}, Counters{}, "it gave no figure"},
		"a nanosecond": {with(func(p *Sample) { p.Wall, p.CPU = 1, 1 }), Counters{}, Counters{}, ""},
		"97 %":         {with(func(p *Sample) { p.CPU = 970 * time.Millisecond }), Counters{}, Counters{}, ""},
		"96 %":         {with(func(p *Sample) { p.CPU = 960 * time.Millisecond }), Counters{}, Counters{}, "its threads ran 96 % of the time, others had the processors for the rest"},
		"1 % stolen":   {&quiet, Counters{Steal: s}, Counters{Steal: s + s/100}, ""},
		"2 % stolen":   {&quiet, Counters{Steal: s}, Counters{Steal: s + s/50}, "a hypervisor took processor time from it"},
		"steal absent": {&quiet, Counters{Steal: -1}, Counters{Steal: s}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPass(Read, c.sample, c.before, c.after)
			if c.discarded == "" {
				assert.Empty(t, p.Discarded)
				return
			}
			require.NotEmpty(t, p.Discarded)
			assert.Equal(t, c.discarded, string(p.Discarded))
		})
	}
	p := newPass(Triad, &quiet, Counters{Foreign: s, Steal: -1, Stall: 2 * s}, Counters{Foreign: 3 * s, Steal: 0, Stall: s})
	require.NotNil(t, p.Foreign)
	assert.InDelta(t, 2, *p.Foreign, 1e-12)
	assert.Nil(t, p.Steal, "it was not known before")
	assert.Nil(t, p.Stall, "it cannot shrink")
	p.Foreign = nil
	assert.Equal(t, Pass{Kind: Triad, Value: 100e9, Wall: 1, CPU: 1, Switches: 3, Clock: 8e8}, p)
}

// TestDisturbed checks the sums of the kernel's counters during a group of passes.
func TestDisturbed(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		before, after Counters
		wall          time.Duration
		why           string
	}{
		"quiet":            {Counters{}, Counters{}, s, ""},
		"not known":        {Counters{Stall: -1, Throttled: -1}, Counters{Stall: -1, Throttled: -1}, s, ""},
		"no clock":         {Counters{}, Counters{}, 0, "the clock stood still"},
		"clock set back":   {Counters{}, Counters{}, -s, "the clock stood still"},
		"a nanosecond":     {Counters{}, Counters{}, 1, ""},
		"first throttling": {Counters{}, Counters{Throttled: 2}, s, "cores were throttled by heat (2 times)"},
		"throttled before": {Counters{Throttled: 5}, Counters{Throttled: 5}, s, ""},
		"throttled again":  {Counters{Throttled: 5}, Counters{Throttled: 6}, s, "cores were throttled by heat (1 times)"},
		"not counted then": {Counters{Throttled: -1}, Counters{Throttled: 6}, s, ""},
		"1 % waited":       {Counters{Stall: s}, Counters{Stall: s + s/100}, s, ""},
		"2 % waited":       {Counters{Stall: s}, Counters{Stall: s + s/50}, s, "tasks waited for memory (PSI)"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.why, disturbanceReason(c.before, c.after, c.wall))
		})
	}
}

// TestCompany checks the processor time that other programs may use: half a processor during a chase, and during
// reads as much as moves 3 % of their bytes at 16 GB/s; a tick more is the kernel's rounding.
func TestCompany(t *testing.T) {
	cell := func(kind Kind, busy float64) *Cell {
		c := &Cell{Threads: 8, Passes: passesOf(kind, slices.Repeat([]float64{160e9}, 8)...)}
		c.Passes[0].Foreign = &busy
		return c
	}
	for name, c := range map[string]struct {
		kind Kind
		busy float64
		why  string
	}{
		// Eight seconds of passes: 4 processor seconds during a chase; 0.03 * 160 / 16 = 0.3 processors for eight
		// seconds are 2.4 during reads.
		"chase at the bound":  {Latency, 4.01, ""},
		"chase beyond":        {Latency, 4.8, "other programs kept 0.60 processors busy, which can cost more than 3 % of it"},
		"reads below":         {Read, 2.40, ""},
		"reads beyond":        {Read, 2.48, "other programs kept 0.31 processors busy, which can cost more than 3 % of it"},
		"a hundredth of both": {Triad, 0.01, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := cell(c.kind, c.busy).Figure(c.kind)
			assert.Equal(t, c.why, f.Why)
		})
	}
	unknown := cell(Read, 0)
	unknown.Passes[7].Foreign = nil
	assert.Equal(t, "what else ran on the machine is not known", unknown.foreignLoad(&Figure{Kind: Read}))
	assert.Empty(t, unknown.foreignLoad(&Figure{Kind: Triad}), "another kind's pass")
}

// given is a result of one node with given passes.
func given(passes ...[]Pass) *Result {
	yes, socket := true, 1
	r := &Result{Kernel: Kernels, Store: "normal", HugePages: &yes, Nodes: []Cell{{Socket: &socket, Threads: 8, Passes: slices.Concat(passes...)}}}
	r.Nodes[0].summarise()
	return r
}

func seven(kind Kind, value float64) []Pass {
	return passesOf(kind, slices.Repeat([]float64{value}, 7)...)
}

// TestChanges checks that results measured in the same way are compared, and the reason if they are not.
func TestChanges(t *testing.T) {
	now := given(seven(Read, 90e9), seven(Triad, 80e9), seven(Latency, 99e-9))
	const here = "node 0, memory of node 0: "
	for name, c := range map[string]struct {
		then                 *Result
		change               func(then *Result)
		read, triad, latency string
	}{
		"alike":         {given(seven(Read, 100e9), seven(Triad, 80e9), seven(Latency, 90e-9)), nil, "90.0, was 100.0 (-10.0 %)", "80.0, was 80.0 (+0.0 %)", "99.0, was 90.0 (+10.0 %)"},
		"other loops":   {given(), func(r *Result) { r.Kernel = "others" }, "cannot be compared: other loops were used", "cannot be compared: other loops were used", "cannot be compared: other loops were used"},
		"other stores":  {given(seven(Read, 90e9), seven(Latency, 99e-9)), func(r *Result) { r.Store = "non-temporal" }, "90.0, was 90.0 (+0.0 %)", "cannot be compared: the stores differ: normal, non-temporal", "99.0, was 99.0 (+0.0 %)"},
		"small pages":   {given(), func(r *Result) { *r.HugePages = false }, "cannot be compared: the size of pages differs or is not known", "cannot be compared: the size of pages differs or is not known", "cannot be compared: the size of pages differs or is not known"},
		"unknown pages": {given(), func(r *Result) { r.HugePages = nil }, "cannot be compared: the size of pages differs or is not known", "cannot be compared: the size of pages differs or is not known", "cannot be compared: the size of pages differs or is not known"},
		"more threads":  {given(seven(Latency, 99e-9)), func(r *Result) { r.Nodes[0].Threads = 16 }, "cannot be compared: 16 threads then, 8 now", "cannot be compared: 16 threads then, 8 now", "99.0, was 99.0 (+0.0 %)"},
		"another node":  {given(), func(r *Result) { r.Nodes[0].MemoryNode = 1 }, "was not measured then", "was not measured then", "was not measured then"},
		"few passes":    {given(passesOf(Read, 90e9)), nil, "90.0, was 90.0 (+0.0 %), undecided: the other figure is undecided: 1 passes, 7 are needed", "undecided", "undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.then)
			}
			assert.Equal(t, []Line{{"read", here + c.read}, {"triad", here + c.triad}, {"latency", here + c.latency}}, now.ChangeLines(c.then))
		})
	}
	assert.Equal(t, Line{"read", here + "undecided"}, given().ChangeLines(now)[0], "nothing was measured now")
	assert.Equal(t, Line{"read", here + "90.0, was 90.0 (+0.0 %), undecided: 1 passes, 7 are needed"}, given(passesOf(Read, 90e9)).ChangeLines(now)[0])
	unknown := given()
	unknown.HugePages = nil
	assert.NotEmpty(t, unknown.Incomparable(given(), Read), "not known now")
	assert.NotEmpty(t, unknown.Incomparable(unknown, Read), "two that are not known are not alike")
}

// TestMatrix checks a row for each node with processors and a column for each node with memory, in GB/s and ns, a
// question mark if undecided, and what is too wide below the table.
func TestMatrix(t *testing.T) {
	first := 0
	r := &Result{Nodes: []Cell{
		{CPUNode: 10, MemoryNode: 10, Threads: 8, Passes: seven(Read, 100e9)},
		{CPUNode: 2, MemoryNode: 2, Socket: &first, Threads: 8, Passes: slices.Concat(seven(Read, 90.06e9), seven(Latency, 81.26e-9))},
		{CPUNode: 2, MemoryNode: 10, Socket: &first, Threads: 8, Passes: passesOf(Read, 40e9)},
	}}
	assert.Equal(t, `read, GB/s             memory of node
processors of                 2       10
  node 2 (package 0)       90.1    40.0?
  node 10                          100.0
`, r.FormatMatrix(Read, 40))
	assert.Equal(t, `latency, ns            memory of node
processors of                 2
  node 2 (package 0)       81.3
  node 10
latency, ns            memory of node
processors of                10
  node 2 (package 0)          ?
  node 10                     ?
`, r.FormatMatrix(Latency, 39))
	assert.Equal(t, r.FormatMatrix(Latency, 39), r.FormatMatrix(Latency, 1), "one column at least")
}

// TestCircumstances checks the text on how it was measured, or why it was not.
func TestCircumstances(t *testing.T) {
	yes, no, threads, size, reason := true, false, 8, int64(384<<20), "a guest"
	const small = "not all of it in huge pages: latency is longer, and bandwidth may be lower"
	for name, c := range map[string]struct {
		result *Result
		want   []Line
	}{
		"whole": {&Result{Kernel: "loops", Store: "normal", Threads: &threads, BufferBytes: &size, HugePages: &yes, Notes: []string{"a note"}},
			[]Line{{"kernels", "loops"}, {"stores", "normal"}, {"threads", "8 on each node, one a core"}, {"memory", "384 MiB on each node, in huge pages"}, {"note", "a note"}}},
		"nodes differ": {&Result{HugePages: &no},
			[]Line{{"kernels", ""}, {"stores", ""}, {"threads", "one a core, by node"}, {"memory", "by node, " + small}}},
		"forced": {&Result{BufferBytes: &size, Forced: true},
			[]Line{{"kernels", ""}, {"stores", ""}, {"threads", "one a core, by node"}, {"memory", "384 MiB on each node, size of the pages not known"}, {"note", "a virtual machine, measured on request and never checked"}}},
		"refused": {&Result{Kernel: "loops", Refused: nullable.String(reason)}, []Line{{"refused", "a guest"}}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, c.result.Circumstances())
		})
	}
}
