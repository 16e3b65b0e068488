package collect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

// addExports joins the exports and finds the table that translates each. Their statements about the
// machine's identity are used if no other source makes them.
func (c *collector) addExports(in *Input) {
	if len(in.Exports) == 0 {
		return
	}
	tables, err := settings.Tables{}, errors.New("no tables of vendors' BIOS attributes are given")
	if in.Tables != nil {
		tables, err = in.Tables()
	}
	inputs := map[*bios.Export]*Export{}
	var list []*bios.Export
	for i := range in.Exports {
		switch x := &in.Exports[i]; {
		case x.Export == nil:
			c.sys.Sources = append(c.sys.Sources, x.Failed.failedSource(x.Source))
		case err != nil:
			c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: x.Source, State: fact.SourceRefused, Detail: nullable.String(err.Error())})
		default:
			inputs[x.Export] = x
			list = append(list, x.Export)
		}
	}
	for _, e := range bios.JoinExports(list) {
		x := inputs[e]
		x.Foreign = x.Doubt != ""
		c.joined = append(c.joined, x)
		c.translateExport(tables, x)
		c.identifyMachine(x)
		c.exportProcessors(x)
	}
	for _, e := range list {
		c.exportSource(inputs[e])
	}
}

func vendorName(e *bios.Export) string {
	if e.Vendor == bios.AMI {
		return bios.Gigabyte
	}
	return e.Vendor
}

// translateExport sets the table of the export's vendor. If the vendor is unknown, or guessed from a single
// name, that is the table of the machine's vendor, or else AMI's, whose firmware most other boards
// have. The table certainly belongs to the vendor if the export or the machine names it, but never by names
// of reference code, because any vendor may have added names. An export that does not name its vendor and has no
// attribute of the table is most likely another machine's, and so is one of another vendor, unless the vendors share their
// settings. A BMC is identified by more than its vendor.
func (c *collector) translateExport(tables settings.Tables, x *Export) {
	vendor := &c.sys.Machine.Vendor
	e, own := x.Export, tables.FindTable(vendor.Or(" "))
	named := e.Vendor != "" && !e.Guessed
	var table *settings.Table
	switch {
	case e.Format == bios.OwnWords: // its values are canonical
	case named || e.Vendor != "" && own == nil:
		table = tables.FindTable(vendorName(e))
	case own != nil:
		table = own
	default:
		table = tables.FindTable(bios.Gigabyte)
	}
	e.UseTable(table, cmp.Or(e.Product, c.sys.Machine.Product.Or("")))
	if table == nil {
		return
	}
	reference := slices.Contains(table.Manufacturers, bios.IntelReference) || e.Vendor == bios.IntelReference || e.Vendor == bios.AMDReference
	x.proven = !reference && (named || own == table)
	switch {
	case x.proven && !named && len(e.Attributes) > 0 && e.Format != bios.Registry && x.summarise().Mapped == 0:
		x.proven, x.Foreign = false, true
		x.Doubt = cmp.Or(x.Doubt, fmt.Sprintf("none of the export's %d attributes is one of %s: is it another machine's?", len(e.Attributes), table.Vendor))
	case own == nil || own == table || e.Vendor == "" || genericFirmware(e.Vendor) || x.Source == inventory.SourceRedfish || areRelatedVendors(own.Vendor, table.Vendor):
	default:
		x.Foreign = true
		x.Doubt = fmt.Sprintf("the export is of a machine of %s, and this one is of %s: no finding on it goes above info", table.Vendor, vendor.Value)
		c.recordConflict("BIOS export", vendor.From, fact.Evidence{Source: x.Source, Path: x.Path, Raw: table.Vendor}, "it is the machine's own word; is the export another machine's?")
	}
}

// areRelatedVendors reports whether machines were sold under both vendors' names, or the machines of one vendor
// have the other's boards.
func areRelatedVendors(a, b string) bool {
	pair := func(x, y string) bool { return a == x && b == y || a == y && b == x }
	return pair("IBM", "Lenovo") || pair("HPE", "HPE Cray") || a == "AMI" || b == "AMI" || b == "Intel"
}

// identifyMachine uses an export only for what no other source states, and records differences.
func (c *collector) identifyMachine(x *Export) {
	if x.Foreign {
		return
	}
	m, e := &c.sys.Machine, x.Export
	at := func(field, raw string) fact.Evidence {
		return fact.Evidence{Source: x.Source, Path: x.Path, Field: field, Raw: raw}
	}
	if !m.Vendor.Known() && e.Vendor != "" && !genericFirmware(e.Vendor) && e.Table != nil {
		m.Vendor = fact.Known(e.Vendor, fact.Indirect, at("format", string(e.Format)))
	}
	switch {
	case e.Product == "":
	case !m.Product.Known():
		m.Product = fact.Known(e.Product, fact.Indirect, at("product", e.Product))
	case !sameProduct(e.Product, m.Product.Value) && !sameProduct(e.Product, m.Board.Or("")):
		c.recordConflict("machine of the BIOS export", m.Product.From, at("product", e.Product), "it is the machine's own name for itself")
		x.Doubt = fmt.Sprintf("the export calls its machine %q, and this one is %q: is it another machine's?", e.Product, m.Product.Value)
		x.Foreign = x.Source != inventory.SourceRedfish // this machine's BMC may use another product name
	}
	if !m.BIOSRegistry.Known() && e.RegistryName != "" {
		m.BIOSRegistry = fact.Known(e.RegistryName, fact.Indirect, at("AttributeRegistry", e.RegistryName))
	}
	if !m.BIOS.Version.Known() && e.Firmware != "" {
		m.BIOS.Version = fact.Known(e.Firmware, fact.Indirect, at("firmware", e.Firmware))
	}
}

// Several vendors ship this firmware unchanged, so that its attribute names identify none. AMI makes no machines.
func genericFirmware(vendor string) bool {
	return vendor == bios.AMI || vendor == bios.IntelReference || vendor == bios.AMDReference
}

func sameProduct(a, b string) bool {
	x, y := settings.PlainName(a), settings.PlainName(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x))
}

// measurements marks those of another machine: they are shown but never checked.
func (c *collector) measurements(given []inventory.Measurement) []inventory.Measurement {
	out := slices.Clone(given)
	own := c.sys.Machine.Product.Or("")
	for m := range inventory.Pointers(out) {
		m.Foreign = m.Product != "" && own != "" && m.Product != own
		if m.Foreign && m.Unjudged == "" {
			m.Unjudged = "measured on another machine: " + m.Product + ", and this is " + own
		}
	}
	return out
}

func (c *collector) exportSource(x *Export) {
	e := x.Export
	state, detail := fact.SourceOK, string(e.Format)
	if e.Vendor != "" {
		detail += " of " + vendorName(e)
	}
	if e.Product != "" {
		detail += " " + e.Product
	}
	detail += fmt.Sprintf(", %d attributes", len(e.Attributes))
	switch {
	case !slices.Contains(c.joined, x):
		detail += ", taken as the pending values of the export that it belongs to"
	case e.Format == bios.Registry:
		detail += ", an attribute registry"
	default:
		mapped := x.summarise()
		c.sys.Exports = append(c.sys.Exports, mapped)
		detail += fmt.Sprintf(", %d mapped", mapped.Mapped)
		if x.Doubt != "" {
			state = fact.SourcePartial
			detail += "; " + x.Doubt
		}
		if e.PendingOnly {
			detail += "; " + describePending(e) + ": what is to be set, not evidence of what is set"
		}
	}
	if n := len(e.Problems); n > 0 {
		if state == fact.SourceOK {
			state = fact.SourcePartial
		}
		detail += fmt.Sprintf("; %d problems, the first: %s", n, e.Problems[0])
	}
	if x.Source == inventory.SourceRedfish || x.Source == inventory.SourceFirmwareAttributes {
		return // recorded with the source itself
	}
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: x.Source, State: state, Detail: nullable.String(x.Path + ": " + detail)})
}

func (x *Export) summarise() inventory.Export {
	out := inventory.Export{Source: x.Source, Path: x.Path, Format: string(x.Export.Format)}
	for a := range inventory.Pointers(x.Export.Attributes) {
		if own, ok := settings.Lookup(a.Name); ok && x.Export.Format == bios.OwnWords {
			out.Mapped++
			if !own.Accepts(a.Value) {
				out.Foreign = append(out.Foreign, a.Name)
			}
			continue
		}
		var matches []settings.Match
		if t := x.Export.Table; t != nil {
			if matches = t.Find(a.Name); len(matches) == 0 {
				matches = t.Find(a.Display)
			}
		}
		if len(matches) == 0 {
			out.Unmapped = append(out.Unmapped, redactName(a.Name))
			continue
		}
		out.Mapped++
		if a.Stated && !isTranslated(matches, a.Value, a.Text) || a.HasPending && !isTranslated(matches, a.Pending, a.PendingText) {
			out.Foreign = append(out.Foreign, redactName(a.Name))
		}
	}
	return out
}

func isTranslated(matches []settings.Match, value, text string) bool {
	return slices.ContainsFunc(matches, func(m settings.Match) bool {
		s, _ := settings.Lookup(m.ID)
		_, ok := m.Attr.Canonical(s, value)
		if !ok && text != "" {
			_, ok = m.Attr.Canonical(s, text)
		}
		return ok
	})
}

// address matches a MAC address. Some firmware puts one into the names of a device's attributes.
var address = lazy.Pattern(`(?i)([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(^|[^0-9a-z])[0-9a-f]{12}($|[^0-9a-z])`)

func redactName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return strings.TrimSpace(address().ReplaceAllString(name, "${2}(address)${3}"))
}

// exportProcessors fills in the sockets from the processors in Dell's exports, if no other source lists
// any: Proc1Brand, and Proc1Id with family, model and stepping in hexadecimal ("6-6A-6"). A list of
// changes to be made is not used.
func (c *collector) exportProcessors(x *Export) {
	if len(c.sys.Sockets) > 0 || x.Foreign || x.Export.PendingOnly || x.Export.Vendor != bios.Dell {
		return
	}
	var found []inventory.Socket
	for n := range 9 { // Dell counts from 1 up to generation 16 and from 0 later
		if s, ok := exportProcessor(x, "Proc"+strconv.Itoa(n)); ok {
			s.ID = len(found)
			found = append(found, s)
		}
	}
	c.sys.Sockets = found
}

// exportProcessor returns false if there is none with the prefix or the export does not name its vendor.
func exportProcessor(x *Export, prefix string) (inventory.Socket, bool) {
	text := func(name string) fact.Fact[string] {
		a, ok := x.Export.Attribute(prefix + name)
		if !ok || !a.Stated || strings.TrimSpace(a.Value) == "" {
			return fact.Unknown[string](fact.Absent, "the export does not say", "")
		}
		return fact.Known(strings.TrimSpace(a.Value), fact.Indirect, fact.Evidence{Source: x.Source, Path: x.Path, Field: a.Name, Raw: a.Value})
	}
	s := inventory.Socket{Handle: -1, Brand: text("Brand")}
	s.Vendor = processorVendor(s)
	id := text("Id")
	words := strings.Split(id.Value, "-")
	if !s.Vendor.Known() || !id.Known() || len(words) != 3 {
		return s, false
	}
	at := id.From
	for i, to := range []*fact.Fact[int]{&s.Family, &s.Model, &s.Stepping} {
		v, err := strconv.ParseUint(words[i], 16, 16)
		if err != nil {
			return s, false
		}
		*to = fact.Known(int(v), fact.Indirect, at)
	}
	s.Populated = fact.Known(true, fact.Indirect, at)
	s.Vendor.Certainty = fact.Indirect
	cores := text("NumCores")
	if v, err := strconv.Atoi(cores.Value); err == nil && v > 0 {
		s.Cores = fact.Known(v, fact.Indirect, cores.From)
	}
	return s, true
}
