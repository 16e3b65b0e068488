package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// exportAdvice says what would make a setting's face known.
const exportAdvice = "export the BIOS settings and give them with --bios FILE"

// exports joins the exports and finds the table that translates each. What they state about the
// machine's identity is used where nothing else states it.
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
	together := bios.Join(list)
	for _, e := range together {
		j := &joinedExport{source: paths[e].Source, path: paths[e].Path, export: e, table: c.tableOf(tables, e), byName: indexAttributes(e)}
		j.proven = c.proven(tables, j) && !j.strange()
		c.compare(tables, j)
		if doubt := paths[e].Doubt; doubt != "" {
			j.foreign, j.doubt = true, doubt
		}
		c.joined = append(c.joined, j)
		c.identify(j)
		c.exportProcessors(j)
		if j.table != nil {
			j.table = j.table.On(c.productOf(j))
		}
	}
	for _, e := range list {
		c.exportSource(paths[e], e)
	}
}

// productOf returns the product that the export states or, if it states none, the machine's
// product.
func (c *collector) productOf(j *joinedExport) string {
	if j.export.Product != "" {
		return j.export.Product
	}
	return c.sys.Machine.Product.Or("")
}

// tables loads the vendors' tables.
func (in *Input) tables() (settings.Tables, error) {
	if in.Tables == nil {
		return settings.Tables{}, fmt.Errorf("no tables of vendors' BIOS attributes are given")
	}
	return in.Tables()
}

// manufacturers maps the vendors of exports to the names by which the tables know them.
var manufacturers = map[string]string{bios.Dell: "Dell", bios.HPE: "HPE", bios.Lenovo: "Lenovo", bios.IBM: "IBM", bios.Supermicro: "Supermicro",
	bios.Cisco: "Cisco", bios.Intel: "Intel", bios.Gigabyte: "GIGABYTE", bios.AMI: "GIGABYTE", bios.ZT: "ZT Systems", bios.Cray: "HPE Cray",
	bios.ASRockRack: "ASRockRack", bios.Fujitsu: "FUJITSU",
	bios.IntelReference: "Intel reference code", bios.AMDReference: "AMD CBS"}

// tableOf returns the table of the export's vendor. If the export does not tell it, or only by one
// name, it is that of the machine's vendor, or else AMI's, whose firmware most other boards have.
func (c *collector) tableOf(tables settings.Tables, e *bios.Export) *settings.Table {
	own := tables.Of(c.sys.Machine.Vendor.Or(" "))
	switch {
	case e.Format == bios.OwnWords:
		return nil // its words are canonical
	case e.Vendor != "" && (!e.Guessed || own == nil):
		return tables.Of(manufacturers[e.Vendor])
	case own != nil:
		return own
	}
	return tables.Of(manufacturers[bios.AMI])
}

// proven tells whether the table certainly belongs to the export's vendor. Names of reference code
// prove no vendor, because any vendor may have added names.
func (c *collector) proven(tables settings.Tables, j *joinedExport) bool {
	switch e := j.export; {
	case j.table == nil, nobodysOwn(e.Vendor) && e.Vendor != bios.AMI:
		return false
	case slices.Contains(j.table.Manufacturers, manufacturers[bios.IntelReference]):
		return false // whoever made the machine
	case e.Vendor != "" && !e.Guessed:
		return true
	default:
		return tables.Of(c.sys.Machine.Vendor.Or(" ")) == j.table
	}
}

// strange tells whether none of an export's attributes is one of the machine's vendor, whose table
// was chosen because the export names no vendor: it is another kind of machine's.
func (j *joinedExport) strange() bool {
	if j.table == nil || j.export.Vendor != "" && !j.export.Guessed || len(j.export.Attributes) == 0 || j.export.HasRegistry() || j.export.Format == bios.OwnWords {
		return false
	}
	if j.account().Mapped > 0 {
		return false
	}
	j.foreign = true
	j.doubt = fmt.Sprintf("none of the export's %d attributes is one of %s: is it another machine's?", len(j.export.Attributes), j.table.Vendor)
	return true
}

// indexAttributes indexes the attributes by plain name and, where no attribute has that name, by
// their text in BIOS setup.
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

// compare compares the export's vendor with the machine's. Related vendors share their settings.
// For a BMC it does nothing: more than the vendor tells whether it is the right
// one.
func (c *collector) compare(tables settings.Tables, j *joinedExport) {
	vendor := c.sys.Machine.Vendor
	if !vendor.Known() || j.export.Vendor == "" || j.table == nil || j.source == inventory.SourceRedfish {
		return
	}
	own := tables.Of(vendor.Value)
	if nobodysOwn(j.export.Vendor) || own == nil || own == j.table || related(own.Vendor, j.table.Vendor) {
		return
	}
	j.foreign = true
	j.doubt = fmt.Sprintf("the export is of a machine of %s, and this one is of %s: no finding on it goes above info", j.table.Vendor, vendor.Value)
	c.conflict("BIOS export", vendor.From, fact.Evidence{Source: j.source, Path: j.path, Raw: j.table.Vendor}, "it is the machine's own word; is the export another machine's?")
}

// related tells whether machines of two vendors were sold under both names, or one builds boards
// into the other's machines.
func related(a, b string) bool {
	pair := func(x, y string) bool { return a == x && b == y || a == y && b == x }
	return pair("IBM", "Lenovo") || pair("HPE", "HPE Cray") || a == "AMI" || b == "AMI" || b == "Intel"
}

// identify uses what an export states about its machine where nothing else is known, and records
// where it differs.
func (c *collector) identify(j *joinedExport) {
	if j.foreign {
		return
	}
	m, e := &c.sys.Machine, j.export
	at := func(field, raw string) fact.Evidence {
		return fact.Evidence{Source: j.source, Path: j.path, Field: field, Raw: raw}
	}
	if !m.Vendor.Known() && e.Vendor != "" && !nobodysOwn(e.Vendor) && j.table != nil {
		m.Vendor = fact.Known(manufacturers[e.Vendor], fact.Indirect, at("format", string(e.Format)))
	}
	switch {
	case e.Product == "":
	case !m.Product.Known():
		m.Product = fact.Known(e.Product, fact.Indirect, at("product", e.Product))
	case !sameProduct(e.Product, m.Product.Value) && !sameProduct(e.Product, m.Board.Or("")):
		c.conflict("machine of the BIOS export", m.Product.From, at("product", e.Product), "it is the machine's own name for itself")
		j.doubt = fmt.Sprintf("the export calls its machine %q, and this one is %q: is it another machine's?", e.Product, m.Product.Value)
		j.foreign = j.source != inventory.SourceRedfish // a controller that is this machine's may use another name
	}
	if !m.BIOSRegistry.Known() && e.RegistryName != "" {
		m.BIOSRegistry = fact.Known(e.RegistryName, fact.Indirect, at("AttributeRegistry", e.RegistryName))
	}
	if !m.BIOSVersion.Known() && e.Firmware != "" {
		m.BIOSVersion = fact.Known(e.Firmware, fact.Indirect, at("firmware", e.Firmware))
	}
}

// nobodysOwn tells whether this is firmware that several makers ship unchanged, so that its names
// tell no maker. AMI makes firmware but no machines.
func nobodysOwn(vendor string) bool {
	return vendor == bios.AMI || vendor == bios.IntelReference || vendor == bios.AMDReference
}

// sameProduct compares two product names, of which one may contain the other.
func sameProduct(a, b string) bool {
	x, y := settings.PlainName(a), settings.PlainName(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x))
}

// measurements returns the measured results. Those of another machine are marked: they are shown
// and never checked.
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
