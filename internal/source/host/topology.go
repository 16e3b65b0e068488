package host

import (
	"cmp"
	"errors"
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

func (r *reader) readTopology(online fact.Fact[[]int]) (Topology, Caches) {
	if online.State != fact.OK {
		n := fact.UnknownFrom[int](online)
		return Topology{Packages: fact.UnknownFrom[[]inventory.Package](online), Cores: n, ThreadsPerCore: n},
			Caches{Levels: fact.UnknownFrom[[]Cache](online), L3: fact.UnknownFrom[[][]int](online)}
	}
	cores := r.groupBySiblings(online.Value, threadAttributes)
	if cores.failed != nil && len(cores.groups) == 0 && unavailable(*cores.failed) {
		if t, ok := r.cpuinfoTopology(); ok {
			return t, r.readCaches(online.Value)
		}
	}
	t := Topology{
		Cores:          cores.countGroups(func(g [][]int) int { return len(g) }),
		ThreadsPerCore: cores.countGroups(largestGroup),
		Packages:       countCores(r.readPackages(online.Value), &cores),
	}
	return t, r.readCaches(online.Value)
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
	for p := range inventory.Pointers(packages.Value) {
		for _, cpu := range p.CPUs {
			if cores.groups[cores.of[cpu]][0] == cpu {
				p.Cores++
			}
		}
	}
	return packages
}

// readPackages groups the CPUs by the package's list and reads the id of the first, middle and last CPU of each list. Lists
// with the same id are one package (old kernels list the node in its place). If a list has several ids or the lists
// cannot be read, the id of every CPU is read. It does not count the cores.
func (r *reader) readPackages(online []int) fact.Fact[[]inventory.Package] {
	if g := r.groupBySiblings(online, packageAttributes); g.failed == nil {
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
	id := r.readNumber(numberedPath(cpuPrefix, cpu, "/topology/physical_package_id"))
	if id.State == fact.OK && id.Value < 0 {
		return unknownFact[int64](r.source, &ReadError{Op: "read", Path: id.From.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	if id.State == fact.OK && id.Value > 1<<31 {
		return malformedFact[int64](id.From, fmt.Errorf("%d is not a package id", id.Value))
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
		Packages:       fact.Known(packages, fact.Direct, r.evidenceAt(cpuinfo, raw)),
		Cores:          fact.Known(len(threads), fact.Direct, r.evidenceAt(cpuinfo, raw)),
		ThreadsPerCore: fact.Known(most, fact.Direct, r.evidenceAt(cpuinfo, raw)),
	}, true
}

// Names of the attributes with the siblings of a CPU, by which kernel has them: each a list, and the mask after it.
var (
	threadAttributes  = []string{"/topology/thread_siblings_list", "/topology/thread_siblings", "/topology/core_cpus_list", "/topology/core_cpus"}
	packageAttributes = []string{"/topology/package_cpus_list", "/topology/package_cpus", "/topology/core_siblings_list", "/topology/core_siblings"}
)

type grouping struct {
	groups [][]int
	// of is the group of each CPU number, -1 if it is offline or not in a group yet.
	of []int32
	// from is the reading of the first list.
	from fact.Evidence
	// failed is the first list that is unknown or does not fit the others; then groups are missing.
	failed *fact.Fact[[]int]
}

// readSiblings reads the list of siblings of one CPU. which remembers the attribute that this kernel has.
func (r *reader) readSiblings(cpu int, attrs []string, which *int) fact.Fact[[]int] {
	var first fact.Fact[[]int]
	for i := *which; i < len(attrs); i++ {
		read := r.readCPUList
		if i%2 == 1 {
			read = r.readCPUMask
		}
		list := read(numberedPath(cpuPrefix, cpu, attrs[i]))
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

func (r *reader) groupBySiblings(online []int, attrs []string) grouping {
	g := newGrouping(online)
	which, failures := 0, 0
	for _, cpu := range online {
		if g.of[cpu] >= 0 {
			continue
		}
		if !g.add(cpu, r.readSiblings(cpu, attrs, &which)) {
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
		g.of = slices.Repeat([]int32{offline}, online[len(online)-1]+1)
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
		return g.failWith(list)
	}
	members := make([]int, 0, len(list.Value))
	self := false
	for _, m := range list.Value {
		if m >= len(g.of) || g.of[m] == offline {
			continue
		}
		if other := g.of[m]; other >= 0 {
			return g.failWith(malformedFact[[]int](list.From, fmt.Errorf("CPU lists overlap: CPU %d is also with CPU %d", m, g.groups[other][0])))
		}
		self = self || m == cpu
		members = append(members, m)
	}
	if !self {
		return g.failWith(malformedFact[[]int](list.From, fmt.Errorf("CPU %d is not in its own list", cpu)))
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

func (g *grouping) failWith(list fact.Fact[[]int]) bool {
	g.failed = cmp.Or(g.failed, &list)
	return false
}

func (g *grouping) countGroups(f func([][]int) int) fact.Fact[int] {
	if g.failed != nil {
		return fact.UnknownFrom[int](*g.failed)
	}
	return fact.Known(f(g.groups), fact.Direct, g.from)
}

func largestGroup(groups [][]int) int {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	return n
}

// Caches describes the caches in cpuN/cache (Documentation/ABI/testing/sysfs-devices-system-cpu).
type Caches struct {
	// Levels are the caches of the first online CPU.
	Levels fact.Fact[[]Cache]
	// L3 are the groups of online CPUs that share a level 3 cache. It is Absent if the first
	// maxFailures CPUs have none. If only some CPUs (low-power cores) have none, they are in no group.
	L3 fact.Fact[[][]int]
}

// Cache is one cache of one CPU.
type Cache struct {
	Index, Level int
	// Type is "Data", "Instruction" or "Unified", "" if it is not known.
	Type string
}

// CPUsPerL3 returns the number of CPUs in the largest L3 group.
func (c *Caches) CPUsPerL3() fact.Fact[int] { return fact.Convert(c.L3, largestGroup) }

// readCaches reads the caches of the first CPU and the groups that share an L3, with two files for each group.
func (r *reader) readCaches(online []int) Caches {
	levels := r.cacheLevels(online[0])
	g := newGrouping(online)
	index, which, misses := l3Index(levels), 0, 0
	for _, cpu := range online {
		if g.of[cpu] >= 0 {
			continue
		}
		if !r.addL3Group(&g, cpu, &index, &which) {
			misses++
		}
		if g.failed != nil || misses >= maxFailures && len(g.groups) == 0 {
			break
		}
	}
	return Caches{Levels: levels, L3: g.l3Groups(levels)}
}

// addL3Group adds the group of one CPU and reports whether it has an L3. If the caches of the CPU cannot be read, the
// grouping fails, because a group would be missing. index is that of the last CPU's L3 (-1 for none), which tells which of the
// two files lists its CPUs.
func (r *reader) addL3Group(g *grouping, cpu int, index, which *int) bool {
	if *index < 0 || r.readText(numberedPath(cpuPrefix, cpu, numberedPath("/cache/index", *index, "/level"))).Value != "3" {
		levels := r.cacheLevels(cpu)
		if !levels.Known() {
			return g.failWith(fact.UnknownFrom[[]int](levels))
		}
		if *index = l3Index(levels); *index < 0 {
			return false
		}
	}
	dir := numberedPath("/cache/index", *index, "/")
	return g.add(cpu, r.readSiblings(cpu, []string{dir + "shared_cpu_list", dir + "shared_cpu_map"}, which))
}

func (g *grouping) l3Groups(levels fact.Fact[[]Cache]) fact.Fact[[][]int] {
	switch {
	case g.failed != nil:
		return fact.UnknownFrom[[][]int](*g.failed)
	case len(g.groups) > 0:
		return fact.Known(g.groups, fact.Direct, g.from)
	case !levels.Known():
		return fact.UnknownFrom[[][]int](levels)
	default:
		return unknownFact[[][]int](levels.From.Source, &ReadError{Op: "read", Path: levels.From.Path, State: fact.Absent, Err: errors.New("no cache of level 3")})
	}
}

// l3Index returns the index of level 3, which is not always 3; -1 if there is none.
func l3Index(levels fact.Fact[[]Cache]) int {
	for _, c := range levels.Value {
		if c.Level == 3 && c.Type != "Instruction" {
			return c.Index
		}
	}
	return -1
}

// cacheLevels reads every cache of one CPU. If the level of one cannot be read, the list is unknown.
func (r *reader) cacheLevels(cpu int) fact.Fact[[]Cache] {
	dir := numberedPath(cpuPrefix, cpu, "/cache")
	found := r.listNumbered(dir, "index")
	if found.State != fact.OK {
		return fact.UnknownFrom[[]Cache](found)
	}
	if len(found.Value) == 0 {
		return unknownFact[[]Cache](r.source, &ReadError{Op: "list", Path: dir, State: fact.Absent, Err: errors.New("no cache is listed")})
	}
	var out []Cache
	for _, i := range found.Value {
		entry := numberedPath(dir+"/index", i, "")
		level := r.readNumber(entry + "/level")
		if level.State != fact.OK {
			return fact.UnknownFrom[[]Cache](level)
		}
		if level.Value < 1 || level.Value > 8 {
			return malformedFact[[]Cache](level.From, fmt.Errorf("%d is not a cache level", level.Value))
		}
		out = append(out, Cache{Index: i, Level: int(level.Value), Type: r.readText(entry + "/type").Value})
	}
	return fact.Known(out, fact.Direct, r.evidenceAt(dir, ""))
}
