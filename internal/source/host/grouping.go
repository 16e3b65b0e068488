package host

import (
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/model/fact"
)

type attribute struct{ list, mask string }

var (
	threadAttributes  = [...]attribute{{"/topology/thread_siblings_list", "/topology/thread_siblings"}, {"/topology/core_cpus_list", "/topology/core_cpus"}}
	packageAttributes = [...]attribute{{"/topology/package_cpus_list", "/topology/package_cpus"}, {"/topology/core_siblings_list", "/topology/core_siblings"}}
)

var errOverlap = errors.New("CPU lists overlap")

type grouping struct {
	groups [][]int
	// of is the group of each CPU number, -1 if it is offline or not in a group yet.
	of []int32
	// from is the reading of the first list.
	from fact.Evidence
	// failed is the first list that is unknown or does not fit the others; then groups are missing.
	failed *fact.Fact[[]int]
}

// members reads the list of siblings of one CPU. which remembers the attribute that this kernel has: twice the index in attrs, plus one for its mask.
func (r *reader) members(cpu int, attrs []attribute, which *int) fact.Fact[[]int] {
	var first fact.Fact[[]int]
	for i := *which; i < 2*len(attrs); i++ {
		a := attrs[i/2]
		var list fact.Fact[[]int]
		if i%2 == 0 {
			list = r.set(indexed(cpuPrefix, cpu, a.list))
		} else {
			list = r.mask(indexed(cpuPrefix, cpu, a.mask))
		}
		if list.Known() {
			*which = i
		}
		if !unavailable(list) {
			return list
		}
		if first.Reason == "" {
			first = list
		}
	}
	return first
}

// maxFailures is after how many failures a partition without any group yet is given up.
const maxFailures = 4

func (r *reader) partition(online []int, attrs []attribute) grouping {
	g := newGrouping(online)
	which, failures := 0, 0
	for _, cpu := range online {
		if g.of[cpu] >= 0 {
			continue
		}
		if !g.add(cpu, r.members(cpu, attrs, &which)) {
			if failures++; failures >= maxFailures && len(g.groups) == 0 {
				return g
			}
		}
	}
	return g
}

const offline = -2

func newGrouping(online []int) grouping {
	g := grouping{}
	if len(online) > 0 {
		g.of = make([]int32, online[len(online)-1]+1)
	}
	for i := range g.of {
		g.of[i] = offline
	}
	for _, cpu := range online {
		g.of[cpu] = -1
	}
	return g
}

// add adds a group with the listed CPUs that are online. It fails if the list is unknown, cpu is not in it, or one of
// the CPUs is already in a group.
func (g *grouping) add(cpu int, list fact.Fact[[]int]) bool {
	if !list.Known() {
		return g.fail(list)
	}
	members := make([]int, 0, len(list.Value))
	self := false
	for _, m := range list.Value {
		if m >= len(g.of) || g.of[m] == offline {
			continue
		}
		if other := g.of[m]; other >= 0 {
			return g.fail(malformed[[]int](list.From, fmt.Errorf("%w: CPU %d is also with CPU %d", errOverlap, m, g.groups[other][0])))
		}
		self = self || m == cpu
		members = append(members, m)
	}
	if !self {
		return g.fail(malformed[[]int](list.From, fmt.Errorf("CPU %d is not in its own list", cpu)))
	}
	for _, m := range members {
		g.of[m] = int32(len(g.groups))
	}
	if len(g.groups) == 0 {
		g.from = list.From
	}
	g.groups = append(g.groups, members)
	return true
}

func (g *grouping) fail(list fact.Fact[[]int]) bool {
	if g.failed == nil {
		g.failed = &list
	}
	return false
}

func (g *grouping) counted(f func([][]int) int) fact.Fact[int] {
	if g.failed != nil {
		return fact.UnknownFrom[int](*g.failed)
	}
	return fact.Known(f(g.groups), fact.Direct, g.from)
}

func largest(groups [][]int) int {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	return n
}
