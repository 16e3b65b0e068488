package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
)

// Topology groups the online CPUs.
type Topology struct {
	// Packages are the distinct physical_package_id, in numeric order.
	// Unstated when the kernel gives -1 (POWER and s390 guests); not known
	// where the cores are not.
	Packages Value[[]Package]
	// Dies counts the dies of all packages (die_cpus_list, Linux 5.3+).
	Dies Value[int]
	// Cores counts the cores with at least one CPU online.
	Cores Value[int]
	// ThreadsPerCore is the largest number of online siblings of a core, and
	// MinThreadsPerCore the smallest: they differ on hybrid processors and
	// with single CPUs offline.
	ThreadsPerCore, MinThreadsPerCore Value[int]
}

// Package is one physical package of the kernel, with its online CPUs.
type Package struct {
	// ID is physical_package_id; ids may have gaps.
	ID   int
	CPUs []int
	// Cores counts those with at least one CPU online.
	Cores int
}

// attribute is a list of CPUs below cpuN, and the mask older kernels have
// instead.
type attribute struct{ list, mask string }

var (
	threadAttributes  = [...]attribute{{"/topology/thread_siblings_list", "/topology/thread_siblings"}, {"/topology/core_cpus_list", "/topology/core_cpus"}}
	packageAttributes = [...]attribute{{"/topology/package_cpus_list", "/topology/package_cpus"}, {"/topology/core_siblings_list", "/topology/core_siblings"}}
	dieAttributes     = [...]attribute{{"/topology/die_cpus_list", "/topology/die_cpus"}}
)

var errOverlap = errors.New("CPU lists overlap")

// grouping is a partition of the online CPUs, by the index of each CPU's
// group.
type grouping struct {
	groups [][]int
	// of is the group of each CPU number, -1 for none.
	of   []int32
	path string
	raw  string
	// err is the first failure; then the groups are not all.
	err *ReadError
}

// members reads the siblings of one CPU, restricted to the online CPUs. which
// remembers the attribute that this kernel has.
func (r *reader) members(cpu int, attrs []attribute, which *int) (list []int, path, raw string, err *ReadError) {
	for i := *which; i < 2*len(attrs); i++ {
		a := attrs[i/2]
		var v Value[[]int]
		if i%2 == 0 {
			v = r.scratchSet(indexed(cpuPrefix, cpu, a.list))
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
		if !lacking(v) {
			return nil, v.Path, v.Raw, v.Err
		}
	}
	return nil, "", "", err
}

// scratchSet is set without keeping the list: V is valid until the next call.
func (r *reader) scratchSet(path string) Value[[]int] {
	b, err := r.line(path, LimitList)
	if err != nil {
		return unknown[[]int](err)
	}
	list, perr := appendCPUList(r.nums[:0], b)
	if perr != nil {
		return malformed[[]int](path, string(clip(b)), perr)
	}
	r.nums = list
	return known(list, path, string(b))
}

// maxFailures stops a partition whose files fail for every CPU.
const maxFailures = 4

// partition groups the online CPUs by one of the attributes, reading it once
// for each group.
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

// offline marks a CPU number that is not online in grouping.of.
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

// add makes a group of the listed CPUs that are online. The CPU itself must be
// among them, and none may be in another group already.
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

// counted turns a partition into a number.
func (g *grouping) counted(f func([][]int) int) Value[int] {
	if g.err != nil {
		return unknown[int](g.err)
	}
	return known(f(g.groups), g.path, g.raw)
}

// topology reads the groups of the online CPUs.
func (r *reader) topology(online Value[[]int]) (Topology, Caches) {
	if online.State != fact.OK {
		return unknownTopology(online), unknownCaches(online)
	}
	cores := r.partition(online.V, threadAttributes[:])
	if cores.err != nil && len(cores.groups) == 0 && cores.err.lacking() {
		if t, ok := r.cpuinfoTopology(); ok {
			return t, r.caches(online.V)
		}
	}
	t := Topology{
		Cores:             cores.counted(func(g [][]int) int { return len(g) }),
		ThreadsPerCore:    cores.counted(largest),
		MinThreadsPerCore: cores.counted(smallest),
		Dies:              r.dies(online.V),
		Packages:          countCores(r.packages(online.V), &cores),
	}
	return t, r.caches(online.V)
}

func unknownTopology(online Value[[]int]) Topology {
	n := blame[int](online)
	return Topology{Packages: blame[[]Package](online), Dies: n, Cores: n, ThreadsPerCore: n, MinThreadsPerCore: n}
}

func largest(groups [][]int) int {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	return n
}

func smallest(groups [][]int) int {
	n := len(groups[0])
	for _, g := range groups {
		n = min(n, len(g))
	}
	return n
}

// countCores gives every package the number of cores whose first CPU it has.
// Without the cores the packages are not known either: a package carries its
// count, and a number that is not a count would be taken for one.
func countCores(packages Value[[]Package], cores *grouping) Value[[]Package] {
	if packages.State != fact.OK {
		return packages
	}
	if cores.err != nil {
		return unknown[[]Package](cores.err)
	}
	for i := range packages.V {
		p := &packages.V[i]
		for _, cpu := range p.CPUs {
			if cores.groups[cores.of[cpu]][0] == cpu {
				p.Cores++
			}
		}
	}
	return packages
}

// dies counts the dies. Arm prints die_id -1 and one die for each CPU: that is
// no statement.
func (r *reader) dies(online []int) Value[int] {
	if id := r.number(indexed(cpuPrefix, online[0], "/topology/die_id")); id.State == fact.OK && id.V < 0 {
		return unknown[int](&ReadError{Op: "read", Path: id.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	g := r.partition(online, dieAttributes[:])
	return g.counted(func(groups [][]int) int { return len(groups) })
}

// packages groups by package list and asks the first, middle and last CPU of
// each list for the id. Lists that share an id are one package (old kernels
// list the node instead); one list with several ids is not trusted, then every
// CPU is asked.
func (r *reader) packages(online []int) Value[[]Package] {
	g := r.partition(online, packageAttributes[:])
	if g.err != nil {
		return r.packagesByID(online)
	}
	byID := map[int][]int{}
	var first Value[int64]
	for _, cpus := range g.groups {
		id, same := r.packageID(cpus[0]), true
		for _, cpu := range []int{cpus[len(cpus)/2], cpus[len(cpus)-1]} {
			other := id
			if cpu != cpus[0] {
				other = r.packageID(cpu)
			}
			same = same && other.State == id.State && other.V == id.V
		}
		if !same {
			return r.packagesByID(online)
		}
		if id.State != fact.OK {
			return blame[[]Package](id)
		}
		if first.Path == "" {
			first = id
		}
		byID[int(id.V)] = append(byID[int(id.V)], cpus...)
	}
	return known(packageList(byID), first.Path, first.Raw)
}

// packageID reads physical_package_id; -1 is the kernel's "unknown".
func (r *reader) packageID(cpu int) Value[int64] {
	id := r.number(indexed(cpuPrefix, cpu, "/topology/physical_package_id"))
	if id.State == fact.OK && id.V < 0 {
		return unknown[int64](&ReadError{Op: "read", Path: id.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	if id.State == fact.OK && id.V > 1<<31 {
		return malformed[int64](id.Path, id.Raw, fmt.Errorf("%d is not a package id", id.V))
	}
	return id
}

// packagesByID asks every CPU.
func (r *reader) packagesByID(online []int) Value[[]Package] {
	byID := map[int][]int{}
	var first Value[int64]
	for _, cpu := range online {
		id := r.packageID(cpu)
		if id.State != fact.OK {
			return blame[[]Package](id)
		}
		if first.Path == "" {
			first = id
		}
		byID[int(id.V)] = append(byID[int(id.V)], cpu)
	}
	return known(packageList(byID), first.Path, first.Raw)
}

func packageList(byID map[int][]int) []Package {
	list := make([]Package, 0, len(byID))
	for id, cpus := range byID {
		list = append(list, Package{ID: id, CPUs: sortedSet(cpus)})
	}
	slices.SortFunc(list, func(a, b Package) int { return a.ID - b.ID })
	return list
}

const (
	nodeDir    = "/sys/devices/system/node"
	nodePrefix = nodeDir + "/node"
	maxNodes   = 1 << 10
)
