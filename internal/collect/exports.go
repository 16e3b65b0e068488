package collect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

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

// exportSource records the state of one export as a source, and the attributes without a canonical
// setting.
func (c *collector) exportSource(g *Export, e *bios.Export) {
	var own *Joined // nil if the export was joined into another one
	if i := slices.IndexFunc(c.joined, func(j *Joined) bool { return j.Export == e }); i >= 0 {
		own = c.joined[i]
	}
	state, detail := fact.SourceOK, string(e.Format)
	if e.Vendor != "" {
		detail += " of " + manufacturers[e.Vendor]
	}
	if e.Product != "" {
		detail += " " + e.Product
	}
	detail += fmt.Sprintf(", %d attributes", len(e.Attributes))
	switch {
	case own == nil:
		detail += ", taken as the pending values of the export that it belongs to"
	case e.HasRegistry():
		detail += ", an attribute registry"
	default:
		x := own.account()
		x.Source, x.Path, x.Format = g.Source, g.Path, string(e.Format)
		c.sys.Exports = append(c.sys.Exports, x)
		detail += fmt.Sprintf(", %d mapped", x.Mapped)
		if own.Doubt != "" {
			state = fact.SourcePartial
			detail += "; " + own.Doubt
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
	if g.Source == inventory.SourceRedfish || g.Source == inventory.SourceFirmwareAttributes {
		return // recorded with the source itself
	}
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: g.Source, State: state, Detail: g.Path + ": " + detail})
}

// account counts the attributes that map to canonical settings and lists the others.
func (j *Joined) account() inventory.Export {
	var x inventory.Export
	for i := range j.Export.Attributes {
		a := &j.Export.Attributes[i]
		if _, own := settings.Lookup(a.Name); own && j.Export.Format == bios.OwnWords {
			x.Mapped++
			if !vocabularyOf(a.Name).Accepts(a.Value) {
				x.Foreign = append(x.Foreign, a.Name)
			}
			continue
		}
		matches := j.matches(a)
		if len(matches) == 0 {
			x.Unmapped = append(x.Unmapped, redacted(a.Name))
			continue
		}
		x.Mapped++
		if a.Stated && !slices.ContainsFunc(matches, func(m settings.Match) bool { return translates(m, a.Value, a.Text) }) ||
			a.HasPending && !slices.ContainsFunc(matches, func(m settings.Match) bool { return translates(m, a.Pending, a.PendingText) }) {
			x.Foreign = append(x.Foreign, redacted(a.Name))
		}
	}
	return x
}

func (j *Joined) matches(a *bios.Attribute) []settings.Match {
	if j.Table == nil {
		return nil
	}
	if found := j.Table.Find(a.Name); len(found) > 0 {
		return found
	}
	return j.Table.Find(a.Display)
}

func translates(m settings.Match, value, text string) bool {
	s, ok := settings.Lookup(m.ID)
	if !ok {
		return false
	}
	if _, ok := m.Attr.Canonical(s, value); ok {
		return true
	}
	_, ok = m.Attr.Canonical(s, text)
	return ok && text != ""
}

// address matches a MAC address. Some firmware puts one into the names of a device's attributes.
var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(^|[^0-9a-z])[0-9a-f]{12}($|[^0-9a-z])`)
})

// redacted removes addresses and control characters from the name of an attribute.
func redacted(name string) string {
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
func (c *collector) exportProcessors(j *Joined) {
	if len(c.sys.Sockets) > 0 || j.Foreign || j.Export.PendingOnly || j.Export.Vendor != bios.Dell {
		return
	}
	var found []inventory.Socket
	for n := range maxExportProcessors {
		if s, ok := exportProcessor(j, "Proc"+strconv.Itoa(n)); ok {
			s.ID = len(found)
			found = append(found, s)
		}
	}
	c.sys.Sockets = found
}

// maxExportProcessors limits the number in an attribute's name. Dell counts from 1 up to generation 16
// and from 0 later.
const maxExportProcessors = 9

// exportProcessor returns the processor with this prefix; false if there is none or the export does not
// name its vendor.
func exportProcessor(j *Joined, prefix string) (inventory.Socket, bool) {
	text := func(name string) fact.Fact[string] {
		a, ok := j.Export.Attribute(prefix + name)
		if !ok || !a.Stated || strings.TrimSpace(a.Value) == "" {
			return fact.Unknown[string](fact.Absent, "the export does not say", "")
		}
		return fact.Known(strings.TrimSpace(a.Value), fact.Indirect, fact.Evidence{Source: j.source, Path: j.Path, Field: a.Name, Raw: a.Value})
	}
	s := inventory.Socket{Handle: -1, Brand: text("Brand")}
	s.Vendor = vendor(s)
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
	if cores := text("NumCores"); cores.Known() {
		if v, err := strconv.Atoi(cores.Value); err == nil && v > 0 {
			s.Cores = fact.Known(v, fact.Indirect, cores.From)
		}
	}
	return s, true
}
