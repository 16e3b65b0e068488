package host

import (
	"errors"

	"github.com/memaudit/memaudit/internal/fact"
)

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
	most, least := 0, len(all.V)
	cores := map[int]int{}
	for c, n := range threads {
		most, least = max(most, n), min(least, n)
		cores[c.pkg]++
	}
	for i := range packages {
		packages[i].Cores = cores[packages[i].ID]
	}
	const raw = "physical id, core id"
	dies := &ReadError{Op: "read", Path: cpuinfo, State: fact.Absent, Err: errors.New("cpuinfo does not name dies")}
	return Topology{
		Packages:          known(packages, cpuinfo, raw),
		Dies:              unknown[int](dies),
		Cores:             known(len(threads), cpuinfo, raw),
		ThreadsPerCore:    known(most, cpuinfo, raw),
		MinThreadsPerCore: known(least, cpuinfo, raw),
	}, true
}
