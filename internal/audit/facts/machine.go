package facts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

var machineType = newObjectType("Machine", "identity of the machine",
	Field{"vendor", textType, "system manufacturer as firmware prints it", machineReader(func(m *Machine) Value { return valueOf(m.sys.Machine.Vendor) })},
	Field{"product", textType, "product name", machineReader(func(m *Machine) Value { return valueOf(m.sys.Machine.Product) })},
	Field{"board", textType, "baseboard product name", machineReader(func(m *Machine) Value { return valueOf(m.sys.Machine.Board) })},
	Field{"bios_version", textType, "BIOS version", machineReader(func(m *Machine) Value { return valueOf(m.sys.Machine.BIOS.Version) })},
	Field{"virtual", boolType, "true in a guest", machineReader(func(m *Machine) Value { return valueOf(m.sys.Machine.Virtual) })},
	Field{"processors", intType, "populated processor sockets", machineReader(populatedSockets)},
	Field{"numa", boolType, "memory is attached to the processors (false: front-side bus)", machineReader(isNUMA)},
	Field{"wanted", textListType, "what the profile that was asked for wants, as setting=value; empty without one", machineReader(func(m *Machine) Value {
		out := []string{}
		for _, id := range slices.Sorted(maps.Keys(m.wanted)) {
			for _, word := range m.wanted[id] {
				out = append(out, id+"="+word)
			}
		}
		return PlainValue(out)
	})},
)

var kernelType = newObjectType("Kernel", "what the kernel shows of features that are asked for",
	Field{"messages", textListType, "lines of its log about TDX, SGX, memory encryption, SEV-SNP, mirroring and pages taken away; the log forgets old ones", machineReader(func(m *Machine) Value { return valueOf(m.sys.Kernel.Messages) })},
	Field{"options", textListType, "options of its command line that ask for such a feature or prevent it", machineReader(func(m *Machine) Value { return valueOf(m.sys.Kernel.Options) })},
	Field{"tdx", textType, "Y if KVM can start TDX guests, N if not", machineReader(func(m *Machine) Value { return valueOf(m.sys.Kernel.TDX) })},
	Field{"sev_snp", textType, "Y if KVM can start SEV-SNP guests, N if not", machineReader(func(m *Machine) Value { return valueOf(m.sys.Kernel.SNP) })},
)

func populatedSockets(m *Machine) Value {
	if len(m.sys.Sockets) == 0 {
		return computedFrom(m.sys.CPU.Packages, func(p []inventory.Package) any { return len(p) })
	}
	if p := m.sys.Firmware.LostProcessors(); p != nil {
		return MissingValue(fact.Truncated, p.DescribeHidden("processors"), fact.WholeTable)
	}
	states := make([]Value, len(m.sys.Sockets))
	n := 0
	for i, s := range m.sys.Sockets {
		states[i] = valueOf(s.Populated)
		if s.Populated.Or(false) {
			n++
		}
	}
	return deriveValue(func() any { return n }, states...)
}

// Without a platform the kernel's node count can prove NUMA, but never its absence.
func isNUMA(m *Machine) Value {
	if m.population.Platform.Known() {
		return computedFrom(m.population.Platform, func(p *platform.Platform) any { return p.NUMA })
	}
	nodes := 0
	for _, n := range m.sys.Nodes {
		if n.HasCPU.Or(false) {
			nodes++
		}
	}
	if nodes > 1 {
		return Value{Value: true, State: fact.OK, Certainty: fact.Corroborated, From: m.sys.Nodes[0].HasCPU.From}
	}
	return valueOf(m.population.Platform)
}

func tableReader(f func(f *inventory.Firmware) any) func(any) Value {
	return machineReader(func(m *Machine) Value {
		return computedFrom(m.sys.Firmware.SMBIOS, func(bool) any { return f(&m.sys.Firmware) })
	})
}

var firmwareType = newObjectType("Firmware", "the SMBIOS table itself",
	Field{"smbios", boolType, "a table was found", machineReader(func(m *Machine) Value { return valueOf(m.sys.Firmware.SMBIOS) })},
	Field{"version", textType, "SMBIOS version of the table", machineReader(func(m *Machine) Value { return valueOf(m.sys.Firmware.Version) })},
	Field{"from_file", boolType, "the table was given as a file, which may hold less than the machine's table", tableReader(func(f *inventory.Firmware) any { return f.FromFile })},
	Field{"compared", boolType, "a table that was given as a file could be compared with the machine's tree beside it", tableReader(func(f *inventory.Firmware) any { return f.Compared })},
	Field{"iommu_undo", textType, "how to make Linux use the IOMMUs that firmware offers; empty if it uses them or firmware offers none", undoCommandOf("iommu")},
	Field{"x2apic_undo", textType, "how to make Linux use x2APIC mode where the command line prevents it; empty if it does not", undoCommandOf("x2apic")},
	Field{"doubt", textType, "what a table from a file and the machine's tree disagree about; empty: nothing", tableReader(func(f *inventory.Firmware) any { return f.Doubt })},
	Field{"problems", textListType, "defects of the table that touch what an audit reads", tableReader(func(f *inventory.Firmware) any { return problemTexts(f.Problems, false) })},
	Field{"remarks", textListType, "defects of the table that touch nothing an audit reads", tableReader(func(f *inventory.Firmware) any { return problemTexts(f.Problems, true) })},
)

func undoCommandOf(id string) func(any) Value {
	return machineReader(func(m *Machine) Value {
		s := settingFacts{id: id, Setting: m.sys.Settings[id]}
		return s.undoCommand()
	})
}

func problemTexts(all []inventory.Problem, harmless bool) []string {
	out := []string{}
	for _, p := range all {
		if p.Harmless == harmless {
			out = append(out, p.Text)
		}
	}
	return out
}

func platformReader(f func(p *platform.Platform) any) func(any) Value {
	return machineReader(func(m *Machine) Value { return computedFrom(m.population.Platform, f) })
}

// platformNumber reads a number of the platform, unknown if its document does not give it.
func platformNumber(field, what string, f func(p *platform.Platform) (any, bool)) func(any) Value {
	return machineReader(func(m *Machine) Value {
		p, ok := m.population.Platform.Get()
		if !ok {
			return valueOf(m.population.Platform)
		}
		v, ok := f(p)
		if !ok {
			return MissingValue(fact.Absent, "no document of "+p.Name+" gives "+what, "")
		}
		out := valueOf(m.population.Platform)
		out.Value = nativeValue(v)
		out.Unverified = out.Unverified || !p.Verified || slices.Contains(p.Unverified, field)
		return out
	})
}

// none is the value for a processor without platform data, for which nothing is documented.
func undocumented(field string, f func(p *platform.Platform) any, none any) func(*Machine) Value {
	return func(m *Machine) Value {
		p, ok := m.population.Platform.Get()
		switch {
		case ok:
			v := valueOf(m.population.Platform)
			v.Value = nativeValue(f(p))
			// Without a document there is no recommendation: that is sure.
			v.Unverified = v.Unverified || !reflect.DeepEqual(v.Value, nativeValue(none)) && (!p.Verified || slices.Contains(p.Unverified, field))
			return v
		case m.population.Platform.State == fact.Absent:
			return PlainValue(none)
		default:
			return valueOf(m.population.Platform)
		}
	}
}

var platformType = newObjectType("Platform", "the recognised platform and what its documents say of populating it",
	Field{"id", textType, "id of the platform file", platformReader(func(p *platform.Platform) any { return p.ID })},
	Field{"name", textType, "name in words", platformReader(func(p *platform.Platform) any { return p.Name })},
	Field{"numa", boolType, "memory controllers are in the processors", platformReader(func(p *platform.Platform) any { return p.NUMA })},
	Field{"graded", boolType, "an interleave policy is known, so populations are graded", platformReader(func(p *platform.Platform) any { return p.Policy != "" })},
	Field{"registered", boolType, "its documents know registered modules: a server processor", machineReader(undocumented("speeds", func(p *platform.Platform) any { return p.TakesRegistered() }, false))},
	Field{"lockstep", boolType, "DIMMs work in lockstep pairs (EX)", platformReader(func(p *platform.Platform) any { return p.LockstepPairs })},
	Field{"hbm", boolType, "processors carry HBM: no DIMM at all is legal", platformReader(func(p *platform.Platform) any { return p.ZeroDIMMsLegal })},
	Field{"classed", boolType, "its document puts layouts into classes", machineReader(undocumented("classes", func(p *platform.Platform) any { return p.Classes != "" }, false))},
	Field{"dimms", boolType, "memory sits in slots (false: soldered)", platformReader(func(p *platform.Platform) any { return !p.NoDIMMs })},
	Field{"own_channels", boolType, "each module has memory channels of its own (SOCAMM): number and size count, not the slot", platformReader(func(p *platform.Platform) any { return p.OwnChannels != "" })},
	Field{"modules", intType, "modules with channels of their own that a processor takes", platformNumber("modules_per_socket", "the number of modules", func(p *platform.Platform) (any, bool) { return p.ModulesPerSocket, p.ModulesPerSocket > 0 })},
	Field{"uniform", boolType, "the document asks for identical DIMMs", platformReader(func(p *platform.Platform) any { return p.UniformDIMMs })},
	Field{"rated_below", boolType, "the CPU vendor rates the processor below what its channels give together", platformReader(func(p *platform.Platform) any { return p.RatedBelow })},
	Field{"loaded_words", textType, "the latency of reads under load that a document measured, in words", platformNumber("loaded_latency", "the latency under load", func(p *platform.Platform) (any, bool) {
		words := p.Loaded.DescribeFigures()
		return words, words != ""
	})},
	Field{"memoryless_nodes", intType, "nodes of a processor that have no memory channel by design", platformReader(func(p *platform.Platform) any { return p.MemorylessNodes })},
	Field{"controllers", intType, "memory controllers per processor", platformNumber("controllers", "the number of controllers", func(p *platform.Platform) (any, bool) { return p.Controllers, p.Controllers > 0 })},
	Field{"max_dpc", intType, "DIMMs per channel at most", platformNumber("max_dpc", "the DIMMs per channel", func(p *platform.Platform) (any, bool) { return p.MaxDPC, p.MaxDPC > 0 })},
	Field{"recommended_dimms", intListType, "recommended DIMM counts per processor (per system on a front-side bus); empty: none documented", machineReader(undocumented("recommended_dimms", func(p *platform.Platform) any { return append([]int{}, p.RecommendedDIMMs...) }, []int{}))},
	Field{"acceptable_dimms", intListType, "acceptable DIMM counts; empty: none documented", machineReader(undocumented("acceptable_dimms", func(p *platform.Platform) any { return append([]int{}, p.AcceptableDIMMs...) }, []int{}))},
	Field{"allowed_dimms", intListType, "the only DIMM counts allowed; empty: none documented", machineReader(undocumented("allowed_dimms", func(p *platform.Platform) any { return append([]int{}, p.AllowedDIMMs...) }, []int{}))},
)

var processorType = newObjectType("Processor", "the processors of the machine, by the first populated socket",
	Field{"brand", textType, "brand string", machineReader(func(m *Machine) Value {
		return firstProcessor(m, func(s inventory.Socket) Value { return valueOf(s.Brand) }, valueOf(m.sys.CPU.Brand))
	})},
	Field{"vendor", textType, "CPUID vendor", machineReader((*Machine).ProcessorVendor)},
	Field{"models", textListType, "distinct models of the populated sockets, by brand string", machineReader(processorModels)},
	Field{"cores", intListType, "distinct numbers of cores of the populated sockets", machineReader(func(m *Machine) Value {
		return gatherValues[int64](m.ofProcessors(func(s *inventory.Socket) Value { return valueOf(s.Cores) }))
	})},
	Field{"turbo_capable", boolType, "the vendor's table states Turbo or boost", machineReader(capabilityReader("Turbo", func(p *platform.Processor) string { return p.Turbo }))},
	Field{"smt_capable", boolType, "the vendor's table states SMT", machineReader(capabilityReader("SMT", func(p *platform.Processor) string { return p.SMT }))},
	Field{"max_mts", intType, "highest memory speed of the processor in MT/s by the vendor's table", machineReader(func(m *Machine) Value {
		return fromTable(m, func(p *platform.Processor) (any, bool) { return p.MaxMTs, p.MaxMTs > 0 })
	})},
	Field{"logical", intType, "hardware threads of all processors, by firmware", machineReader(logicalProcessors)},
	Field{"offline", textType, "CPUs that are present and offline, as a list of numbers, without those that SMT off or missing x2APIC mode explains; empty for none", machineReader(offlineCPUs)},
	Field{"unnumbered", textType, "CPUs from 255 on that are offline because Linux does not use x2APIC mode; empty for none", machineReader(func(m *Machine) Value {
		return deriveValue(func() any { return humanize.Ranges(m.unnumbered()) }, valueOf(m.sys.CPU.Present), valueOf(m.sys.CPU.Online))
	})},
	Field{"limited_by", textListType, "kernel options that leave CPUs out: maxcpus=, nr_cpus= or possible_cpus= with no more than are online, if firmware has more", machineReader(limitingOptions)},
)

func processorModels(m *Machine) Value {
	models := gatherValues[string](m.ofProcessors(func(s *inventory.Socket) Value {
		brand := computedFrom(s.Brand, func(b string) any { return strings.Join(strings.Fields(b), " ") })
		return deriveValue(func() any { return brand.Value }, valueOf(s.Populated), brand)
	}))
	list, _ := models.Value.([]string)
	for i := 1; i < len(list); i++ {
		if strings.HasPrefix(list[i], list[i-1]) {
			return MissingValue(fact.Malformed, "the brand string "+list[i-1]+" is cut short", "the processors' own brand strings")
		}
	}
	return models
}

// logicalProcessors counts the hardware threads that firmware describes, otherwise those that are present if they are more
// than 255: without x2APIC the kernel may see fewer than there are.
func logicalProcessors(m *Machine) Value {
	threads := m.ofProcessors(func(s *inventory.Socket) Value { return valueOf(s.Threads) })
	if present := m.sys.CPU.Present; len(present.Value) > inventory.MaxXAPIC && slices.ContainsFunc(threads, func(v Value) bool { return !v.Known() }) {
		return computedFrom(present, func(cpus []int) any { return int64(len(cpus)) })
	}
	return deriveValue(func() any {
		total := int64(0)
		for _, n := range threads {
			total += n.Value.(int64)
		}
		return total
	}, threads...)
}

// ProcessorVendor returns the CPUID vendor of the machine's processors.
func (m *Machine) ProcessorVendor() Value {
	return firstProcessor(m, func(s inventory.Socket) Value { return valueOf(s.Vendor) }, valueOf(m.sys.CPU.Vendor))
}

func firstProcessor(m *Machine, f func(inventory.Socket) Value, kernel Value) Value {
	for _, s := range m.sys.Sockets {
		if s.Populated.Or(false) {
			if v := f(s); v.Known() {
				return v
			}
		}
	}
	return kernel
}

func fromTable(m *Machine, f func(p *platform.Processor) (any, bool)) Value {
	for i, p := range m.population.Processors {
		if p == nil {
			continue
		}
		if v, ok := f(p); ok {
			return Value{Value: nativeValue(v), State: fact.OK, Certainty: fact.Corroborated, From: m.sys.Sockets[i].Brand.From}
		}
	}
	return MissingValue(fact.Absent, "the processor is not in the vendor's table", "")
}

func capabilityReader(what string, f func(p *platform.Processor) string) func(m *Machine) Value {
	return func(m *Machine) Value {
		v := fromTable(m, func(p *platform.Processor) (any, bool) {
			word := f(p)
			return word == "yes", word == "yes" || word == "no"
		})
		if !v.Known() {
			v.Reason = "the vendor's processor table does not say whether this part has " + what
		}
		return v
	}
}

// offlineCPUs lists the CPUs that are present and offline. If the kernel took the second threads of all cores
// offline, which is a setting of its own, one CPU per core is complete. Threads that firmware disables are not
// present.
func offlineCPUs(m *Machine) Value {
	cpu, unnumbered := &m.sys.CPU, m.unnumbered()
	var off []int
	for _, n := range cpu.Present.Value {
		if !slices.Contains(cpu.Online.Value, n) && !slices.Contains(unnumbered, n) {
			off = append(off, n)
		}
	}
	from := []Value{valueOf(cpu.Present), valueOf(cpu.Online)}
	usable := 0
	if len(off) > 0 && m.isSMTDisabled() &&
		slices.Contains([]string{inventory.DecidedKernel, inventory.DecidedCommandLine, inventory.DecidedAdministrator}, m.sys.Settings["smt"].DecidedBy.Or("")) {
		var counts []Value
		usable, counts = m.usableCPUs()
		from = append(from, counts...)
	}
	return deriveValue(func() any {
		if usable > 0 && usable <= len(cpu.Online.Value) {
			return ""
		}
		return humanize.Ranges(off)
	}, from...)
}

func (m *Machine) unnumbered() []int {
	if m.sys.Settings["x2apic"].Effective.Or("") != "disabled" {
		return nil
	}
	return m.sys.CPU.Unnumbered()
}

// limitingOptions limit the threads, or the cores if SMT is off, below what firmware provides.
func limitingOptions(m *Machine) Value {
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
		if usable = len(m.sys.CPU.Present.Value); m.isSMTDisabled() || usable <= len(online.Value) {
			usable, counts = m.usableCPUs()
			from = append(from, counts...)
		}
	}
	return deriveValue(func() any {
		if usable <= len(online.Value) {
			return []string{}
		}
		return limits
	}, from...)
}

func (m *Machine) isSMTDisabled() bool { return m.sys.Settings["smt"].Effective.Or("") == "disabled" }

// Threads count or, if SMT is off, cores.
func (m *Machine) usableCPUs() (int, []Value) {
	total := 0
	from := m.ofProcessors(func(s *inventory.Socket) Value {
		count := s.Threads
		if m.isSMTDisabled() {
			count = s.CoresEnabled
		}
		total += count.Value
		return valueOf(count)
	})
	return total, from
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
	return deriveValue(func() any {
		most := nodesPerProcessor(mode.Value)
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
