package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
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
	yes, kvm, detail := true, "kvm", "no such file"
	inv := &report.Inventory{Machine: report.Machine{Virtual: &yes}, Sources: []report.Source{{Name: "cpu", State: "denied"}, {Name: "smbios", State: "ok"}}}
	require.Contains(t, inventoryOf(t, inv, Options{}), `
platform  not recognised  virtual machine
`)
	require.Contains(t, inventoryOf(t, inv, Options{Width: 120}), `
SLOTS     none known: the SMBIOS table lists no memory device
`)
	inv.Machine.Hypervisor, inv.Sources[1].State = nullable.String(kvm), "absent"
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nplatform  not recognised  virtual machine (kvm)\n")
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nSLOTS     none known: the SMBIOS table is absent\n")
	inv.Sources[1].Detail, *inv.Machine.Virtual = nullable.String(detail), false
	text := inventoryOf(t, inv, Options{})
	require.Contains(t, text, "\nSLOTS     none known: the SMBIOS table is absent (no such file)\n\nNODES ")
	require.Contains(t, text, "\n  cpu     denied\n  smbios  absent     no such file\n")
	require.NotContains(t, text, "virtual")
}

// TestInventoryOfAll checks the content of every cell if known, and "-" otherwise.
func TestInventoryOfAll(t *testing.T) {
	number := func(n int) *int { return &n }
	large := func(n int64) *int64 { return &n }
	no := false
	a1, b1 := slotOf("A1", 0, 1, 0, 8), slotOf("B1", 1, 0, 1, 0)
	a1.Type, a1.Ranks, a1.RatedMTs, a1.ConfiguredMTs, a1.ConfiguredMV = "DDR3", number(2), number(1333), number(1067), number(1350)
	a1.Health, a1.Errors, a1.Manufacturer, a1.PartNumber = "OK", &report.Errors{Corrected: large(3), Uncorrected: large(0)}, "Samsung", "M393B5273CH0-YH9"
	a1.Mapping = report.Mapping{Source: "slot_map", Certainty: "direct", Doubt: "EDAC says otherwise"}
	a1.Serial, a1.AssetTag, a1.BankLocator = "S1", "T1", "NODE 0"
	b1.Mapping = report.Mapping{Certainty: "none", Reason: "no map"}
	rom := report.Slot{Handle: "0x0050", State: "populated", Technology: "flash", Type: "Flash"}
	cxl := report.Slot{Handle: "0x0051", State: "populated", Technology: "cxl", Mapping: report.Mapping{Source: "label"}}
	nvdimm := report.Slot{Handle: "0x0052", State: "unknown", Technology: "nvdimm", Type: "DDR4", Socket: number(1)}
	class, limiter, peak, half := "D", "ranks", int64(8_528_000_000), .5
	inv := &report.Inventory{
		Machine: report.Machine{Host: "node17", Platform: report.Platform{ID: "westmere-ep", Certainty: "indirect"},
			Identifiers: &report.Identifiers{SystemSerial: "ABC123", AssetTag: "T9"}},
		Sockets: []report.Socket{
			{ID: 0, Designation: "CPU1", Model: "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", Cores: number(6), CoresEnabled: number(4), Threads: number(12),
				MaxMTs: number(1333), Family: number(6), ModelNumber: number(44)},
			{ID: 1, Designation: "CPU2", Populated: &no, Model: "none"}},
		Slots:          []report.Slot{a1, b1, rom, cxl, nvdimm},
		UnplacedErrors: []report.UnplacedErrors{{Label: "mc#0csrow#2", Errors: report.Errors{Corrected: large(7), Uncorrected: large(0), Source: "edac"}}},
		Population: report.Population{Sockets: []report.PopulationSocket{
			{Socket: number(0), DIMMs: number(1), ChannelsTotal: number(3), ChannelsPopulated: number(1), DIMMsPerChannel: []int{0, 1, 0}, Class: nullable.String(class), ExpectedMTs: number(1066),
				Limiter: nullable.String(limiter), PeakBytes: &peak, Relative: report.Relative{Low: &half, High: &half}, Regions: []report.Region{{Bytes: 8 << 30, Ways: 1}, {Bytes: 4 << 30, Ways: 2}}},
			{}}},
		Nodes:   []report.Node{{ID: 0, Kind: "dram", Socket: number(0), MemoryBytes: large(8 << 30), Distances: []int{10, 21}, CPUs: new("0-5")}, {ID: 1, Kind: "unknown"}},
		Sources: []report.Source{{Name: "smbios", State: "ok"}},
	}
	require.Equal(t, `memaudit  machine of unknown make  1 x Xeon X5670  at least 8 GiB DDR3
host      node17
platform  westmere-ep  by one source only
serial    ABC123
asset tag T9

SOCKETS   2
  id  label  model                                 cores  enabled  threads  max MT/s  family/model/stepping
   0  CPU1   Intel(R) Xeon(R) CPU X5670 @ 2.93GHz      6        4       12      1333  6/44/?
   1  CPU2   no processor                              -        -        -         -  -

SLOTS     3 of 5 populated; s/c/n is socket/channel/slot, speeds are MT/s
  handle  locator  bank    s/c/n     size  type         ranks  rated  runs    mV  health  ce/ue  part number       maker    mapped by                   serial  asset tag
  0xA1    A1       NODE 0  0/1/0    8 GiB  DDR3             2   1333  1066  1350  OK        3/0  M393B5273CH0-YH9  Samsung  slot_map (direct), doubted  S1      T1
  0xB1    B1       -       1/0/1    empty  -                -      -     -     -  -           -  -                 -        -                           -       -
  0x0050  -        -       -            -  Flash            -      -     -     -  -           -  -                 -        -                           -       -
  0x0051  -        -       -            -  cxl              -      -     -     -  -           -  -                 -        label                       -       -
  0x0052  -        -       1/?/?  unknown  DDR4 nvdimm      -      -     -     -  -           -  -                 -        -                           -       -
    7 corrected errors on mc#0csrow#2; nothing says which slot that is

POPULATION  processors alike: not known
  socket  DIMMs  channels  per channel  class  expected  limit      peak  share                   regions
       0      1  1 of 3    0 1 0        D          1066  ranks  8.5 GB/s  50 % of best bandwidth  8 GiB x1, 4 GiB x2
     all      -  ? of ?    -            -             -  -             -  -                       -

NODES     2
  node  kind     socket  memory  distances  cpus
     0  dram          0   8 GiB  10 21      0-5
     1  unknown       -       -  -          -

SOURCES   1
  smbios  ok
`, inventoryOf(t, inv, Options{Width: 400}))
	inv.Population.Symmetric = &no
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nPOPULATION  processors differ\n")
	alike := true
	inv.Population.Symmetric = &alike
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nPOPULATION  all processors alike\n")
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
