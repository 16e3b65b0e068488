package collect

import (
	"strings"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios"
)

// machine fills the identity: SMBIOS first, for it is whole and read by root;
// then what the kernel publishes of it to everybody. Both are firmware's word,
// so that agreement corroborates nothing.
func (c *collector) machine() {
	m := &c.sys.Machine
	if c.table != nil {
		c.smbiosIdentity(m)
	}
	if c.facts != nil {
		c.kernelIdentity(m)
	}
	m.Virtual, m.Hypervisor = c.virtual()
}

func (c *collector) smbiosIdentity(m *inventory.Machine) {
	if b, ok := c.table.BIOS(); ok {
		s := structure{0, b.Handle, c.table.Version}
		m.BIOSVendor, m.BIOSVersion = text(s, "Vendor", b.Vendor), text(s, "Version", b.Version)
		m.BIOSDate = text(s, "Release Date", b.ReleaseDate)
	}
	if y, ok := c.table.System(); ok {
		s := structure{1, y.Handle, c.table.Version}
		m.Vendor, m.Product = text(s, "Manufacturer", y.Manufacturer), text(s, "Product Name", y.Product)
		m.ProductVersion, m.Family = text(s, "Version", y.Version), text(s, "Family", y.Family)
		m.Identifiers.SystemSerial, m.Identifiers.SystemUUID = y.Serial.Or(""), y.UUID.Or("")
	}
	if boards := c.table.Boards(); len(boards) > 0 {
		b := mainBoard(boards)
		s := structure{2, b.Handle, c.table.Version}
		m.BoardVendor, m.Board = text(s, "Manufacturer", b.Manufacturer), text(s, "Product Name", b.Product)
		m.Identifiers.BoardSerial = b.Serial.Or("")
	}
	if list := c.table.Chassis(); len(list) > 0 {
		m.ChassisType = word(structure{3, list[0].Handle, c.table.Version}, "Type", list[0].Type)
		m.Identifiers.ChassisSerial, m.Identifiers.AssetTag = list[0].Serial.Or(""), list[0].AssetTag.Or("")
	}
}

// mainBoard is the first motherboard, else the first board: risers and blades
// are boards too.
func mainBoard(boards []smbios.Board) smbios.Board {
	for _, b := range boards {
		if b.Type.Or("") == "Motherboard" {
			return b
		}
	}
	return boards[0]
}

func (c *collector) kernelIdentity(m *inventory.Machine) {
	id := c.identity()
	merge := func(into *inventory.Fact[string], kernel inventory.Fact[string]) {
		if into.Known() && kernel.Known() && kernel.Value != into.Value && c.root != nil && c.sameMachine() {
			c.conflict("machine identity", into.From, kernel.From, "SMBIOS is the source that the kernel's copy is made of")
		}
		*into = first(*into, kernel)
	}
	merge(&m.Vendor, id.vendor)
	merge(&m.Product, id.product)
	merge(&m.ProductVersion, id.version)
	merge(&m.Family, id.family)
	merge(&m.BoardVendor, id.boardVendor)
	merge(&m.Board, id.board)
	merge(&m.BIOSVendor, id.biosVendor)
	merge(&m.BIOSVersion, id.biosVersion)
	merge(&m.BIOSDate, id.biosDate)
	m.Architecture = from(inventory.SourceCPU, c.facts.CPU.Architecture, inventory.Direct)
	ids, d := &m.Identifiers, c.facts.DMIID
	fill(&ids.SystemSerial, d.ProductSerial.V)
	fill(&ids.SystemUUID, d.ProductUUID.V)
	fill(&ids.BoardSerial, d.BoardSerial.V)
	fill(&ids.ChassisSerial, d.ChassisSerial.V)
	fill(&ids.AssetTag, d.AssetTag.V)
}

func fill(into *string, v string) {
	if *into == "" {
		*into = v
	}
}

// sameMachine reports whether the table was read from the audited root: a file
// given beside it may well be another machine's on purpose.
func (c *collector) sameMachine() bool { return c.facts != nil && c.facts.SMBIOS.Table.Known() }

// hypervisors are beginnings of vendor, product or BIOS strings by which
// guests are known (systemd src/basic/virt.c, dmi_vendors).
var hypervisors = [...]struct{ prefix, name string }{
	{"KVM", "kvm"}, {"OpenStack", "kvm"}, {"KubeVirt", "kvm"}, {"QEMU", "qemu"}, {"VMware", "vmware"},
	{"VMW", "vmware"}, {"innotek GmbH", "virtualbox"}, {"VirtualBox", "virtualbox"}, {"Xen", "xen"},
	{"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"}, {"Hyper-V", "hyper-v"},
	{"Apple Virtualization", "apple"}, {"Google Compute Engine", "google"}, {"Amazon EC2", "amazon"},
	{"Virtual Machine", "hyper-v"}, {"Standard PC", "qemu"}, {"oVirt", "kvm"}, {"RHEV", "kvm"}, {"Bhyve", "bhyve"},
}

// virtual decides whether this is a guest: the CPU's hypervisor flag, then
// firmware's own bit, then the strings by which hypervisors are known. The
// privileged domain of Xen runs on the real machine.
func (c *collector) virtual() (inventory.Fact[bool], inventory.Fact[string]) {
	name := c.hypervisorName()
	if c.facts != nil {
		v := c.facts.Virt
		flag := from(inventory.SourceCPU, v.HypervisorFlag, inventory.Direct)
		if v.XenFeatures.Known() && v.XenFeatures.V&(1<<11) != 0 {
			return inventory.Known(false, inventory.Corroborated, evidenceOf(inventory.SourceCPU, v.XenFeatures.Path, "privileged domain")), noHypervisor()
		}
		if flag.Known() && flag.Value {
			return flag, first(from(inventory.SourceCPU, v.Type, inventory.Direct), name)
		}
		if flag.Known() && !name.Known() && !c.virtualBit().Known() {
			return flag, noHypervisor()
		}
	}
	if bit := c.virtualBit(); bit.Known() {
		return bit, name
	}
	if name.Known() {
		if strings.Contains(c.sys.Machine.Product.Or(""), ".metal") {
			return inventory.Known(false, inventory.Corroborated, c.sys.Machine.Product.From), noHypervisor()
		}
		return inventory.Known(true, inventory.Corroborated, name.From), name
	}
	if c.sys.Machine.Vendor.Known() || len(c.sys.Slots) > 0 || c.table != nil {
		at := c.sys.Machine.Vendor.From
		return inventory.Known(false, inventory.Corroborated, at), noHypervisor()
	}
	return inventory.Unknown[bool](inventory.Unread, "nothing says whether this is a virtual machine", ""), name
}

func noHypervisor() inventory.Fact[string] {
	return inventory.Unknown[string](inventory.Absent, "not a virtual machine", "")
}

func evidenceOf(source, path, raw string) inventory.Evidence {
	return inventory.Evidence{Source: source, Path: path, Raw: raw}
}

// virtualBit is firmware's bit "this table describes a virtual machine"; only
// a set bit says something.
func (c *collector) virtualBit() inventory.Fact[bool] {
	if c.table != nil {
		if b, ok := c.table.BIOS(); ok && b.VirtualMachine.Or(false) {
			return fact(structure{0, b.Handle, c.table.Version}, "Characteristics", b.VirtualMachine, inventory.Direct)
		}
	}
	return inventory.Fact[bool]{}
}

// hypervisorName recognises a hypervisor by firmware's strings.
func (c *collector) hypervisorName() inventory.Fact[string] {
	m := &c.sys.Machine
	for _, f := range []inventory.Fact[string]{m.Product, m.Vendor, m.BoardVendor, m.BIOSVendor, m.ProductVersion} {
		for _, h := range hypervisors {
			if f.Known() && strings.HasPrefix(f.Value, h.prefix) {
				return inventory.Known(h.name, inventory.Corroborated, f.From)
			}
		}
	}
	return inventory.Unknown[string](inventory.Absent, "no hypervisor is known by these strings", "")
}
