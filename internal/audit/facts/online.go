package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// offlineCPUs lists the CPUs that are present and offline. If the kernel took the second threads of all cores
// offline, which is a setting of its own, one CPU per core is complete. Threads that firmware disables are not
// present.
func offlineCPUs(m *Machine) Value {
	cpu := &m.sys.CPU
	var off []int
	for _, n := range cpu.Present.Value {
		if !slices.Contains(cpu.Online.Value, n) {
			off = append(off, n)
		}
	}
	from := []Value{valueOf(cpu.Present), valueOf(cpu.Online)}
	usable := 0
	if len(off) > 0 && m.smtOff() && m.decidedByKernel("smt") {
		var counts []Value
		usable, counts = m.usableCPUs()
		from = append(from, counts...)
	}
	return derived(func() any {
		if usable > 0 && usable <= len(cpu.Online.Value) {
			return ""
		}
		return ranges(off)
	}, from...)
}

// limitedBy lists the kernel options that limit it to fewer CPUs than firmware provides: threads, or cores if
// SMT is off.
func limitedBy(m *Machine) Value {
	options, online := m.sys.NUMA.Options, m.sys.CPU.Online
	from := []Value{valueOf(options), valueOf(online)}
	limits := []string{}
	for _, o := range options.Value {
		key, value, _ := strings.Cut(o, "=")
		n, err := strconv.Atoi(value)
		if err == nil && n <= len(online.Value) && (key == "maxcpus" || key == "nr_cpus" || key == "possible_cpus") {
			limits = append(limits, o)
		}
	}
	usable := 0
	if len(limits) > 0 {
		var counts []Value
		usable, counts = m.usableCPUs()
		from = append(from, counts...)
	}
	return derived(func() any {
		if usable <= len(online.Value) {
			return []string{}
		}
		return limits
	}, from...)
}

func (m *Machine) smtOff() bool { return m.sys.Settings["smt"].Effective.Or("") == "disabled" }

// decidedByKernel reports whether a setting's effective value was set by the running system, not by firmware.
func (m *Machine) decidedByKernel(setting string) bool {
	switch m.sys.Settings[setting].DecidedBy.Or("") {
	case inventory.DecidedKernel, inventory.DecidedCommandLine, inventory.DecidedAdministrator:
		return true
	default:
		return false
	}
}

// usableCPUs counts the CPUs that firmware provides, threads or, if SMT is off, cores, and returns the facts
// used.
func (m *Machine) usableCPUs() (int, []Value) {
	total := 0
	from := m.ofProcessors(func(s *inventory.Socket) Value {
		count := s.Threads
		if m.smtOff() {
			count = s.CoresEnabled
		}
		total += count.Value
		return valueOf(count)
	})
	return total, from
}

// ranges formats sorted numbers as the kernel lists CPUs: 0-3,8.
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

// missingNodes lists the CPUs with fewer nodes than the sub-NUMA mode defines, or than another CPU has.
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
	mode := m.sys.Settings[subNUMASetting].Configured
	if mode.Known() {
		facts = append(facts, valueOf(mode)) // a doubtful export limits the finding
	}
	return derived(func() any {
		most := splits(mode.Value)
		for _, n := range per {
			most = max(most, n)
		}
		few := []string{}
		for i := range m.sys.Sockets {
			if s := &m.sys.Sockets[i]; s.Populated.Value && per[s.ID] < most {
				few = append(few, "processor "+strconv.Itoa(s.ID)+" has "+humanize.Plural(per[s.ID], "node")+" of "+strconv.Itoa(most))
			}
		}
		return few
	}, facts...)
}
