package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// CPUIdle is the kernel's idle driver and its states (Documentation/admin-guide/pm/cpuidle.rst).
type CPUIdle struct {
	Source Source
	// Driver is cpuidle/current_driver: "intel_idle", "acpi_idle", "none". Governor is
	// current_governor_ro or current_governor.
	Driver, Governor fact.Fact[string]
	// States are the states of the first online CPU, by index.
	States fact.Fact[[]IdleState]
	// Names and Disabled are sampled from the first and last CPU of each package: the names of all
	// states, and which of them are disabled, for example "POLL C1 C1E C6" and "0 0 0 1".
	Names, Disabled Sampled
	// IntelIdleMax and ProcessorMax are the max_cstate parameters of the drivers; only root can read the second.
	IntelIdleMax, ProcessorMax fact.Fact[int64]
	// Limits are cpuN/power/pm_qos_resume_latency_us of the sampled CPUs: the wake-up latency in
	// microseconds above which idle states are not entered, "0" for no limit and "n/a" if no latency is
	// allowed (Documentation/ABI/testing/sysfs-devices-power).
	Limits Sampled
	// Limit is that of all CPUs, which processes request through /dev/cpu_dma_latency.
	Limit fact.Fact[int64]
}

// IdleState is one cpuidle state of one CPU.
type IdleState struct {
	Index int
	// Name is at most 15 characters: "C6"; ACPI's C2 is not the hardware's.
	Name, Desc fact.Fact[string]
	// LatencyUS is the exit latency in microseconds.
	LatencyUS fact.Fact[int64]
	// Disabled is the file "disable", set by an administrator or, if DefaultStatus is "disabled",
	// by the driver at boot (Linux 5.6 and later).
	Disabled      fact.Fact[bool]
	DefaultStatus fact.Fact[string]
}

// ReadCPUIdle reads all of cpuidle for the first online CPU in cpu, and the values that may differ for sampled CPUs.
func ReadCPUIdle(root *Root, cpu *CPU) *CPUIdle {
	r := newReader(root, inventory.SourceCPUIdle)
	const dir = cpuDir + "/cpuidle"
	c := &CPUIdle{
		Driver:       r.readText(dir + "/current_driver"),
		Governor:     r.readText(dir + "/current_governor_ro"),
		IntelIdleMax: r.readNumber("/sys/module/intel_idle/parameters/max_cstate"),
		ProcessorMax: r.readNumber("/sys/module/processor/parameters/max_cstate"),
		Limit:        r.dmaLatency(),
	}
	if unavailable(c.Governor) {
		c.Governor = r.readText(dir + "/current_governor")
	}
	if cpu.Online.State != fact.OK {
		c.States = fact.UnknownFrom[[]IdleState](cpu.Online)
	} else {
		c.States = r.idleStates(cpu.Online.Value[0])
		r.compareIdle(c, cpu)
	}
	needed := []stater{c.Driver}
	if c.Driver.Value != "none" {
		needed = append(needed, c.States)
	}
	c.Source = summariseSource("cpuidle", needed, c.Governor, c.Names, c.Disabled)
	return c
}

func (r *reader) idleStates(cpu int) fact.Fact[[]IdleState] {
	dir := numberedPath(cpuPrefix, cpu, "/cpuidle")
	found := r.listNumbered(dir, "state")
	if found.State != fact.OK {
		return fact.UnknownFrom[[]IdleState](found)
	}
	if len(found.Value) > 32 { // above the kernel's CPUIDLE_STATE_MAX
		return malformedFact[[]IdleState](r.evidenceAt(dir, ""), fmt.Errorf("%d idle states", len(found.Value)))
	}
	if len(found.Value) == 0 {
		return unknownFact[[]IdleState](r.source, &ReadError{Op: "list", Path: dir, State: fact.Absent, Err: errors.New("no idle state is listed")})
	}
	return each(found, func(i int) IdleState {
		s := numberedPath(dir+"/state", i, "")
		return IdleState{
			Index: i, Name: r.readText(s + "/name"), Desc: r.readText(s + "/desc"),
			LatencyUS:     r.readNumber(s + "/latency"),
			Disabled:      fact.Convert(r.readNumber(s+"/disable"), func(n int64) bool { return n != 0 }),
			DefaultStatus: r.readText(s + "/default_status"),
		}
	})
}

func (r *reader) compareIdle(c *CPUIdle, cpu *CPU) {
	if c.States.State != fact.OK {
		c.Names.add(fact.UnknownFrom[string](c.States))
		c.Disabled.add(fact.UnknownFrom[string](c.States))
		return
	}
	for _, n := range cpu.Representatives() {
		dir := numberedPath(cpuPrefix, n, "/cpuidle/state")
		c.Names.add(r.joinAttributes(dir, "/name", c.States.Value))
		c.Disabled.add(r.joinAttributes(dir, "/disable", c.States.Value))
		c.Limits.add(r.readText(numberedPath(cpuPrefix, n, "/power/pm_qos_resume_latency_us")))
	}
}

// DMALatency is the device through which processes limit the wake-up latency of all CPUs.
const DMALatency = "/dev/cpu_dma_latency"

// dmaLatency reads the limit, a binary number of four bytes (Documentation/power/pm_qos_interface.rst).
// Reading it does not change it.
func (r *reader) dmaLatency() fact.Fact[int64] {
	switch b, err := r.readBytes(DMALatency, LimitAttribute); {
	case err != nil:
		return unknownFact[int64](r.source, err)
	case len(b) != 4:
		return malformedFact[int64](r.evidenceAt(DMALatency, ""), fmt.Errorf("%d bytes, expected 4", len(b)))
	default:
		n := int64(int32(binary.NativeEndian.Uint32(b)))
		return fact.Known(n, fact.Direct, r.evidenceAt(DMALatency, strconv.FormatInt(n, 10)))
	}
}

// joinAttributes reads one attribute of every state, separated by blanks; the first that fails is the result.
func (r *reader) joinAttributes(dir, attr string, states []IdleState) fact.Fact[string] {
	var values []string
	for _, s := range states {
		v := r.readText(numberedPath(dir, s.Index, attr))
		if v.State != fact.OK {
			return v
		}
		values = append(values, v.Value)
	}
	all := strings.Join(values, " ")
	return fact.Known(all, fact.Direct, r.evidenceAt(dir+"*"+attr, all))
}
