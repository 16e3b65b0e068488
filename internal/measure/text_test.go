package measure

import (
	"slices"
	"testing"

	"memaudit.example/memaudit/internal/model/nullable"

	"github.com/stretchr/testify/assert"
)

// given is a result of one node with given passes.
func given(passes ...[]Pass) *Result {
	yes, socket := true, 1
	r := &Result{Kernel: Kernels, Store: "normal", HugePages: &yes, Nodes: []Cell{{Socket: &socket, Threads: 8, Passes: slices.Concat(passes...)}}}
	r.Nodes[0].sum()
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
		if c.change != nil {
			c.change(c.then)
		}
		assert.Equal(t, []Line{{"read", here + c.read}, {"triad", here + c.triad}, {"latency", here + c.latency}}, now.Changes(c.then), name)
	}
	assert.Equal(t, Line{"read", here + "undecided"}, given().Changes(now)[0], "nothing was measured now")
	assert.Equal(t, Line{"read", here + "90.0, was 90.0 (+0.0 %), undecided: 1 passes, 7 are needed"}, given(passesOf(Read, 90e9)).Changes(now)[0])
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
`, r.Matrix(Read, 40))
	assert.Equal(t, `latency, ns            memory of node
processors of                 2
  node 2 (package 0)       81.3
  node 10
latency, ns            memory of node
processors of                10
  node 2 (package 0)          ?
  node 10                     ?
`, r.Matrix(Latency, 39))
	assert.Equal(t, r.Matrix(Latency, 39), r.Matrix(Latency, 1), "one column at least")
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
		assert.Equal(t, c.want, c.result.Circumstances(), name)
	}
}
