package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
)

// offlineCPUs lists what is present and not online. The kernel takes one thread of every core offline if SMT is off, which is a setting of its own.
func offlineCPUs(m *Machine) Value {
	cpu := &m.sys.CPU
	return derived(func() any {
		var off []int
		for _, n := range cpu.Present.Value {
			if !slices.Contains(cpu.Online.Value, n) {
				off = append(off, n)
			}
		}
		if len(off) == len(cpu.Online.Value) && strings.HasSuffix(cpu.SMTControl.Or(""), "off") {
			return ""
		}
		return ranges(off)
	}, valueOf(cpu.Present), valueOf(cpu.Online))
}

// limitedBy lists the options by which the kernel has fewer CPUs than firmware hands over: threads, or cores if SMT is off.
func limitedBy(m *Machine) Value {
	options, online := m.sys.NUMA.Options, m.sys.CPU.Online
	if !options.Known() || !online.Known() {
		return derived(func() any { return nil }, valueOf(options), valueOf(online))
	}
	var limits []string
	for _, o := range options.Value {
		key, value, _ := strings.Cut(o, "=")
		n, err := strconv.Atoi(value)
		if err == nil && n <= len(online.Value) && (key == "maxcpus" || key == "nr_cpus" || key == "possible_cpus") {
			limits = append(limits, o)
		}
	}
	if limits == nil {
		return PlainValue([]string{})
	}
	count := func(s *inventory.Socket) fact.Fact[int] { return s.Threads }
	if smt := m.sys.Settings["smt"].Effective; smt.Or("") == "disabled" {
		count = func(s *inventory.Socket) fact.Fact[int] { return s.CoresEnabled }
	}
	var counts []Value
	total := 0
	for i := range m.sys.Sockets {
		if s := &m.sys.Sockets[i]; s.Populated.Or(true) {
			counts = append(counts, valueOf(count(s)))
			total += count(s).Value
		}
	}
	if counts == nil {
		return Missing(fact.Absent, "no processor is described", "the SMBIOS table")
	}
	return derived(func() any {
		if total <= len(online.Value) {
			return []string{}
		}
		return limits
	}, counts...)
}

// ranges writes sorted numbers as the kernel lists CPUs: 0-3,8.
func ranges(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		text := strconv.Itoa(numbers[i])
		if j > i {
			text += "-" + strconv.Itoa(numbers[j])
		}
		out = append(out, text)
		i = j + 1
	}
	return strings.Join(out, ",")
}

// missingNodes lists the processors with fewer nodes than the sub-NUMA mode asks for, or than another processor has.
func missingNodes(m *Machine) Value {
	if v := m.nodesRead(); !v.Known() {
		return v
	}
	per := map[int]int{}
	facts := []Value{populatedSockets(m)}
	for _, n := range m.sys.Nodes {
		facts = append(facts, valueOf(n.HasCPU))
		if n.HasCPU.Value {
			facts = append(facts, valueOf(n.Socket))
			per[n.Socket.Value]++
		}
	}
	return derived(func() any {
		most := 1
		if c := m.sys.Settings[subNUMASetting].Configured; c.Known() {
			most = splits(c.Value)
		}
		for _, n := range per {
			most = max(most, n)
		}
		few := []string{}
		for i := range m.sys.Sockets {
			if s := &m.sys.Sockets[i]; s.Populated.Value && per[s.ID] < most {
				few = append(few, "processor "+strconv.Itoa(s.ID)+" has "+prose.Count(per[s.ID], "node")+" of "+strconv.Itoa(most))
			}
		}
		return few
	}, facts...)
}
