package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// identified returns a table with the identity of a machine.
func identified(vendor, product string) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", Version: "1.2.3", Date: "01/02/2023"})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product, Version: "V1", Family: "F", Serial: "S1", UUID: [16]byte{1, 2, 3}})
	b.Board(smbiostest.Board{Manufacturer: "Riser Inc.", Product: "Riser", Serial: "R1", Type: 7})
	b.Board(smbiostest.Board{Manufacturer: "Example Inc.", Product: "Board 1", Serial: "B1"})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Example Inc.", Serial: "C1", AssetTag: "A1"})
	return b
}

// TestIdentityOfTable checks the table's strings, the main board, and the identifiers.
func TestIdentityOfTable(t *testing.T) {
	m := collecttest.Decoded(t, identified("Example Inc. ", "Server 1")).Machine
	for text, got := range map[string]fact.Fact[string]{
		"Example Inc.": m.Vendor, "Server 1": m.Product, "V1": m.ProductVersion, "F": m.Family,
		"Board 1": m.Board, "Example": m.BIOS.Vendor, "1.2.3": m.BIOS.Version, "01/02/2023": m.BIOS.Date,
	} {
		want.Is(text, fact.Direct).Check(t, got)
	}
	want.Is("Example Inc.", fact.Direct).Check(t, m.BoardVendor)
	assert.Equal(t, inventory.Identifiers{SystemSerial: "S1", SystemUUID: "00030201-0000-0000-0000-000000000000",
		BoardSerial: "B1", ChassisSerial: "C1", AssetTag: "A1"}, m.Identifiers)
}

// TestIdentityPrecedence checks that the table takes precedence over the kernel's copy, and that
// differences are recorded unless the table is from a file.
func TestIdentityPrecedence(t *testing.T) {
	same := collecttest.Table(oneSocket(), identified("Example Inc.", "Server 1"))
	sys := collecttest.Collected(t, same)
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Equal(t, inventory.SourceSMBIOS, sys.Machine.Product.From.Source)
	assert.Empty(t, sys.Conflicts)

	sys = collecttest.Collected(t, same.With(hosttest.Files{hosttest.DMIID + "product_name": "Server 2\n"}))
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	if assert.Len(t, sys.Conflicts, 1) {
		c := sys.Conflicts[0]
		assert.Equal(t, "machine identity", c.Fact)
		assert.Equal(t, []string{"Server 1", "Server 2", "/sys/class/dmi/id/product_name"}, []string{c.Kept.Raw, c.Dropped.Raw, c.Dropped.Path})
		assert.NotEmpty(t, c.Why)
	}
	root := collecttest.Capture(t, same.With(hosttest.Files{hosttest.DMIID + "product_name": "Server 2\n"}))
	given := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, identified("Example Inc.", "Server 1").Dump())})
	assert.Empty(t, given.Conflicts)

	sys = collecttest.Collected(t, oneSocket())
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Equal(t, inventory.SourceDMIID, sys.Machine.Product.From.Source)
}

// TestIdentityPlaceholders checks that a vendor's placeholder is not a name, and that the other source may have one.
func TestIdentityPlaceholders(t *testing.T) {
	files := collecttest.Table(oneSocket(), identified("To be filled by O.E.M.", "Default string"))
	sys := collecttest.Collected(t, files)
	want.Is("Example Inc.", fact.Direct).Check(t, sys.Machine.Vendor)
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Empty(t, sys.Conflicts, "a placeholder contradicts nothing")

	sys = collecttest.Collected(t, files.With(hosttest.Files{hosttest.DMIID + "sys_vendor": "System manufacturer\n", hosttest.DMIID + "product_name": "\n"}))
	want.Is("Example Inc.", fact.Indirect).Check(t, sys.Machine.Vendor)
	want.Is("Board 1", fact.Indirect).Check(t, sys.Machine.Product)

	sys = collecttest.Collected(t, oneSocket().Without("sys/class/dmi", "sys/devices/virtual/dmi"))
	want.Not[string](fact.Unread, "not in this capture").Check(t, sys.Machine.Vendor)
	sys = collecttest.Collected(t, hosttest.Notes(oneSocket().Without(hosttest.DMIID+"sys_vendor"), "denied\t/sys/class/dmi/id/sys_vendor"))
	want.Not[string](fact.Denied, "denied").Check(t, sys.Machine.Vendor)
}

// TestNamedByBoard checks that a board sold separately provides the product's name, unless it has
// another vendor than the system.
func TestNamedByBoard(t *testing.T) {
	for _, c := range []struct{ vendor, product, board, model, isVendor, isProduct string }{
		{"To be filled by O.E.M.", "To be filled by O.E.M.", "ASRockRack", "ROMED8-2T", "ASRockRack", "ROMED8-2T"},
		{"empty", "empty", "TYAN ", "S8230", "TYAN", "S8230"},
		{" ", " ", " ", "04N3DF", "", "04N3DF"},
		{"ASUS", "System Product Name", "ASUSTeK COMPUTER INC.", "ProArt B550-CREATOR", "ASUS", "ProArt B550-CREATOR"},
		{"Hetzner", " ", " ", "W680D4U-1L", "Hetzner", ""},
		{"Hetzner", " ", "ASRockRack", "W680D4U-1L", "Hetzner", ""},
		{"Default string", "Model 1", "Example", "Board 1", "", "Model 1"},
		{"Example", "Model 1", "Example", "Board 1", "Example", "Model 1"},
		{"Default string", "Default string", "Example", "Default string", "", ""},
	} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: c.vendor, Product: c.product})
		b.Board(smbiostest.Board{Manufacturer: c.board, Product: c.model})
		m := collecttest.Decoded(t, b).Machine
		assert.Equal(t, c.isVendor, m.Vendor.Or(""), c)
		assert.Equal(t, c.isProduct, m.Product.Or(""), c)
		assert.Equal(t, c.isProduct == c.model, m.Product.Certainty == fact.Indirect, "the board's word says less: %v", c)
	}
}

// TestIdentifiersFromKernel checks that serial numbers missing in the table come from the kernel if it is readable.
func TestIdentifiersFromKernel(t *testing.T) {
	files := oneSocket().With(hosttest.Files{hosttest.DMIID + "product_serial": "KS\n", hosttest.DMIID + "product_uuid": "u-u\n", hosttest.DMIID + "chassis_asset_tag": "KA\n"})
	assert.Equal(t, inventory.Identifiers{SystemSerial: "KS", SystemUUID: "u-u", AssetTag: "KA"}, collecttest.Collected(t, files).Machine.Identifiers)
	with := collecttest.Collected(t, collecttest.Table(files, identified("Example Inc.", "Server 1"))).Machine.Identifiers
	assert.EqualValues(t, "S1", with.SystemSerial)
	assert.EqualValues(t, "A1", with.AssetTag)
}

// TestNameOfTheMachine checks that the host name is read only on request and from a tree.
func TestNameOfTheMachine(t *testing.T) {
	root := collecttest.Capture(t, hosttest.Files{"proc/sys/kernel/hostname": "node17\n"})
	want.Is("node17", fact.Direct).Check(t, collect.Collect(collect.Input{Root: root, HostName: true}).Machine.Host)
	assert.Equal(t, fact.Fact[string]{}, collect.Collect(collect.Input{Root: root}).Machine.Host)
	assert.Equal(t, fact.Fact[string]{}, collect.Collect(collect.Input{HostName: true}).Machine.Host)
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.Board(smbiostest.Board{Manufacturer: "Example Inc.", Product: "Board 1"})
	want.Is("Board 1", fact.Direct).Check(t, collecttest.Decoded(t, b).Machine.Board)
	table := collecttest.Parsed(t, b.Dump())
	table.Structures = table.Structures[:1]
	want.Is("Server 1", fact.Direct).Check(t, collect.Collect(collect.Input{SMBIOS: table}).Machine.Product)
}

// TestCommandLineShown checks that evidence of the command line has no names and secrets, but all
// options that an audit needs.
func TestCommandLineShown(t *testing.T) {
	sys := collecttest.Collected(t, hosttest.Skylake.Tree(hosttest.TwoSockets).With(hosttest.Files{
		"proc/cmdline": `BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-0000-4000-8000-0123456789AB BOOTIF=01-52-54-00-12-34-56 quiet rd.iscsi.password=hunter2 ` +
			`rd.luks.key="/a key:b" numa=off mem="64G" intel_idle.max_cstate=1 hunter2@host -- token=hunter2 hunter2` + "\n"}))
	assert.Equal(t, "BOOT_IMAGE=<hidden> root=<hidden> BOOTIF=<hidden> quiet rd.iscsi.password=<hidden> rd.luks.key=<hidden> "+
		`numa=off mem="64G" intel_idle.max_cstate=1 <hidden> -- <hidden> <hidden>`, sys.NUMA.Cmdline.From.Raw)
}
