package host

import (
	_ "embed" // the generations are data beside the code
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Addresses of the registers that are read (linux arch/x86/include/asm/msr-index.h; Intel SDM volume 4; AMD PPR).
const (
	MSRAPICBase    uint32 = 0x1B  // bit 10: x2APIC mode
	MSRLLCPrefetch uint32 = 0x6D  // bit 42: LLC prefetcher off
	MSRPlatform    uint32 = 0xCE  // 15:8 base ratio, never 0
	MSRPackageCst  uint32 = 0xE2  // package C-state limit, bit 15 lock
	MSRMiscEnable  uint32 = 0x1A0 // 16 EIST, 18 MWAIT, 38 turbo off
	MSRPrefetch    uint32 = 0x1A4 // core prefetchers off; 12 of Diamond Rapids: L2P off
	MSRMiscPower   uint32 = 0x1AA // 8 and 18: out-of-band control
	MSREnergyBias  uint32 = 0x1B0 // 3:0
	MSRPowerCtl    uint32 = 0x1FC // 1 C1E, 34 source of the bias
	MSRUncore      uint32 = 0x620 // 6:0 highest, 14:8 lowest ratio
	MSRHWPEnable   uint32 = 0x770 // bit 0
	MSRHWCR        uint32 = 0xC0010015
	MSRPrefetchAMD uint32 = 0xC0000108
)

// MSR are the model-specific registers of one or two online CPUs of each package: of the first, and
// of the last too for registers that each core has.
type MSR struct {
	Source Source
	// Readings are in the order of packages and CPUs, by register.
	Readings map[uint32][]MSRReading
	// None is the reason why no register was read; it has none if one was.
	None fact.Fact[uint64]
}

// MSRReading is one register of one CPU.
type MSRReading struct {
	Package, CPU int
	fact.Fact[uint64]
}

// ErrNoRegisters is returned if no register of this processor is known.
var ErrNoRegisters = errors.New("no register of this processor is documented here")

// RefuseMSR returns the result if registers must not be read or have no meaning.
func RefuseMSR(reason string) *MSR {
	return withoutRegisters(&ReadError{Op: "read", Path: msrPath(0), State: fact.Refused, Err: errors.New(reason)})
}

func withoutRegisters(err *ReadError) *MSR {
	return &MSR{None: unknownFact[uint64](inventory.SourceMSR, err), Source: Source{Name: inventory.SourceMSR, State: err.State.Source(), Detail: err.Error()}}
}

// ReadMSR reads the documented registers of this processor through /dev/cpu/N/msr, which it opens for reading only
// (driver: arch/x86/kernel/msr.c). Each read interrupts the CPU, so only one or two CPUs of each package are read. It
// must not be called on a virtual machine, where unknown registers read 0.
func ReadMSR(root *Root, cpu *CPU) *MSR {
	asked := registersOf(cpu)
	switch {
	case len(asked) == 0:
		return withoutRegisters(&ReadError{Op: "read", Path: msrPath(0), State: fact.Absent, Err: ErrNoRegisters})
	case cpu.Packages.State != fact.OK:
		return withoutRegisters(readError("read", cpuDir, cpu.Packages.Err))
	}
	m := &MSR{Readings: map[uint32][]MSRReading{}}
	var needed []stater
	for _, p := range cpu.Packages.Value {
		needed = append(needed, m.readProcessor(root, asked, p.ID, p.CPUs[0], false))
		if last := p.CPUs[len(p.CPUs)-1]; last != p.CPUs[0] && slices.ContainsFunc(asked, func(a register) bool { return a.core }) {
			needed = append(needed, m.readProcessor(root, asked, p.ID, last, true))
		}
	}
	if made := m.virtualisedReason(); made != "" {
		return RefuseMSR(made)
	}
	m.Source = summariseSource(inventory.SourceMSR, needed)
	if m.Source.State != fact.SourceOK && m.Source.State != fact.SourcePartial {
		m.None = m.Readings[asked[0].address][0].Fact
	}
	return m
}

// virtualisedReason returns a reason if the registers are those of a hypervisor that hides itself, otherwise "". Such a
// hypervisor returns 0 for the processor's base ratio or for AMD's HWCR, in which firmware sets at least bit
// 24 (otherwise the kernel warns: linux arch/x86/kernel/cpu/amd.c).
func (m *MSR) virtualisedReason() string {
	for _, c := range []struct {
		register uint32
		mask     uint64
	}{{MSRPlatform, 0xff00}, {MSRHWCR, 1<<64 - 1}} {
		for _, r := range m.Readings[c.register] {
			if r.Known() && r.Value&c.mask == 0 {
				return fmt.Sprintf("register 0x%X of CPU %d reads 0x%x, as in virtual machines, where unknown registers read 0", c.register, r.CPU, r.Value)
			}
		}
	}
	return ""
}

// readProcessor reads the registers of one CPU. It returns the first that could be read, or the first
// failure: a processor need not have every register.
func (m *MSR) readProcessor(root *Root, asked []register, pkg, cpu int, coresOnly bool) stater {
	var regs []uint32
	for _, a := range asked {
		if a.core || !coresOnly {
			regs = append(regs, a.address)
		}
	}
	values := root.readRegisters(cpu, regs)
	for i, v := range values {
		m.Readings[regs[i]] = append(m.Readings[regs[i]], MSRReading{Package: pkg, CPU: cpu, Fact: v})
	}
	return values[max(0, slices.IndexFunc(values, fact.Fact[uint64].Known))]
}

type register struct {
	address uint32
	// core: each core has its own, so it is read on two CPUs of a package.
	core bool
}

func registersOf(cpu *CPU) []register {
	switch gen := cpu.Generation(); {
	case gen.Intel():
		list := []register{{MSRAPICBase, false}, {MSRPlatform, false}, {MSRPackageCst, false}, {MSRMiscEnable, false}, {MSRMiscPower, false},
			{MSREnergyBias, false}, {MSRPowerCtl, false}, {MSRPrefetch, true}}
		if cpu.Flags.Value["hwp"] {
			list = append(list, register{MSRHWPEnable, false})
		}
		if gen >= GenHaswell {
			list = append(list, register{MSRUncore, false})
		}
		if gen == GenSapphire || gen == GenGranite {
			list = append(list, register{MSRLLCPrefetch, true})
		}
		return list
	case gen == GenZen4:
		return []register{{MSRAPICBase, false}, {MSRHWCR, false}, {MSRPrefetchAMD, true}}
	case gen >= GenOpteron:
		return []register{{MSRAPICBase, false}, {MSRHWCR, false}}
	default:
		return nil
	}
}

func msrPath(cpu int) string { return numberedPath("/dev/cpu/", cpu, "/msr") }

func (r *Root) readRegisters(cpu int, regs []uint32) []fact.Fact[uint64] {
	path := msrPath(cpu)
	out := make([]fact.Fact[uint64], len(regs))
	noted := r.notes.registers[path]
	for i, reg := range regs {
		switch a, have := r.notes.answers[query{"msr", path, reg}]; {
		case a.Err != nil:
			out[i] = unknownFact[uint64](inventory.SourceMSR, a.Err)
		case have:
			out[i] = fact.Known(a.Value, fact.Direct, fact.At(inventory.SourceMSR, path, fmt.Sprintf("0x%x", a.Value)))
		case noted:
			out[i] = unknownFact[uint64](inventory.SourceMSR, &ReadError{Op: "read", Path: path, State: fact.Unread, Err: ErrNotCaptured})
		}
	}
	if !noted {
		// The driver has a register's 8 bytes, little-endian, at the register's number as offset.
		chunks := make([]registerRead, len(regs))
		for i, reg := range regs {
			chunks[i].at = int64(reg)
		}
		plain, err := r.b.readAt(path[1:], cpu, chunks)
		for i := range chunks {
			c := &chunks[i]
			problem := c.err
			if problem == nil && plain && err == nil {
				problem = plainProblem(chunks, i)
			}
			switch {
			case err != nil:
				out[i] = unknownFact[uint64](inventory.SourceMSR, r.explainError("read", path, err))
			case problem != nil:
				out[i] = unknownFact[uint64](inventory.SourceMSR, r.explainError("read", path, fmt.Errorf("register 0x%X: %w", regs[i], problem)))
			default:
				v := binary.LittleEndian.Uint64(c.data[:])
				out[i] = fact.Known(v, fact.Direct, fact.At(inventory.SourceMSR, path, fmt.Sprintf("0x%x", v)))
			}
		}
	}
	for i, reg := range regs {
		failed, _ := errors.AsType[*ReadError](out[i].Err)
		r.reportAccess(Access{Op: "msr", Path: path, State: out[i].State, Err: failed, Register: reg, Value: out[i].Value})
	}
	return out
}

// plainProblem returns the reason why the bytes of a plain file are not a register's value. A hole reads 0.
// Registers are less than 8 bytes apart, so bytes that belong to two registers can be those of either.
func plainProblem(chunks []registerRead, i int) error {
	c := &chunks[i]
	if allZero(c.data[:]) {
		return fmt.Errorf("%w: a plain file cannot distinguish a register of 0 from one that was not saved", ErrNotCaptured)
	}
	for j := range chunks {
		o := &chunks[j]
		d := o.at - c.at
		if j == i || d <= -8 || d >= 8 || o.err != nil {
			continue
		}
		follows := d > 0 && !allZero(c.data[d:])
		if precedes := d < 0 && !allZero(c.data[:8+d]) && !allZero(o.data[:-d]); follows || precedes {
			return fmt.Errorf("%w: a plain file cannot hold this register beside its neighbour", ErrNotCaptured)
		}
	}
	return nil
}

// Generation is a group of processors with the same layout of model-specific registers.
type Generation uint8

// The generations of generations.tsv, in the order of their registers.
const (
	GenOther Generation = iota // no register of it is documented here
	GenNehalem
	GenSandyBridge
	GenHaswell
	GenSkylake
	GenIcelake
	GenSapphire
	GenGranite
	GenSierra  // the registers of GenGranite but for that of the LLC prefetcher
	GenDiamond // an algorithm may switch the L2 prefetchers
	GenOpteron
	GenZen
	GenZen4
)

//go:embed generations.tsv
var generationsFile string

var generationNames = [...]string{GenNehalem: "nehalem", GenSandyBridge: "sandy bridge", GenHaswell: "haswell", GenSkylake: "skylake", GenIcelake: "ice lake",
	GenSapphire: "sapphire rapids", GenGranite: "granite rapids", GenSierra: "sierra forest", GenDiamond: "diamond rapids",
	GenOpteron: "opteron", GenZen: "zen", GenZen4: "zen 4"}

// Generation returns the group of this processor, GenOther if its identity is not known.
func (c *CPU) Generation() Generation {
	family, familyKnown := c.Family.Get()
	model, modelKnown := c.Model.Get()
	for line := range strings.Lines(generationsFile) {
		cells := strings.Split(line, "\t")
		if !strings.HasPrefix(line, "#") && familyKnown && modelKnown && slices.Contains(strings.Fields(cells[0]), c.Vendor.Value) &&
			inRanges(cells[1], family) && inRanges(cells[2], model) {
			return Generation(slices.Index(generationNames[:], cells[3])) //nolint:gosec // a test looks up every name
		}
	}
	return GenOther
}

func inRanges(ranges string, number int) bool {
	for part := range strings.FieldsSeq(ranges) {
		first, last, several := strings.Cut(part, "-")
		low, _ := strconv.ParseInt(first, 0, 0)
		high, _ := strconv.ParseInt(last, 0, 0)
		if number == int(low) || several && number > int(low) && (last == "" || number <= int(high)) {
			return true
		}
	}
	return false
}

// Intel reports whether this is a generation of Intel processors.
func (g Generation) Intel() bool { return g >= GenNehalem && g <= GenDiamond }
