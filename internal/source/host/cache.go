package host

import (
	"errors"
	"fmt"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
)

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
func (c *Caches) CPUsPerL3() fact.Fact[int] { return fact.Convert(c.L3, largest) }

// maxLevel is more than any processor has.
const maxLevel = 8

var errNoL3 = errors.New("no cache of level 3")

// caches reads the caches of the first CPU and the groups that share an L3, with two files for each group.
func (r *reader) caches(online []int) Caches {
	levels := r.levels(online[0])
	g := newGrouping(online)
	f := l3Finder{index: l3Index(levels)}
	misses := 0
	for _, cpu := range online {
		if g.of[cpu] >= 0 {
			continue
		}
		found := r.joinL3(&g, &f, cpu)
		if !found {
			misses++
		}
		if g.failed != nil || misses >= maxFailures && len(g.groups) == 0 {
			break
		}
	}
	return Caches{Levels: levels, L3: g.l3(levels)}
}

// l3Finder remembers the index of the last CPU's L3 (-1 for none), and which of the two files lists its CPUs.
type l3Finder struct{ index, which int }

// joinL3 adds the group of one CPU and reports whether it has an L3. If the caches of the CPU cannot be read, the
// grouping fails, because a group would be missing.
func (r *reader) joinL3(g *grouping, f *l3Finder, cpu int) bool {
	if f.index < 0 || !r.isL3(cpu, f.index) {
		levels := r.levels(cpu)
		if !levels.Known() {
			return g.fail(fact.UnknownFrom[[]int](levels))
		}
		if f.index = l3Index(levels); f.index < 0 {
			return false
		}
	}
	dir := indexed("/cache/index", f.index, "/")
	return g.add(cpu, r.members(cpu, []attribute{{dir + "shared_cpu_list", dir + "shared_cpu_map"}}, &f.which))
}

func (g *grouping) l3(levels fact.Fact[[]Cache]) fact.Fact[[][]int] {
	switch {
	case g.failed != nil:
		return fact.UnknownFrom[[][]int](*g.failed)
	case len(g.groups) > 0:
		return fact.Known(g.groups, fact.Direct, g.from)
	case !levels.Known():
		return fact.UnknownFrom[[][]int](levels)
	default:
		return unknown[[][]int](levels.From.Source, &ReadError{Op: "read", Path: levels.From.Path, State: fact.Absent, Err: errNoL3})
	}
}

func (r *reader) isL3(cpu, index int) bool {
	b, err := r.line(indexed(cpuPrefix, cpu, "/cache/index"+strconv.Itoa(index)+"/level"), LimitAttribute)
	return err == nil && string(b) == "3"
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

// levels reads every cache of one CPU. If the level of one cannot be read, the list is unknown.
func (r *reader) levels(cpu int) fact.Fact[[]Cache] {
	dir := indexed(cpuPrefix, cpu, "/cache")
	found := r.numbered(dir, "index")
	if found.State != fact.OK {
		return fact.UnknownFrom[[]Cache](found)
	}
	if len(found.Value) == 0 {
		return unknown[[]Cache](r.source, &ReadError{Op: "list", Path: dir, State: fact.Absent, Err: errors.New("no cache is listed")})
	}
	var out []Cache
	for _, i := range found.Value {
		entry := indexed(dir+"/index", i, "")
		level := r.number(entry + "/level")
		if level.State != fact.OK {
			return fact.UnknownFrom[[]Cache](level)
		}
		if level.Value < 1 || level.Value > maxLevel {
			return malformed[[]Cache](level.From, fmt.Errorf("%d is not a cache level", level.Value))
		}
		out = append(out, Cache{Index: i, Level: int(level.Value), Type: r.text(entry + "/type").Value})
	}
	return fact.Known(out, fact.Direct, r.at(dir, ""))
}
