package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// exportAdvice tells the user how to make a setting's configured value known.
const exportAdvice = "export the BIOS settings and give them with --bios FILE"

// exports joins the exports and finds the table that translates each. Their statements about the
// machine's identity are used if no other source makes them.
func (c *collector) exports(in *Input) {
	given := in.Exports
	if len(given) == 0 {
		return
	}
	tables, err := in.tables()
	paths := map[*bios.Export]*Export{}
	var list []*bios.Export
	for i := range given {
		g := &given[i]
		switch {
		case g.Export == nil:
			c.sys.Sources = append(c.sys.Sources, g.Failed.source(g.Source))
		case err != nil:
			c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: g.Source, State: fact.SourceRefused, Detail: err.Error()})
		default:
			paths[g.Export] = g
			list = append(list, g.Export)
		}
	}
	for _, e := range bios.Join(list) {
		j := &Joined{source: paths[e].Source, Path: paths[e].Path, Export: e, Table: c.tableOf(tables, e), ByName: indexAttributes(e)}
		j.proven = c.proven(tables, j) && !j.markUnrecognised()
		c.compareVendor(tables, j)
		if doubt := paths[e].Doubt; doubt != "" {
			j.Foreign, j.Doubt = true, doubt
		}
		c.joined = append(c.joined, j)
		c.identify(j)
		c.exportProcessors(j)
		if j.Table != nil {
			j.Table = j.Table.ForProduct(cmp.Or(e.Product, c.sys.Machine.Product.Or("")))
		}
	}
	for _, e := range list {
		c.exportSource(paths[e], e)
	}
}

// tables loads the vendors' tables.
func (in *Input) tables() (settings.Tables, error) {
	if in.Tables == nil {
		return settings.Tables{}, fmt.Errorf("no tables of vendors' BIOS attributes are given")
	}
	return in.Tables()
}

// manufacturers maps the vendors of exports to their names in the tables.
var manufacturers = map[string]string{bios.Dell: "Dell", bios.HPE: "HPE", bios.Lenovo: "Lenovo", bios.IBM: "IBM", bios.Supermicro: "Supermicro",
	bios.Cisco: "Cisco", bios.Intel: "Intel", bios.Gigabyte: "GIGABYTE", bios.AMI: "GIGABYTE", bios.ZT: "ZT Systems", bios.Cray: "HPE Cray",
	bios.ASRockRack: "ASRockRack", bios.Fujitsu: "FUJITSU",
	bios.IntelReference: "Intel reference code", bios.AMDReference: "AMD CBS"}

// tableOf returns the table of the export's vendor. If the vendor is unknown, or guessed from a single
// name, it returns the table of the machine's vendor, or else AMI's, whose firmware most other boards
// have.
func (c *collector) tableOf(tables settings.Tables, e *bios.Export) *settings.Table {
	own := tables.Of(c.sys.Machine.Vendor.Or(" "))
	switch {
	case e.Format == bios.OwnWords:
		return nil // its values are canonical
	case e.Vendor != "" && (!e.Guessed || own == nil):
		return tables.Of(manufacturers[e.Vendor])
	case own != nil:
		return own
	}
	return tables.Of(manufacturers[bios.AMI])
}

// proven reports whether the table certainly belongs to the export's vendor. Names of reference code
// do not prove a vendor, because any vendor may have added names.
func (c *collector) proven(tables settings.Tables, j *Joined) bool {
	switch e := j.Export; {
	case j.Table == nil, genericFirmware(e.Vendor) && e.Vendor != bios.AMI:
		return false
	case slices.Contains(j.Table.Manufacturers, manufacturers[bios.IntelReference]):
		return false // any vendor's
	case e.Vendor != "" && !e.Guessed:
		return true
	default:
		return tables.Of(c.sys.Machine.Vendor.Or(" ")) == j.Table
	}
}

// markUnrecognised reports whether the export does not name its vendor and the table of the machine's vendor
// knows none of its attributes. It then marks the export as another machine's.
func (j *Joined) markUnrecognised() bool {
	if j.Table == nil || j.Export.Vendor != "" && !j.Export.Guessed || len(j.Export.Attributes) == 0 || j.Export.HasRegistry() || j.Export.Format == bios.OwnWords {
		return false
	}
	if j.account().Mapped > 0 {
		return false
	}
	j.Foreign = true
	j.Doubt = fmt.Sprintf("none of the export's %d attributes is one of %s: is it another machine's?", len(j.Export.Attributes), j.Table.Vendor)
	return true
}

// indexAttributes indexes the attributes by plain name and, if no attribute has that name, by their
// text in BIOS setup.
func indexAttributes(e *bios.Export) map[string][]*bios.Attribute {
	byName := map[string][]*bios.Attribute{}
	for i := range e.Attributes {
		a := &e.Attributes[i]
		name := settings.PlainName(a.Name)
		byName[name] = append(byName[name], a)
	}
	texts := map[string][]*bios.Attribute{}
	for i := range e.Attributes {
		a := &e.Attributes[i]
		if text := settings.PlainName(a.Display); text != "" && len(byName[text]) == 0 {
			texts[text] = append(texts[text], a)
		}
	}
	for text, attributes := range texts {
		byName[text] = attributes
	}
	return byName
}

// compareVendor compares the export's vendor with the machine's, and marks the export as foreign if
// they differ. Related vendors share their settings. A BMC is identified by more than its vendor, so
// it is not compared here.
func (c *collector) compareVendor(tables settings.Tables, j *Joined) {
	vendor := c.sys.Machine.Vendor
	if !vendor.Known() || j.Export.Vendor == "" || j.Table == nil || j.source == inventory.SourceRedfish {
		return
	}
	own := tables.Of(vendor.Value)
	if genericFirmware(j.Export.Vendor) || own == nil || own == j.Table || related(own.Vendor, j.Table.Vendor) {
		return
	}
	j.Foreign = true
	j.Doubt = fmt.Sprintf("the export is of a machine of %s, and this one is of %s: no finding on it goes above info", j.Table.Vendor, vendor.Value)
	c.conflict("BIOS export", vendor.From, fact.Evidence{Source: j.source, Path: j.Path, Raw: j.Table.Vendor}, "it is the machine's own word; is the export another machine's?")
}

// related reports whether machines were sold under both vendors' names, or the machines of one vendor
// have the other's boards.
func related(a, b string) bool {
	pair := func(x, y string) bool { return a == x && b == y || a == y && b == x }
	return pair("IBM", "Lenovo") || pair("HPE", "HPE Cray") || a == "AMI" || b == "AMI" || b == "Intel"
}

// identify fills in the machine's identity from an export if no other source states it, and records
// differences.
func (c *collector) identify(j *Joined) {
	if j.Foreign {
		return
	}
	m, e := &c.sys.Machine, j.Export
	at := func(field, raw string) fact.Evidence {
		return fact.Evidence{Source: j.source, Path: j.Path, Field: field, Raw: raw}
	}
	if !m.Vendor.Known() && e.Vendor != "" && !genericFirmware(e.Vendor) && j.Table != nil {
		m.Vendor = fact.Known(manufacturers[e.Vendor], fact.Indirect, at("format", string(e.Format)))
	}
	switch {
	case e.Product == "":
	case !m.Product.Known():
		m.Product = fact.Known(e.Product, fact.Indirect, at("product", e.Product))
	case !sameProduct(e.Product, m.Product.Value) && !sameProduct(e.Product, m.Board.Or("")):
		c.conflict("machine of the BIOS export", m.Product.From, at("product", e.Product), "it is the machine's own name for itself")
		j.Doubt = fmt.Sprintf("the export calls its machine %q, and this one is %q: is it another machine's?", e.Product, m.Product.Value)
		j.Foreign = j.source != inventory.SourceRedfish // this machine's BMC may use another product name
	}
	if !m.BIOSRegistry.Known() && e.RegistryName != "" {
		m.BIOSRegistry = fact.Known(e.RegistryName, fact.Indirect, at("AttributeRegistry", e.RegistryName))
	}
	if !m.BIOSVersion.Known() && e.Firmware != "" {
		m.BIOSVersion = fact.Known(e.Firmware, fact.Indirect, at("firmware", e.Firmware))
	}
}

// genericFirmware reports whether several vendors ship this firmware unchanged, so that its attribute names
// do not identify the vendor. AMI makes firmware but no machines.
func genericFirmware(vendor string) bool {
	return vendor == bios.AMI || vendor == bios.IntelReference || vendor == bios.AMDReference
}

// sameProduct compares two product names, one of which may contain the other.
func sameProduct(a, b string) bool {
	x, y := settings.PlainName(a), settings.PlainName(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x))
}

// measurements returns the measured results. Those of another machine are marked: they are shown but
// never checked.
func (c *collector) measurements(given []inventory.Measurement) []inventory.Measurement {
	out := slices.Clone(given)
	own := c.sys.Machine.Product.Or("")
	for i := range out {
		m := &out[i]
		m.Foreign = m.Product != "" && own != "" && m.Product != own
		if m.Foreign && m.Unjudged == "" {
			m.Unjudged = "measured on another machine: " + m.Product + ", and this is " + own
		}
	}
	return out
}
