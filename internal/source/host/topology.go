package host

import (
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Topology groups the online CPUs.
type Topology struct {
	// Packages are the packages by physical_package_id in numeric order. It is Unstated if the
	// kernel gives -1 (POWER and s390 guests), and not known if the cores are not.
	Packages Value[[]Package]
	// Cores counts the cores with at least one CPU online.
	Cores Value[int]
	// ThreadsPerCore is the largest number of online siblings of a core. Other cores of hybrid
	// processors, and those with single CPUs offline, have fewer.
	ThreadsPerCore Value[int]
}

// Package is one physical package of the kernel, with its online CPUs.
type Package struct {
	// ID is physical_package_id; there may be gaps.
	ID   int
	CPUs []int
	// Cores is the number of cores with at least one CPU online.
	Cores int
}

// topology reads the groups of the online CPUs.
func (r *reader) topology(online Value[[]int]) (Topology, Caches) {
	if online.State != fact.OK {
		n := unknownAs[int](online)
		return Topology{Packages: unknownAs[[]Package](online), Cores: n, ThreadsPerCore: n},
			Caches{Levels: unknownAs[[]Cache](online), L3: unknownAs[[][]int](online)}
	}
	cores := r.partition(online.V, threadAttributes[:])
	if cores.err != nil && len(cores.groups) == 0 && cores.err.unavailable() {
		if t, ok := r.cpuinfoTopology(); ok {
			return t, r.caches(online.V)
		}
	}
	t := Topology{
		Cores:          cores.counted(func(g [][]int) int { return len(g) }),
		ThreadsPerCore: cores.counted(largest),
		Packages:       countCores(r.packages(online.V), &cores),
	}
	return t, r.caches(online.V)
}

// countCores counts for each package the cores with their first CPU in it. If the cores are unknown, so are
// the packages, because each has its number of cores.
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

// packages groups the CPUs by the package's list and reads the id of the first, middle and last CPU
// of each list. Lists with the same id are one package (old kernels list the node in its place). If
// a list has several ids or the lists cannot be read, the id of every CPU is read. It does not count
// the cores.
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
			return unknownAs[[]Package](id)
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

// packagesByID reads the package of every CPU.
func (r *reader) packagesByID(online []int) Value[[]Package] {
	byID := map[int][]int{}
	var first Value[int64]
	for _, cpu := range online {
		id := r.packageID(cpu)
		if id.State != fact.OK {
			return unknownAs[[]Package](id)
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

// cpuinfoTopology derives the topology from "physical id" and "core id" in /proc/cpuinfo, for
// captures without topology folders. It is false if a processor in cpuinfo lacks one of them.
func (r *reader) cpuinfoTopology() (Topology, bool) {
	all := r.allProcessors()
	if all.State != fact.OK {
		return Topology{}, false
	}
	type core struct{ pkg, core int }
	threads := map[core]int{}
	byID := map[int][]int{}
	for _, p := range all.V {
		if p.PhysicalID < 0 || p.CoreID < 0 {
			return Topology{}, false
		}
		threads[core{p.PhysicalID, p.CoreID}]++
		byID[p.PhysicalID] = append(byID[p.PhysicalID], p.ID)
	}
	packages := packageList(byID)
	most := 0
	cores := map[int]int{}
	for c, n := range threads {
		most = max(most, n)
		cores[c.pkg]++
	}
	for i := range packages {
		packages[i].Cores = cores[packages[i].ID]
	}
	const raw = "physical id, core id"
	return Topology{
		Packages:       known(packages, cpuinfo, raw),
		Cores:          known(len(threads), cpuinfo, raw),
		ThreadsPerCore: known(most, cpuinfo, raw),
	}, true
}
