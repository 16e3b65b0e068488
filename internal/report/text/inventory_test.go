package text

import (
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/report"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

func inventoryOf(t *testing.T, inv *report.Inventory, o Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteInventory(&b, inv, o))
	return b.String()
}

// TestEmptyInventory checks that each part without data says so.
func TestEmptyInventory(t *testing.T) {
	require.Equal(t, `memaudit  machine of unknown make
platform  not recognised

SOCKETS   none known

SLOTS     none known: nothing was read

NODES     none known

SOURCES   none
`, inventoryOf(t, &report.Inventory{}, Options{}))
	require.Equal(t, `memaudit  machine of unknown make
platform  not recognised

SETTINGS  none known
`, inventoryOf(t, &report.Inventory{}, Options{Settings: true}))
	inv := &report.Inventory{Machine: inventory.Machine{Virtual: is(true)}, Sources: []inventory.Source{{Name: "cpu", State: "denied"}, {Name: "smbios", State: "ok"}}}
	require.Contains(t, inventoryOf(t, inv, Options{}), `
platform  not recognised  virtual machine
`)
	require.Contains(t, inventoryOf(t, inv, Options{Width: 120}), `
SLOTS     none known: the SMBIOS table lists no memory device
`)
	inv.Machine.Hypervisor, inv.Sources[1].State = is("kvm"), "absent"
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nplatform  not recognised  virtual machine (kvm)\n")
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nSLOTS     none known: the SMBIOS table is absent\n")
	inv.Sources[1].Detail, inv.Machine.Virtual = "no such file", is(false)
	text := inventoryOf(t, inv, Options{})
	require.Contains(t, text, "\nSLOTS     none known: the SMBIOS table is absent (no such file)\n\nNODES ")
	require.Contains(t, text, "\n  cpu     denied\n  smbios  absent     no such file\n")
	require.NotContains(t, text, "virtual")
}

// TestColumnsWithoutRoom checks that the least important columns of a table wider than the page are left out first,
// and named, and that none is if the page is wide enough.
func TestColumnsWithoutRoom(t *testing.T) {
	printed := func(width int) string {
		table := &textTable{columns: []column{{head: "slot"}, {head: "rank", drop: 1, right: true}, {head: "part", drop: 3}, {head: "mV", drop: 2}, {head: "bank", drop: 4}, {head: "tag", drop: 5, always: true}}}
		table.row("A1", "2", "M393B5273CH0", "1350", "", "")
		table.row("A2", "", "M393", "", "", "")
		return partOf(Options{Width: width}, func(p *printer) { table.print(p, 11) })
	}
	require.Equal(t, `           slot  rank  part          mV    tag
           A1       2  M393B5273CH0  1350  -
           A2       -  M393          -     -
`, printed(46))
	require.Equal(t, printed(46), printed(300))
	require.Equal(t, `           slot  rank  part          mV
           A1       2  M393B5273CH0  1350
           A2       -  M393          -
           no room for: tag
`, printed(45))
	require.Equal(t, printed(45), printed(41))
	require.Equal(t, `           slot  rank  mV
           A1       2  1350
           A2       -  -
           no room for: tag, part
`, printed(40))
	// A column that must not be dropped stays, and the first of two equal ones is dropped.
	table := &textTable{columns: []column{{head: "slot"}, {head: "rank", drop: 1}, {head: "part", drop: 1}, {head: "size"}}}
	table.row("A1", "2", "M393", "8 GiB")
	at := func(indent int) string {
		return strings.ReplaceAll(partOf(Options{Width: 40}, func(p *printer) { table.print(p, indent) }), strings.Repeat(" ", indent), "")
	}
	require.Equal(t, "slot  rank  part  size\nA1    2     M393  8 GiB\n", at(17))
	require.Equal(t, "slot  part  size\nA1    M393  8 GiB\nno room for: rank\n", at(18))
	require.Equal(t, "slot  size\nA1    8 GiB\nno room for:\nrank, part\n", at(28))
	require.Equal(t, "slot  size\nA1    8 GiB\nno\nroom\nfor:\nrank,\npart\n", at(35))
}
