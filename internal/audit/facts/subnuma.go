package facts

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

const subNUMASetting = "sub_numa"

// subNUMA returns the selected sub-NUMA mode: the configured value, unless it leaves the choice to firmware;
// then the effective one.
func subNUMA(m *Machine) Value {
	s := m.sys.Settings[subNUMASetting]
	if s.Configured.Known() && s.Configured.Value != "auto" {
		return valueOf(s.Configured)
	}
	v := valueOf(s.Effective)
	if !v.Known() && v.Reason == "" {
		v.Reason = "neither firmware's settings nor the kernel show the sub-NUMA mode"
		v.KnownBy = "audit the live machine or a capture with sys/devices/system"
	}
	return v
}

// subNUMAOn is true if the mode splits a CPU into several nodes.
func subNUMAOn(m *Machine) Value {
	v := subNUMA(m)
	if mode, ok := v.v.(string); ok {
		v.v = splits(mode) > 1
	}
	return v
}

// splits returns the number of nodes per CPU of a mode; 1 for every other value.
func splits(mode string) int {
	for _, m := range []struct {
		word string
		n    int
	}{{"snc2", 2}, {"snc3", 3}, {"snc4", 4}, {"cod", 2}, {"nps2", 2}, {"nps4", 4}} {
		if mode == m.word {
			return m.n
		}
	}
	return 1
}

// subNUMACarried reports whether the population of a CPU supports the sub-NUMA mode, so that each of its nodes
// has memory. If the kernel shows one node only (or was not read) it follows from the slots: Intel's modes need
// equal controllers, AMD's a DIMM in every part.
func subNUMACarried(s *socketFacts) Value {
	mode := subNUMA(s.m)
	word, ok := mode.v.(string)
	if !ok {
		return mode
	}
	cpu := s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasCPU) })
	memory := s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasMemory) })
	if n, ok := cpu.v.(int64); ok && n > 1 {
		return derived(func() any { return memory.v == cpu.v }, mode, cpu, memory)
	}
	if !s.hasPopulation() {
		return s.m.noPopulation()
	}
	if strings.HasPrefix(word, "nps") {
		return s.everyPart(mode, splits(word))
	}
	return s.equalControllers(mode)
}

func (s *socketFacts) equalControllers(mode Value) Value {
	return derived(func() any {
		for _, c := range s.pop.Controllers.Value {
			if c.Bytes != s.pop.Controllers.Value[0].Bytes {
				return false
			}
		}
		return true
	}, mode, valueOf(s.pop.Controllers))
}

// everyPart requires a DIMM in each of n runs of channels, if the platform numbers channels so that a part is a
// run of them.
func (s *socketFacts) everyPart(mode Value, n int) Value {
	p, ok := s.m.population.Platform.Get()
	if !ok {
		return valueOf(s.m.population.Platform)
	}
	if !p.NodePartsInOrder {
		return Missing(fact.Absent, "which channels form a NUMA part of "+p.Name+" is not documented here",
			"audit the live machine or a capture with sys/devices/system/node")
	}
	return derived(func() any {
		dpc := s.pop.DPC.Value
		for part := range n {
			filled := false
			for _, d := range dpc[part*len(dpc)/n : (part+1)*len(dpc)/n] {
				filled = filled || d > 0
			}
			if !filled {
				return false
			}
		}
		return true
	}, mode, valueOf(s.pop.DPC))
}

// controllerWords describes the controllers of a CPU: "controller 0: 2 DIMMs, 32 GiB".
func controllerWords(s *socketFacts) Value {
	return derived(func() any {
		out := []string{}
		for _, c := range s.pop.Controllers.Value {
			out = append(out, "controller "+strconv.Itoa(c.Index)+": "+humanize.Plural(c.DIMMs, "DIMM")+", "+humanize.ExactSize(c.Bytes))
		}
		return out
	}, valueOf(s.pop.Controllers))
}

// distanceDefault is true if the distance between all nodes is 20: the kernel's default without a usable SLIT
// (linux drivers/acpi/numa/srat.c), which some firmware also writes itself.
func distanceDefault(m *Machine) Value {
	return m.ofDistances(func() any {
		for i, n := range m.sys.Nodes {
			for j, d := range n.Distances.Value {
				if i != j && d != 20 {
					return false
				}
			}
		}
		return true
	})
}
