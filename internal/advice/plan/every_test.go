package plan_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// layout is what is in every slot of a small server: nothing, a module, or one of twice the size.
type layout [8]byte

// judged is the audit of a layout.
type judged struct {
	results    map[named]verdict.Finding
	severities [3]int // critical, warning, remarks
	low        []float64
	high       float64
}

// small is a server of few slots, each layout of which is audited once.
type small struct {
	full   *inventory.System
	pipe   plan.Pipeline
	judged map[layout]*judged
}

func (s *small) machine(l layout) *inventory.System {
	var steps []plan.Step
	for i := range s.full.Slots {
		if l[i] == 0 {
			steps = append(steps, plan.Step{Do: plan.Remove, FromSlot: i, ToSlot: -1, LikeSlot: -1})
		}
	}
	sys := plan.ApplySteps(s.full, steps)
	for i := range sys.Slots {
		sys.Slots[i].SizeBytes.Value *= max(1, int64(l[i]))
	}
	return sys
}

func (s *small) judge(t testing.TB, l layout) *judged {
	if s.judged[l] == nil {
		sys := s.machine(l)
		topo := s.pipe.Derive(sys)
		found, err := s.pipe.Verdicts(sys, topo, s.pipe.AboutLayout)
		require.NoError(t, err)
		out := &judged{results: map[named]verdict.Finding{}}
		for _, f := range found.Findings {
			out.results[named{f.Rule, f.Subject.String()}] = f
			if f.Result == verdict.Fail {
				out.severities[verdict.Critical.Rank()-f.Severity.Rank()]++
			}
		}
		for i := range topo.Populations {
			share := topo.Populations[i].Relative.Value
			out.low, out.high = append(out.low, min(share.Low, share.Model)), out.high+share.High
		}
		s.judged[l] = out
	}
	return s.judged[l]
}

func (j *judged) severe() []int { return j.severities[:2] }

// sum is the bandwidth of all CPUs for sure.
func (j *judged) sum() (out float64) {
	for _, v := range j.low {
		out += v
	}
	return out
}

// compare orders layouts by severe failures, then the worst low end, the sum of low ends, that of high ends, and remarks.
func (j *judged) compare(o *judged) int {
	more := func(x, y float64) int {
		if max(x, y)-min(x, y) < .005 {
			return 0
		}
		return cmp.Compare(y, x)
	}
	return cmp.Or(slices.Compare(j.severe(), o.severe()), more(slices.Min(j.low), slices.Min(o.low)), more(j.sum(), o.sum()), more(j.high, o.high), j.severities[2]-o.severities[2])
}

// allowed reports whether a layout may follow another one: no order of slots and nothing severe is newly broken, but by a
// warning where a critical failure goes, only remarks become unknown, and unless a critical failure goes no CPU falls, nor all together at most with no more for sure:
// two unlike modules on one channel are not unequal channels, but half as fast where both are used.
func (s *small) allowed(j, before *judged) bool {
	for key, f := range j.results {
		was, known := before.results[key]
		decided := known && (was.Result == verdict.Pass || was.Result == verdict.Fail && was.Severity != verdict.Info)
		worse := was.Result != verdict.Fail || was.Severity.Rank() < f.Severity.Rank()
		price := f.Severity == verdict.Warning && j.severities[0] < before.severities[0]
		if f.Result == verdict.Unknown && decided || f.Result == verdict.Fail && worse && (f.Severity != verdict.Info && !price || s.pipe.Role(f.Rule).Order) {
			return false
		}
	}
	if j.severities[0] < before.severities[0] {
		return true
	}
	for i, low := range j.low {
		if low < before.low[i]-.005 {
			return false
		}
	}
	return j.high > before.high-.005 || j.sum() > before.sum()+.005
}

// TestNothingBetter checks small servers of one CPU and of two against every layout: none of the same modules that is allowed
// is better than the advised one, or as good with fewer modules handled; where nothing is advised none is better by a severe
// failure or a tenth; and none with fewer new modules than the purchase that cures all does so.
func TestNothingBetter(t *testing.T) {
	rome, x8dah, s2600cw := machinetest.Servers()["supermicro-rome"], boards["X8DAH"], boards["S2600CW"]
	rome.Depth, rome.Single, x8dah.Depth = 1, true, 1
	for name, c := range map[string]struct {
		server       machinetest.Server
		sizes, every int
	}{
		"two CPUs of three slots": {x8dah, 1, 3}, "eight channels of a Rome": {rome, 1, 11},
		"two slots on each of four channels": {s2600cw, 2, 131}, "full, no order known": {boards["X9SRi-F"], 0, 17},
	} {
		t.Run(name, func(t *testing.T) {
			s := small{full: collecttest.Read(t, name, c.server.Table(func(_, _, _ int) bool { return true }).Dump()), pipe: pipeline(t), judged: map[layout]*judged{}}
			require.LessOrEqual(t, len(s.full.Slots), len(layout{}))
			all := layouts(len(s.full.Slots), c.server.Channels, c.sizes)
			for _, l := range corpustest.Sample(all, c.every) {
				s.held(t, l, all)
			}
		})
	}
}

// layouts lists those of modules of one size or two that fill first slots first, and with 0 those of two sizes that fill all.
func layouts(slots, channels, sizes int) (out []layout) {
	least := byte(0)
	if sizes == 0 {
		least, sizes = 1, 2
	}
	var fill func(at int, l layout)
	fill = func(at int, l layout) {
		if at == slots {
			if l != (layout{}) {
				out = append(out, l)
			}
			return
		}
		for k := least; k <= byte(sizes) && (k == 0 || at%(2*channels) < channels || l[at-channels] > 0); k++ {
			l[at] = k
			fill(at+1, l)
		}
	}
	fill(0, layout{})
	return out
}

// modules counts those of each size.
func (l layout) modules() (n [3]int) {
	for _, k := range l {
		n[k]++
	}
	return n
}

// handled counts the modules that come into a slot.
func (l layout) handled(before layout) (n int) {
	for i, k := range l {
		if k > 0 && before[i] != k {
			n++
		}
	}
	return n
}

func (s *small) held(t *testing.T, l layout, all []layout) {
	c := hold(t, s.machine(l), s.pipe)
	before, best, free, cure := s.judge(t, l), s.judge(t, l), l, 0
	for i := range c.made.Advice {
		a := &c.made.Advice[i]
		steps := a.Steps
		if a.ByChannel() {
			steps = c.inSlots(t, a, false)
		}
		after := plan.ApplySteps(c.sys, steps)
		var to layout
		for n := range after.Slots {
			if s := &after.Slots[n]; s.State == inventory.SlotPopulated {
				to[n] = byte(s.SizeBytes.Value >> 35)
			}
		}
		switch is := s.judge(t, to); {
		case buys(a)+a.CountSteps(plan.Remove) == 0 && i == 0:
			best, free = is, to
		case a.CountSteps(plan.Remove)+a.CountSteps(plan.Exchange) == 0 && slices.Max(is.severe()) == 0:
			cure = buys(a)
		}
	}
	if len(c.made.Asked) == 0 {
		return
	}
	had := l.modules()
	for _, other := range all {
		has := other.modules()
		more := [2]int{has[1] - had[1], has[2] - had[2]}
		bought := min(more[0], more[1]) >= 0 && more[0]+more[1] < cure && (more[0] == 0 || had[1] > 0) && (more[1] == 0 || had[2] > 0) // of sizes that are there
		if has != had && !bought {
			continue
		}
		o := s.judge(t, other)
		switch {
		case !s.allowed(o, before):
		case has == had && free != l:
			better := o.compare(best)
			assert.False(t, better < 0 || better == 0 && other.handled(l) < free.handled(l), "%v: %v %v %v is better than %v %v %v", l, other, o.severities, o.low, free, best.severities, best.low)
		case has == had:
			assert.False(t, slices.Compare(o.severe(), before.severe()) < 0 || slices.Min(o.low) > 1.1*slices.Min(before.low) || o.sum() > 1.1*before.sum(), "%v %v %v: %v %v %v is better, and not advised", l, before.severities, before.low, other, o.severities, o.low)
		default:
			assert.Positive(t, slices.Max(o.severe()), "%v: %v cures all with %v more, not %d", l, other, more, cure)
		}
	}
}
