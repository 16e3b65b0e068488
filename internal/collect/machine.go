package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/collect/effective"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/source/smbios"
)

// fillIdentity fills in the identity: from SMBIOS first, because it is complete, then from the part of it
// that the kernel publishes for all users. Both come from firmware, so they do not corroborate each
// other.
func (c *collector) fillIdentity() {
	m := &c.sys.Machine
	if c.table != nil {
		if b, ok := c.table.BIOS(); ok {
			s := structureOf(0, b.Handle, c.table)
			m.BIOS.Vendor, m.BIOS.Version = textFact(s, "Vendor", b.Vendor), textFact(s, "Version", b.Version)
			m.BIOS.Date = textFact(s, "Release Date", b.ReleaseDate)
		}
		if y, ok := c.table.System(); ok {
			s := structureOf(1, y.Handle, c.table)
			m.Vendor, m.Product = textFact(s, "Manufacturer", y.Manufacturer), textFact(s, "Product Name", y.Product)
			m.ProductVersion, m.Family = textFact(s, "Version", y.Version), textFact(s, "Family", y.Family)
			m.Identifiers.SystemSerial, m.Identifiers.SystemUUID = nullable.String(y.Serial.Or("")), nullable.String(y.UUID.Or(""))
		}
		if boards := c.table.Boards(); len(boards) > 0 {
			b := boards[0]
			// Risers and blades are boards too.
			if i := slices.IndexFunc(boards, func(b smbios.Board) bool { return b.Type.Or("") == "Motherboard" }); i >= 0 {
				b = boards[i]
			}
			s := structureOf(2, b.Handle, c.table)
			m.BoardVendor, m.Board = textFact(s, "Manufacturer", b.Manufacturer), textFact(s, "Product Name", b.Product)
			m.Identifiers.BoardSerial = nullable.String(b.Serial.Or(""))
		}
		if list := c.table.Chassis(); len(list) > 0 {
			m.Identifiers.ChassisSerial, m.Identifiers.AssetTag = nullable.String(list[0].Serial.Or("")), nullable.String(list[0].AssetTag.Or(""))
		}
	}
	if c.facts != nil {
		c.kernelIdentity(m)
	}
	m.Virtual, m.Hypervisor = c.detectVirtual()
	// Firmware of boards that are sold separately leaves placeholders for the system.
	if m.Product.State != fact.Unstated || !m.Board.Known() {
		return
	}
	switch {
	case m.Vendor.State == fact.Unstated:
		if m.BoardVendor.Known() {
			m.Vendor = m.BoardVendor
			m.Vendor.Certainty = fact.Indirect
		}
	case !sameVendor(m.Vendor, m.BoardVendor):
		return
	}
	m.Product = m.Board
	m.Product.Certainty = fact.Indirect
}

// sameVendor compares two spellings of a vendor's name: ASUS and ASUSTeK are the same.
func sameVendor(x, y fact.Fact[string]) bool {
	first := func(f fact.Fact[string]) string {
		word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(f.Or(""))), " ")
		return strings.TrimRight(word, ",.")
	}
	a, b := first(x), first(y)
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// kernelIdentity merges the strings of /sys/class/dmi/id, which are also read through ghw if sys and proc below the root are
// the running kernel's. Our own reader is needed because ghw does not report why a string is missing.
func (c *collector) kernelIdentity(m *inventory.Machine) {
	d := c.facts.DMIID
	own := inventory.Machine{
		Vendor: identityFact(d.Vendor), Product: identityFact(d.Product), ProductVersion: identityFact(d.ProductVersion), Family: identityFact(d.ProductFamily),
		BoardVendor: identityFact(d.BoardVendor), Board: identityFact(d.Board),
		BIOS: inventory.BIOS{Vendor: identityFact(d.BIOSVendor), Version: identityFact(d.BIOSVersion), Date: identityFact(d.BIOSDate)},
	}
	if folder := c.root.KernelFolder(); folder != "" && d.Vendor.Known() {
		c.readGHW(folder, &own)
	}
	kernel := identityFacts(&own)
	for i, into := range identityFacts(m) {
		if into.Known() && kernel[i].Known() && kernel[i].Value != into.Value && c.sameMachine() {
			c.recordConflict("machine identity", into.From, kernel[i].From, "SMBIOS is the source that the kernel's copy is made of")
		}
		*into = fact.First(*into, *kernel[i])
	}
	m.Architecture = c.facts.CPU.Architecture
	ids := &m.Identifiers
	for own, kernel := range map[*nullable.String]string{&ids.SystemSerial: d.ProductSerial.Value, &ids.SystemUUID: d.ProductUUID.Value,
		&ids.BoardSerial: d.BoardSerial.Value, &ids.ChassisSerial: d.ChassisSerial.Value, &ids.AssetTag: d.AssetTag.Value} {
		*own = cmp.Or(*own, nullable.String(kernel))
	}
}

// A file given with a root may be another machine's on purpose.
func (c *collector) sameMachine() bool { return c.table != nil && !c.given }

func identityFacts(m *inventory.Machine) []*fact.Fact[string] {
	return []*fact.Fact[string]{&m.Vendor, &m.Product, &m.ProductVersion, &m.Family, &m.BoardVendor, &m.Board, &m.BIOS.Vendor, &m.BIOS.Version, &m.BIOS.Date}
}

// preferGHW takes ghw's string unless it is only a placeholder such as "unknown". If both differ, it records a
// conflict and keeps our own.
func (c *collector) preferGHW(word string, own *fact.Fact[string]) {
	switch at := fact.At(inventory.SourceDMIID, own.From.Path, word); {
	case placeholder.Is(word):
	case own.Known() && own.Value != word:
		c.recordConflict("machine identity", own.From, at, "ghw reads a different word")
	default:
		*own = fact.Known(word, fact.Direct, at)
	}
}

// identityFact converts a string that we read; a placeholder is unstated.
func identityFact(f fact.Fact[string]) fact.Fact[string] {
	if f.Known() && placeholder.Is(f.Value) {
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder in "+f.From.Path, "", f.From)
	}
	return f
}

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

// hypervisors lists prefixes of vendor, product and BIOS strings that identify guests
// (systemd src/basic/virt.c, dmi_vendors).
var hypervisors = [...]struct{ prefix, name string }{
	{"KVM", "kvm"}, {"OpenStack", "kvm"}, {"KubeVirt", "kvm"}, {"QEMU", "qemu"}, {"VMware", "vmware"},
	{"VMW", "vmware"}, {"innotek GmbH", "virtualbox"}, {"VirtualBox", "virtualbox"}, {"Xen", "xen"},
	{"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"}, {"Hyper-V", "hyper-v"},
	{"Apple Virtualization", "apple"}, {"Google Compute Engine", google}, {"Amazon EC2", amazon},
	{"Virtual Machine", "hyper-v"}, {"Standard PC", "qemu"}, {"oVirt", "kvm"}, {"RHEV", "kvm"}, {"Bhyve", "bhyve"},
}

// xenDomain is the content of /sys/hypervisor/type under Xen.
const xenDomain = "xen"

// Clouds that also rent bare-metal machines, with the same strings as their guests.
const (
	amazon = "amazon"
	google = "google"
)

// xenPrivileged is the bit in /sys/hypervisor/properties/features that only the privileged domain
// has (XENFEAT_dom0).
const xenPrivileged = 1 << 11

// detectVirtual determines whether this is a guest: by the CPU's hypervisor flag, then by firmware's bit,
// then by the strings of hypervisors. Xen's privileged domain counts as the real machine.
func (c *collector) detectVirtual() (fact.Fact[bool], fact.Fact[string]) {
	name, bit := c.hypervisorName(), c.virtualBit()
	flag, word, settled := c.kernelVirtual()
	switch platform, hypervisor := c.virtualByPlatform(); {
	case settled && flag.Or(false):
		return flag, fact.First(word, name)
	case settled && flag.Known():
		return flag, noHypervisor()
	case settled:
		return flag, word
	case bit.Or(false):
		return bit, name
	case name.Known() && c.isBareMetal(name.Value, bit, flag):
		return fact.Known(false, fact.Corroborated, c.sys.Machine.Product.From, bit.Evidence()...), noHypervisor()
	case name.Known():
		return fact.Known(true, name.Certainty, name.From), name
	case flag.Known():
		return flag, noHypervisor()
	case c.sys.Machine.Vendor.Known() || c.sys.Machine.Product.Known():
		return fact.Known(false, fact.Corroborated, fact.First(c.sys.Machine.Vendor, c.sys.Machine.Product).From), noHypervisor()
	case platform.Known():
		return platform, hypervisor
	case c.table != nil:
		// A part of a table, such as that of `dmidecode -t memory`.
		return fact.Known(false, fact.Indirect, fact.At(inventory.SourceSMBIOS, inventory.TablePath, "no hypervisor's name in it")), noHypervisor()
	default:
		return fact.Unknown[bool](fact.Unread, "nothing says whether this is a virtual machine", fact.CaptureOf("/proc/cpuinfo and /sys/class/dmi/id")), name
	}
}

// kernelVirtual returns what the kernel reports. settled is set if that is conclusive; a cleared flag
// alone is not.
func (c *collector) kernelVirtual() (flag fact.Fact[bool], name fact.Fact[string], settled bool) {
	if c.facts == nil {
		return flag, name, false
	}
	v := c.facts.Virt
	flag, name = v.HypervisorFlag, v.Type
	features := v.XenFeatures.From
	switch tree := v.DeviceTree; {
	case v.XenFeatures.Known() && v.XenFeatures.Value&xenPrivileged != 0:
		return fact.Known(false, fact.Corroborated, features), name, true
	case flag.Or(false):
		return flag, name, true
	case v.XenFeatures.Known():
		return fact.Known(true, fact.Direct, features), name, true
	case c.isUnderXen():
		if !name.Known() {
			name = fact.Known(xenDomain, fact.Direct, tree.From)
		}
		return fact.Unknown[bool](fact.Unread, "this runs under Xen, as a guest or as the privileged domain", fact.CaptureOf("/sys/hypervisor/properties/features"), name.From), name, true
	case tree.Known():
		return fact.Known(true, fact.Direct, tree.From), fact.Known(strings.TrimPrefix(tree.Value, "linux,"), fact.Direct, tree.From), true
	}
	return flag, name, false
}

// virtualByPlatform determines whether a machine that names itself nowhere else is a guest, by the platform that the kernel of a
// Power machine runs on or by the board's name in the device tree. pSeries is a partition or guest if the processor is an
// architected one, as a hypervisor sets it; before POWER5 it was the machine itself.
func (c *collector) virtualByPlatform() (virtual fact.Fact[bool], hypervisor fact.Fact[string]) {
	if c.facts == nil {
		return virtual, hypervisor
	}
	v, cpu := c.facts.Virt, &c.facts.CPU.Identity
	for _, f := range []fact.Fact[string]{v.Machine, v.Model} {
		if strings.Contains(f.Value, "qemu") || strings.Contains(f.Value, "dummy-virt") {
			return fact.Known(true, fact.Corroborated, f.From), fact.Known("qemu", fact.Indirect, f.From)
		}
	}
	switch {
	case v.Platform.Value == "PowerNV":
		return fact.Known(false, fact.Corroborated, v.Platform.From), noHypervisor()
	case v.Platform.Value == "pSeries" && strings.Contains(cpu.Brand.Value, "(architected)"):
		return fact.Known(true, fact.Corroborated, v.Platform.From, cpu.Brand.From), fact.Known("powervm", fact.Indirect, v.Platform.From)
	case v.Model.Known() && !inventory.NoFirmwareTables(cpu.Architecture.Value):
		return fact.Known(false, fact.Corroborated, v.Model.From), noHypervisor()
	}
	return virtual, hypervisor
}

// isBareMetal reports whether this is a bare-metal machine of a cloud. On EC2, firmware's bit is known
// (and cleared) on such machines (systemd src/basic/virt.c), or the product name contains ".metal"; on
// Google's cloud, bit and CPU flag are both known.
func (c *collector) isBareMetal(name string, bit, flag fact.Fact[bool]) bool {
	return name == google && bit.Known() && flag.Known() ||
		name == amazon && (bit.Known() || strings.Contains(c.sys.Machine.Product.Or(""), ".metal"))
}

func noHypervisor() fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, "not a virtual machine", "")
}

// virtualBit is firmware's; many hypervisors do not set it.
func (c *collector) virtualBit() fact.Fact[bool] {
	if c.table != nil {
		if b, ok := c.table.BIOS(); ok && b.VirtualMachine.Known() {
			return fieldFact(structureOf(0, b.Handle, c.table), "Characteristics", b.VirtualMachine, fact.Direct)
		}
	}
	return fact.Fact[bool]{}
}

// hypervisorName recognises a hypervisor by firmware's strings or, in a table without an identity, by
// the manufacturer of its modules.
func (c *collector) hypervisorName() fact.Fact[string] {
	m := &c.sys.Machine
	for _, f := range []fact.Fact[string]{m.Product, m.Vendor, m.BoardVendor, m.BIOS.Vendor, m.ProductVersion} {
		if name, ok := hypervisorOf(f.Or("")); ok {
			return fact.Known(name, fact.Corroborated, f.From)
		}
	}
	if c.table != nil && !m.Vendor.Known() && !m.Product.Known() {
		for d := range c.table.EachMemoryDevice() {
			if name, ok := hypervisorOf(d.Manufacturer.Or("")); ok {
				return fact.Known(name, fact.Indirect, structureOf(17, d.Handle, c.table).fieldEvidence("Manufacturer", d.Manufacturer.Value))
			}
		}
	}
	return fact.Unknown[string](fact.Absent, "no hypervisor is known by these strings", "")
}

func hypervisorOf(text string) (name string, ok bool) {
	for _, h := range hypervisors {
		if strings.HasPrefix(text, h.prefix) {
			return h.name, true
		}
	}
	return "", false
}

// isUnderXen reports whether this is a domain of Xen, a guest or the privileged one. On Arm the device
// tree of both has Xen's node (Documentation/devicetree/bindings/arm/xen.txt).
func (c *collector) isUnderXen() bool {
	return c.facts != nil && (c.facts.Virt.Type.Value == xenDomain || strings.HasPrefix(c.facts.Virt.DeviceTree.Value, "xen,"))
}

// isPrivilegedDomain reports whether this is Xen's privileged domain: it runs on the real machine, but the
// hypervisor provides its CPUs, nodes and memory.
func (c *collector) isPrivilegedDomain() bool {
	return c.isUnderXen() && !c.sys.Machine.Virtual.Or(false)
}
