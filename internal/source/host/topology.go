package host

import (
	"fmt"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Topology groups the online CPUs.
type Topology struct {
	// Packages are the packages by physical_package_id in numeric order. It is Unstated if the
	// kernel gives -1 (POWER and s390 guests), and not known if the cores are not.
	Packages fact.Fact[[]inventory.Package]
	// Cores counts the cores with at least one CPU online.
	Cores fact.Fact[int]
	// ThreadsPerCore is the largest number of online siblings of a core. Other cores of hybrid
	// processors, and those with single CPUs offline, have fewer.
	ThreadsPerCore fact.Fact[int]
}

func (r *reader) topology(online fact.Fact[[]int]) (Topology, Caches) {
	if online.State != fact.OK {
		n := fact.UnknownFrom[int](online)
		return Topology{Packages: fact.UnknownFrom[[]inventory.Package](online), Cores: n, ThreadsPerCore: n},
			Caches{Levels: fact.UnknownFrom[[]Cache](online), L3: fact.UnknownFrom[[][]int](online)}
	}
	cores := r.partition(online.Value, threadAttributes[:])
	if cores.failed != nil && len(cores.groups) == 0 && unavailable(*cores.failed) {
		if t, ok := r.cpuinfoTopology(); ok {
			return t, r.caches(online.Value)
		}
	}
	t := Topology{
		Cores:          cores.counted(func(g [][]int) int { return len(g) }),
		ThreadsPerCore: cores.counted(largest),
		Packages:       countCores(r.packages(online.Value), &cores),
	}
	return t, r.caches(online.Value)
}

// countCores counts for each package the cores with their first CPU in it. If the cores are unknown, so are
// the packages, because each has its number of cores.
func countCores(packages fact.Fact[[]inventory.Package], cores *grouping) fact.Fact[[]inventory.Package] {
	if packages.State != fact.OK {
		return packages
	}
	if cores.failed != nil {
		return fact.UnknownFrom[[]inventory.Package](*cores.failed)
	}
	for i := range packages.Value {
		p := &packages.Value[i]
		for _, cpu := range p.CPUs {
			if cores.groups[cores.of[cpu]][0] == cpu {
				p.Cores++
			}
		}
	}
	return packages
}

// packages groups the CPUs by the package's list and reads the id of the first, middle and last CPU of each list. Lists
// with the same id are one package (old kernels list the node in its place). If a list has several ids or the lists
// cannot be read, the id of every CPU is read. It does not count the cores.
func (r *reader) packages(online []int) fact.Fact[[]inventory.Package] {
	if g := r.partition(online, packageAttributes[:]); g.failed == nil {
		if packages, same := r.packagesOf(g.groups); same {
			return packages
		}
	}
	packages, _ := r.packagesOf(slices.Collect(slices.Chunk(online, 1)))
	return packages
}

// packagesOf joins groups of CPUs by their ids; same is false if a group has several.
func (r *reader) packagesOf(groups [][]int) (packages fact.Fact[[]inventory.Package], same bool) {
	byID := map[int][]int{}
	var first fact.Fact[int64]
	for _, cpus := range groups {
		id := r.packageID(cpus[0])
		for _, cpu := range []int{cpus[len(cpus)/2], cpus[len(cpus)-1]} {
			if cpu == cpus[0] {
				continue
			}
			if other := r.packageID(cpu); other.State != id.State || other.Value != id.Value {
				return packages, false
			}
		}
		if id.State != fact.OK {
			return fact.UnknownFrom[[]inventory.Package](id), true
		}
		if !first.Known() {
			first = id
		}
		byID[int(id.Value)] = append(byID[int(id.Value)], cpus...)
	}
	return fact.Known(packageList(byID), fact.Direct, first.From), true
}

// packageID reads physical_package_id; -1 is the kernel's "unknown".
func (r *reader) packageID(cpu int) fact.Fact[int64] {
	id := r.number(indexed(cpuPrefix, cpu, "/topology/physical_package_id"))
	if id.State == fact.OK && id.Value < 0 {
		return unknown[int64](r.source, &ReadError{Op: "read", Path: id.From.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	if id.State == fact.OK && id.Value > 1<<31 {
		return malformed[int64](id.From, fmt.Errorf("%d is not a package id", id.Value))
	}
	return id
}

func packageList(byID map[int][]int) []inventory.Package {
	list := make([]inventory.Package, 0, len(byID))
	for id, cpus := range byID {
		list = append(list, inventory.Package{ID: id, CPUs: sortedSet(cpus)})
	}
	slices.SortFunc(list, func(a, b inventory.Package) int { return a.ID - b.ID })
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
	for _, p := range all.Value {
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
		Packages:       fact.Known(packages, fact.Direct, r.at(cpuinfo, raw)),
		Cores:          fact.Known(len(threads), fact.Direct, r.at(cpuinfo, raw)),
		ThreadsPerCore: fact.Known(most, fact.Direct, r.at(cpuinfo, raw)),
	}, true
}
