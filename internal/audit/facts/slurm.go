package facts

import (
	"fmt"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

var slurmType = newObjectType("Slurm", "the machine as the scheduler's configuration describes it (--slurm)",
	Field{"given", boolType, "a description was given", machineReader(func(m *Machine) Value { return PlainValue(m.sys.Slurm != nil) })},
	Field{"lacks", textListType, "memory in MiB, cores or threads below what the scheduler expects: how many of how many", machineReader(func(m *Machine) Value {
		return slurmWords(m, func(c counts) (int64, int64, bool) { return c.has, c.want, c.has < c.want })
	})},
	Field{"counted", textListType, "sockets, cores and threads as the machine has them, in Slurm's words, where the scheduler has other numbers", machineReader(slurmCounted)},
	Field{"idle", textListType, "what the scheduler uses less than nine tenths of: memory, cores or threads", machineReader(func(m *Machine) Value {
		return slurmWords(m, func(c counts) (int64, int64, bool) { return c.want, c.has, c.want > 0 && c.want*10 < c.has*9 })
	})},
	Field{"real_memory", intType, "RealMemory to set, in MiB: what the kernel can use", machineReader(func(m *Machine) Value {
		return computedFrom(m.sys.Memory.TotalBytes, func(b int64) any { return b >> 20 })
	})},
	Field{"missing", textListType, "slots whose modules, as at the same place of a processor with more of them, would be the memory that the scheduler misses", machineReader(missingModules)},
)

// counts are the scheduler's and the kernel's numbers of one thing.
type counts struct {
	name      string
	want, has int64
	unit      string
}

func slurmCounts(m *Machine) ([]counts, Value) {
	n := m.sys.Slurm
	if n == nil {
		return nil, MissingValue(fact.Absent, "no description of the node was given", "--slurm FILE")
	}
	cpu := &m.sys.CPU
	cores := 0
	for _, p := range cpu.Packages.Value {
		cores += p.Cores
	}
	// Slurm may report NUMA nodes or caches as sockets, so compare the product.
	list := []counts{{"RealMemory", n.RealMemoryMiB, m.sys.Memory.TotalBytes.Value >> 20, " MiB"},
		{"Sockets x CoresPerSocket", n.Sockets * n.CoresPerSocket, int64(cores), ""}, {"ThreadsPerCore", n.ThreadsPerCore, int64(cpu.ThreadsPerCore.Value), ""}}
	return list, deriveValue(func() any { return true }, valueOf(m.sys.Memory.TotalBytes), valueOf(cpu.Packages), valueOf(cpu.ThreadsPerCore))
}

func slurmCounted(m *Machine) Value {
	list, known := slurmCounts(m)
	return deriveValue(func() any {
		out := []string{}
		if cores, packages := list[1], m.sys.CPU.Packages.Value; cores.want > 0 && cores.want != cores.has && len(packages) > 0 && cores.has == int64(len(packages)*packages[0].Cores) {
			out = append(out, fmt.Sprintf("Sockets=%d CoresPerSocket=%d", len(packages), packages[0].Cores))
		}
		if threads := list[2]; threads.want > 0 && threads.want != threads.has {
			out = append(out, fmt.Sprintf("ThreadsPerCore=%d", threads.has))
		}
		return out
	}, known)
}

func slurmWords(m *Machine, differs func(c counts) (part, all int64, ok bool)) Value {
	list, known := slurmCounts(m)
	return deriveValue(func() any {
		out := []string{}
		for _, c := range list {
			if part, all, ok := differs(c); ok {
				out = append(out, fmt.Sprintf("%s %d of %d%s", c.name, part, all, c.unit))
			}
		}
		return out
	}, known)
}

// Positions are named only if they are certain and exactly this number of DIMMs explains the memory that the scheduler lacks.
func missingModules(m *Machine) Value {
	list, known := slurmCounts(m)
	if !known.Known() {
		return known
	}
	if !m.hasListedSlots() || len(m.population.Placements) < len(m.sys.Slots) {
		return m.noPopulation()
	}
	type place struct{ channel, slot int }
	filled, modules := map[place]int{}, map[int]int{}
	for i := range m.sys.Slots {
		if p := &m.population.Placements[i]; p.Channel >= 0 && m.sys.Slots[i].State == inventory.SlotPopulated {
			filled[place{p.Channel, p.Slot}] = i
			modules[p.Socket]++
		}
	}
	out, total, smallest := []string{}, int64(0), int64(0)
	for i := range m.sys.Slots {
		p := &m.population.Placements[i]
		twin, ok := filled[place{p.Channel, p.Slot}]
		if p.Channel < 0 || p.Doubt != "" || p.Unverified || m.sys.Slots[i].State == inventory.SlotPopulated || !ok || modules[p.Socket] >= modules[m.population.Placements[twin].Socket] {
			continue
		}
		bytes := m.sys.Slots[twin].SizeBytes.Value
		if total += bytes; smallest == 0 || bytes < smallest {
			smallest = bytes
		}
		out = append(out, m.sys.Slots[i].Name()+" ("+m.sys.Slots[twin].Name()+" has "+humanize.Size(bytes)+")")
	}
	if lost := (list[0].want - list[0].has) << 20; lost <= total-smallest || lost > total {
		return PlainValue([]string{})
	}
	return PlainValue(out)
}
