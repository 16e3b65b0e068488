package collect

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/bios"
)

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
