package host

import (
	"errors"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// attribute is a file below cpuN with a list of CPUs, and the file with a mask that older kernels
// have in its place.
type attribute struct{ list, mask string }

var (
	threadAttributes  = [...]attribute{{"/topology/thread_siblings_list", "/topology/thread_siblings"}, {"/topology/core_cpus_list", "/topology/core_cpus"}}
	packageAttributes = [...]attribute{{"/topology/package_cpus_list", "/topology/package_cpus"}, {"/topology/core_siblings_list", "/topology/core_siblings"}}
)

var errOverlap = errors.New("CPU lists overlap")

// grouping divides the online CPUs into groups.
type grouping struct {
	groups [][]int
	// of is the group of each CPU number, -1 if it is offline or not in a group yet.
	of []int32
	// path and raw are those of the first list.
	path string
	raw  string
	// err is the first failure; then groups are missing.
	err *ReadError
}

// members reads the list of siblings of one CPU. which remembers the attribute that this kernel has: twice the index in attrs, plus one for its mask.
func (r *reader) members(cpu int, attrs []attribute, which *int) (list []int, path, raw string, err *ReadError) {
	for i := *which; i < 2*len(attrs); i++ {
		a := attrs[i/2]
		var v Value[[]int]
		if i%2 == 0 {
			v = r.set(indexed(cpuPrefix, cpu, a.list))
		} else {
			v = r.mask(indexed(cpuPrefix, cpu, a.mask))
		}
		if v.State == fact.OK {
			*which = i
			return v.V, v.Path, v.Raw, nil
		}
		if err == nil {
			err = v.Err
		}
		if !unavailable(v) {
			return nil, v.Path, v.Raw, v.Err
		}
	}
	return nil, "", "", err
}

// maxFailures is after how many failures a partition without any group yet is given up.
const maxFailures = 4

// partition groups the online CPUs by one of the attributes, which is read once for each group.
func (r *reader) partition(online []int, attrs []attribute) grouping {
	g := newGrouping(online)
	which, failures := 0, 0
	for _, cpu := range online {
		if g.of[cpu] >= 0 {
			continue
		}
		list, path, raw, err := r.members(cpu, attrs, &which)
		if err == nil {
			err = g.add(cpu, list, path)
		}
		if err != nil {
			g.fail(err)
			if failures++; failures >= maxFailures && len(g.groups) == 0 {
				return g
			}
			continue
		}
		if g.path == "" {
			g.path, g.raw = path, raw
		}
	}
	return g
}

// offline marks in grouping.of a CPU number that is not online.
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

// add adds a group with the listed CPUs that are online. It returns an error if cpu is not one of them, or
// one of them is already in a group.
func (g *grouping) add(cpu int, list []int, path string) *ReadError {
	members := make([]int, 0, len(list))
	self := false
	for _, m := range list {
		if m >= len(g.of) || g.of[m] == offline {
			continue
		}
		if other := g.of[m]; other >= 0 {
			return &ReadError{Op: "parse", Path: path, State: fact.Malformed, Err: fmt.Errorf("%w: CPU %d is also with CPU %d", errOverlap, m, g.groups[other][0])}
		}
		self = self || m == cpu
		members = append(members, m)
	}
	if !self {
		return &ReadError{Op: "parse", Path: path, State: fact.Malformed, Err: fmt.Errorf("CPU %d is not in its own list", cpu)}
	}
	for _, m := range members {
		g.of[m] = int32(len(g.groups))
	}
	g.groups = append(g.groups, members)
	return nil
}

func (g *grouping) fail(err *ReadError) {
	if g.err == nil {
		g.err = err
	}
}

// counted converts a partition to a number, unknown if a group is missing.
func (g *grouping) counted(f func([][]int) int) Value[int] {
	if g.err != nil {
		return unknown[int](g.err)
	}
	return known(f(g.groups), g.path, g.raw)
}

func largest(groups [][]int) int {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	return n
}
