package collect

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/placeholder"
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
