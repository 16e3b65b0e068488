package collect

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/collect/effective"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

func (c *collector) addKernelFacts() {
	if c.facts == nil {
		n := &c.sys.NUMA
		n.SRAT, n.SLIT = noKernel[bool](c, "the SRAT"), noKernel[bool](c, "the SLIT")
		n.KernelNUMA, n.Cmdline, n.Options = noKernel[bool](c, "NUMA support"), noKernel[string](c, "the command line"), noKernel[[]string](c, "the command line")
		m := &c.sys.Memory
		m.TotalBytes, m.MapBytes = noKernel[int64](c, "usable memory"), noKernel[int64](c, "the memory map")
		m.BlockBytes, m.VisibleBytes = noKernel[int64](c, "the number of memory blocks"), noKernel[int64](c, "the memory that the system sees")
		m.CrashBytes, m.CorruptedBytes = noKernel[int64](c, "the memory kept for a crash kernel"), noKernel[int64](c, "the memory taken away after errors")
		p := &c.sys.CPU
		p.Packages, p.ThreadsPerCore = noKernel[[]inventory.Package](c, "the number of packages"), noKernel[int](c, "the number of threads per core")
		p.SMTControl, p.SMTActive = noKernel[string](c, "the SMT state"), noKernel[string](c, "the SMT state")
		p.CPUsPerL3 = noKernel[int](c, "the cache layout")
		p.Online, p.Present = noKernel[[]int](c, "the list of CPUs"), noKernel[[]int](c, "the list of CPUs")
		c.sys.Logged = noKernel[[]inventory.LoggedErrors](c, "the kernel log")
		c.sys.PCI = noKernel[[]inventory.Device](c, "the NUMA node of devices")
		c.sys.Kernel = inventory.Kernel{Messages: noKernel[[]string](c, "the kernel log"), Options: noKernel[[]string](c, "the command line"),
			TDX: noKernel[string](c, "whether TDX works"), SNP: noKernel[string](c, "whether SEV-SNP works")}
		return
	}
	f, p := c.facts, c.facts.CPU
	c.sys.CPU = inventory.CPU{Vendor: p.Vendor, Brand: p.Brand, Family: p.Family, Model: p.Model, Stepping: p.Stepping, Flags: p.Flags,
		Packages: p.Packages, Online: p.Online, Present: p.Present, ThreadsPerCore: p.ThreadsPerCore, CPUsPerL3: p.CPUsPerL3(),
		SMTControl: p.SMTControl, SMTActive: p.SMTActive}
	// The command line is shown to everyone who can read the daemon's report and may contain a password (rd.iscsi.password=).
	line := f.Cmdline.Line
	line.From.Raw = string(kerneltext.HideOptions([]byte(line.From.Raw), func([]byte) []byte { return []byte("<hidden>") }))
	c.sys.NUMA = inventory.NUMA{SRAT: f.ACPI.HasTable("SRAT"), SLIT: f.ACPI.HasTable("SLIT"),
		KernelNUMA: f.NUMA.Directory, Cmdline: line, Options: c.optionsWithPrefix(line, memoryOptions[:])}
	c.sys.Memory = c.visibleMemory()
	for _, m := range f.EDAC.Controllers.Value {
		c.sys.EDAC = append(c.sys.EDAC, m.Controller)
	}
	c.sys.Logged = fact.Convert(f.KernelLog.MemoryErrors, loggedErrors)
	c.sys.PCI = f.PCI
	c.sys.Kernel = inventory.Kernel{Messages: f.KernelLog.Messages, Options: c.optionsWithPrefix(c.sys.NUMA.Cmdline, featureOptions[:]), TDX: f.Kernel.TDX, SNP: f.Kernel.SNP}
}

func loggedErrors(list []kerneltext.MemoryError) []inventory.LoggedErrors {
	var out []inventory.LoggedErrors
	for _, e := range list {
		at := slices.IndexFunc(out, func(o inventory.LoggedErrors) bool {
			return o.Location == e.Location && o.FRU == e.FRU && o.Handle == e.Handle && o.Place == e.Place
		})
		if at < 0 {
			at = len(out)
			out = append(out, inventory.LoggedErrors{Location: e.Location, FRU: e.FRU, Place: e.Place, Handle: e.Handle})
		}
		times := &out[at].Uncorrected
		if e.Corrected {
			times = &out[at].Corrected
		}
		*times = append(*times, e.Microseconds/1e6)
	}
	return out
}

// memoryOptions are prefixes of kernel options that affect which processors and memory are visible.
var memoryOptions = [...]string{"numa=", "acpi=", "noacpi", "nosmt", "mitigations=", "l1tf=", "mds=", "maxcpus=", "nr_cpus=",
	"possible_cpus=", "mem=", "memmap=", "kernelcore=", "movablecore=", "efi_fake_mem", "hugepages=", "numa_balancing=", "crashkernel=",
	"tsx_async_abort=", "mmio_stale_data=", "retbleed="}

// featureOptions are prefixes of kernel options that ask for a feature of the platform, or prevent it.
var featureOptions = [...]string{"kvm_intel.tdx=", "kvm_amd.", "mem_encrypt=", "kernelcore=", "nosgx", "nohibernate", "iommu=", "iommu.passthrough=", "amd_iommu="}

func (c *collector) optionsWithPrefix(line fact.Fact[string], prefixes []string) fact.Fact[[]string] {
	return fact.Convert(line, func(string) []string {
		out := []string{}
		for _, o := range c.facts.Cmdline.Options {
			word := strings.ReplaceAll(o.Raw, `"`, "") // the kernel removes quotes
			if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(word, p) }) {
				out = append(out, word)
			}
		}
		return out
	})
}

func (c *collector) visibleMemory() inventory.Memory {
	const src = inventory.SourceMemory
	f := c.facts.Memory
	m := inventory.Memory{TotalBytes: f.TotalBytes, MapBytes: f.MapBytes,
		CrashBytes: f.CrashBytes, CorruptedBytes: f.CorruptedBytes, BlockBytes: f.OnlineBytes}
	if !m.BlockBytes.Known() && f.Blocks.Known() && f.BlockSizeBytes.Known() {
		m.BlockBytes = fact.Known(int64(f.Blocks.Value)*f.BlockSizeBytes.Value, fact.Corroborated,
			fact.At(src, f.Blocks.From.Path, fmt.Sprint(f.Blocks.Value)), f.BlockSizeBytes.From)
	}
	if c.isPrivilegedDomain() {
		m.VisibleBytes = fact.Unknown[int64](fact.Refused, effective.XenReason, "audit without Xen, or xl info", m.TotalBytes.From)
		return m
	}
	m.VisibleBytes = c.visibleBytes(&m)
	return m
}

// visibleBytes returns the visible memory in bytes: the size of firmware's map or, if unknown, of the online
// blocks. One that is smaller than MemTotal is incomplete and is ignored; the last resort is MemTotal.
func (c *collector) visibleBytes(m *inventory.Memory) fact.Fact[int64] {
	for _, f := range []fact.Fact[int64]{m.MapBytes, m.BlockBytes} {
		if !f.Known() {
			continue
		}
		if m.TotalBytes.Known() && f.Value < m.TotalBytes.Value {
			c.recordConflict("visible memory", m.TotalBytes.From, f.From, "it is less than the memory that the kernel manages")
			continue
		}
		return f
	}
	t := m.TotalBytes
	if t.Known() {
		t.Certainty = fact.Corroborated
	}
	return fact.First(t, m.MapBytes, m.BlockBytes)
}

// readRegisters reads the model-specific registers, but not in guests, where unknown registers read 0,
// nor under Xen, which shows its own.
func (c *collector) readRegisters() {
	if c.facts == nil {
		return
	}
	switch virtual := c.sys.Machine.Virtual; {
	case virtual.Or(false):
		c.msr = host.RefuseMSR("registers of a virtual machine say nothing: unknown ones read 0")
	case c.isPrivilegedDomain():
		c.msr = host.RefuseMSR("the registers are those that Xen shows")
	case !virtual.Known():
		c.msr = host.RefuseMSR("nothing says whether this is a virtual machine, whose registers say nothing")
	default:
		c.msr = host.ReadMSR(c.root, c.facts.CPU)
	}
	s := c.msr.Source
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: s.Name, State: s.State, Detail: nullable.String(s.Detail)})
}
