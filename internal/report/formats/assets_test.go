package formats

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reporttest"
	"memaudit.example/memaudit/internal/report/text"
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

// TestCSVOfSlots checks one row per slot, with identifiers only on request.
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
			assert.Equal(t, s.Handle.String(), row[column["handle"]])
			assert.Equal(t, s.PartNumber.Text(), row[column["part_number"]])
			assert.Equal(t, s.SizeBytes.Text(), row[column["size_bytes"]])
			assert.Equal(t, asked, row[column["machine_serial"]] == "SYSTEM-SECRET")
			if row[column["serial"]] != "" {
				serials++
			}
		}
		assert.Equal(t, asked, serials > 0)
	}
}

// TestCSVWithoutFormulas checks that a spreadsheet does not evaluate firmware's strings.
func TestCSVWithoutFormulas(t *testing.T) {
	text := string(assetsOf(t, CSV, false, func(i *report.Inventory) {
		i.Slots[0].PartNumber = reporttest.Direct("=HYPERLINK(1)")
	}))
	assert.Contains(t, text, ",'=HYPERLINK(1),")
}
