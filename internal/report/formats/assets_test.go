package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"
	"github.com/memaudit/memaudit/internal/report/text"
)

// assetsOf writes the good machine's inventory, with identifiers when asked.
func assetsOf(t *testing.T, format string, identifiers bool, change func(inv *report.Inventory)) []byte {
	t.Helper()
	m := reporttest.Good()
	m.Sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "SYSTEM-SECRET", AssetTag: "TAG-SECRET"}
	o := reporttest.Options()
	o.Identifiers = identifiers
	inv := report.BuildInventory(&m.Sys, &m.Topo, o)
	if change != nil {
		change(&inv)
	}
	var b bytes.Buffer
	require.NoError(t, WriteInventory(&b, format, &inv, text.Options{}))
	return b.Bytes()
}

// TestCSVOfSlots: one row a slot, and identifiers only when asked for.
func TestCSVOfSlots(t *testing.T) {
	for _, asked := range []bool{false, true} {
		var inv report.Inventory
		rows, err := csv.NewReader(bytes.NewReader(assetsOf(t, CSV, asked, func(i *report.Inventory) { inv = *i }))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1+len(inv.Slots))
		column := map[string]int{}
		for i, name := range rows[0] {
			column[name] = i
		}
		serials := 0
		for i := range inv.Slots {
			s, row := &inv.Slots[i], rows[1+i]
			assert.Equal(t, s.Handle, row[column["handle"]])
			assert.Equal(t, report.OrEmpty(s.PartNumber), row[column["part_number"]])
			assert.Equal(t, digits(s.SizeBytes), row[column["size_bytes"]])
			assert.Equal(t, asked, row[column["machine_serial"]] == "SYSTEM-SECRET")
			if row[column["serial"]] != "" {
				serials++
			}
		}
		assert.Equal(t, asked, serials > 0)
	}
}

// TestNetBox: a bay a slot, a module in each that holds one, by names that are
// unique on the device; the device has a name only when somebody asked for it.
func TestNetBox(t *testing.T) {
	var inv report.Inventory
	read := func(identifiers bool, change func(*report.Inventory)) (doc netBox) {
		raw := assetsOf(t, NetBox, identifiers, func(i *report.Inventory) {
			if change != nil {
				change(i)
			}
			inv = *i
		})
		require.NoError(t, json.Unmarshal(raw, &doc))
		return doc
	}
	doc := read(false, nil)
	assert.Equal(t, "memaudit.netbox/v1", doc.Schema)
	require.Len(t, doc.ModuleBays, len(inv.Slots))
	populated, bays := 0, map[string]bool{}
	for i := range inv.Slots {
		bays[doc.ModuleBays[i].Name] = true
		if inv.Slots[i].State == "populated" {
			populated++
		}
	}
	assert.Len(t, bays, len(inv.Slots))
	require.Len(t, doc.Modules, populated)
	require.NotEmpty(t, doc.ModuleTypes)
	for _, m := range doc.Modules {
		assert.True(t, bays[m.ModuleBay.Name])
		assert.Nil(t, m.Device)
		assert.Empty(t, m.Serial)
	}

	// NetBox refuses a type whose manufacturer is not there, and a second module
	// with one asset tag.
	for _, m := range doc.ModuleTypes {
		assert.Contains(t, doc.Manufacturers, manufacturer{m.Manufacturer.Name, slug(m.Manufacturer.Name)})
	}
	assert.Len(t, doc.Manufacturers, 1)
	assert.Equal(t, "micron-technology-inc", slug("Micron Technology, Inc."))
	assert.NotContains(t, string(assetsOf(t, NetBox, true, nil)), "asset_tag")

	doc = read(true, nil)
	assert.Equal(t, "SYSTEM-SECRET", *doc.ModuleBays[0].Device.Serial)
	assert.NotEmpty(t, doc.Modules[0].Serial)

	host := "node17"
	doc = read(false, func(i *report.Inventory) {
		i.Machine.Host = &host
		for n := range i.Slots {
			i.Slots[n].Locator = &host // labels repeat
		}
	})
	assert.Equal(t, host, *doc.Modules[0].Device.Name)
	bays = map[string]bool{}
	for _, b := range doc.ModuleBays {
		bays[b.Name] = true
	}
	assert.Len(t, bays, len(doc.ModuleBays))
}

// TestCutInCharacters: NetBox's fields are bounded in characters (Django's
// max_length), so that a name of many bytes is neither cut short nor in the middle
// of a character.
func TestCutInCharacters(t *testing.T) {
	assert.Equal(t, strings.Repeat("内", 64), boundText(strings.Repeat("内", 64), 64))
	assert.Equal(t, strings.Repeat("内", 64), boundText(strings.Repeat("内", 65), 64))
	assert.Equal(t, "DIMM", boundText(" DIMM\x00 ", 4))
}
