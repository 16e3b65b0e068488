package collect_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// fourDIMMs returns the table of a complete machine: one processor, four slots, two of them populated.
func fourDIMMs() *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", Version: "1.2.3", Date: "01/02/2023"})
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(), Cores: 2, Enabled: 2, Threads: 2, Characteristics: 4})
	array := b.Array(smbiostest.Array{Devices: 4})
	for i := range 4 {
		d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_A%d", i+1)}
		if i < 2 {
			d.Bytes, d.Speed, d.Configured, d.Manufacturer = 32<<30, 2666, 2666, "Example"
		}
		b.MemoryDevice(d)
	}
	return b
}

func oneSocket() hosttest.Files {
	return hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 2})
}

// source is the state of one source of a model.
func source(s *inventory.System, name string) (state fact.SourceState, detail string) {
	for _, q := range s.Sources {
		if q.Name == name {
			state, detail = q.State, string(q.Detail)
		}
	}
	return state, detail
}

// TestNoTable distinguishes the reasons why there is no table. The rest of the machine is always shown.
func TestNoTable(t *testing.T) {
	garbage := strings.Repeat("\xff\x00\xff", 40)
	for _, c := range []struct {
		name    string
		files   hosttest.Files
		want    want.Fact[bool]
		knownBy string
		source  fact.SourceState
	}{
		{"not captured", oneSocket(), want.Not[bool](fact.Unread, "holds no SMBIOS table"), "--smbios FILE", fact.SourceAbsent},
		{"absent", hosttest.Notes(oneSocket(), "absent\t/"+hosttest.DMITable), want.Not[bool](fact.Absent, "no SMBIOS table visible"), "", fact.SourceAbsent},
		{"denied", hosttest.Notes(oneSocket(), "denied\t/"+hosttest.DMITable), want.Not[bool](fact.Denied, "tables/DMI: denied"), "run as root", fact.SourceDenied},
		{"hidden by a container runtime", hosttest.Notes(oneSocket().Without("sys/firmware/"), "denied\t/sys/firmware"), want.Not[bool](fact.Denied, "container runtimes mask"), "run as root", fact.SourceDenied},
		{"refused", hosttest.Notes(oneSocket(), "refused\t/"+hosttest.DMITable), want.Not[bool](fact.Refused, "tables/DMI: refused"), "", fact.SourceRefused},
		{"a folder", oneSocket().With(hosttest.Files{hosttest.DMITable + "/": ""}), want.Not[bool](fact.Refused, "tables/DMI: refused"), "", fact.SourceRefused},
		{"a link to itself", oneSocket().With(hosttest.Files{hosttest.DMITable: hosttest.LinkTo + "DMI"}), want.Not[bool](fact.Refused, "tables/DMI: refused"), "", fact.SourceRefused},
		{"cut short, nothing kept", hosttest.Notes(oneSocket(), "truncated\t/"+hosttest.DMITable), want.Not[bool](fact.Truncated, "tables/DMI: truncated"), "", fact.SourceTruncated},
		{"empty", oneSocket().With(hosttest.Files{hosttest.DMITable: ""}), want.Not[bool](fact.Truncated, "file is empty"), "", fact.SourceTruncated},
		{"zeros", oneSocket().With(hosttest.Files{hosttest.DMITable: strings.Repeat("\x00", 512)}), want.Not[bool](fact.Malformed, "holds no structure"), "", fact.SourceMalformed},
		{"garbage", oneSocket().With(hosttest.Files{hosttest.DMITable: garbage}), want.Not[bool](fact.Malformed, "holds no structure"), "", fact.SourceMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, c.files)
			c.want.Check(t, sys.Firmware.SMBIOS)
			assert.Contains(t, sys.Firmware.SMBIOS.KnownBy, c.knownBy)
			assert.Equal(t, c.want.State, sys.Firmware.Version.State, "the version is the same")
			assert.Empty(t, sys.Slots)
			assert.Empty(t, sys.Arrays)
			state, _ := source(sys, inventory.SourceSMBIOS)
			assert.Equal(t, c.source, state)
			require.Len(t, sys.Sockets, 1, "the kernel's package is used")
			assert.Equal(t, -1, sys.Sockets[0].Handle)
			want.Is("Example Inc.", fact.Direct).Check(t, sys.Machine.Vendor)
		})
	}
}

// TestCutTable checks that the readable part is kept and that the list of slots is marked incomplete.
func TestCutTable(t *testing.T) {
	b := fourDIMMs()
	whole := b.Table()
	structures := smbios.Decode(nil, whole).Structures
	third := structures[len(structures)-3] // the third of four devices
	files := oneSocket().With(hosttest.Files{hosttest.DMITable: string(whole[:third.Offset+10]), hosttest.DMIEntry: string(b.EntryPoint())})
	for _, c := range []struct {
		name  string
		files hosttest.Files
		state fact.SourceState
	}{
		{"the file ends early", files, fact.SourcePartial},
		{"the reading ended early", hosttest.Notes(files, "truncated\t/"+hosttest.DMITable), fact.SourceTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, c.files)
			want.Is(true, fact.Direct).Check(t, sys.Firmware.SMBIOS)
			want.Is("3.2", fact.Direct).Check(t, sys.Firmware.Version)
			require.NotNil(t, sys.Firmware.Lost)
			assert.Contains(t, sys.Firmware.Lost.Text, "table ends at")
			state, detail := source(sys, inventory.SourceSMBIOS)
			assert.Equal(t, c.state, state)
			assert.NotEmpty(t, detail)
			require.Len(t, sys.Slots, 3)
			assert.Equal(t, inventory.SlotPopulated, sys.Slots[1].State)
			assert.Equal(t, inventory.SlotUnknown, sys.Slots[2].State, "its size is behind the cut")
		})
	}
}

// TestLostStructures checks which defects make the list of slots doubtful.
func TestLostStructures(t *testing.T) {
	withTail := func() *smbiostest.Builder {
		b := fourDIMMs()
		b.Add(32, make([]byte, 7))
		return b
	}
	for _, c := range []struct {
		name string
		data func() []byte
		lost string
	}{
		{"whole", func() []byte { return fourDIMMs().Dump() }, ""},
		{"no end marker", func() []byte { b := fourDIMMs(); b.NoEnd = true; return b.Table() }, smbios.CodeNoEndMarker},
		{"no end marker, but structures behind the memory", func() []byte { b := withTail(); b.NoEnd = true; return b.Table() }, ""},
		{"more slots than announced, and no end", func() []byte {
			b := fourDIMMs()
			b.MemoryDevice(smbiostest.DIMM{Array: 3, Bytes: 1 << 30})
			b.Add(32, make([]byte, 7))
			b.NoEnd = true
			return b.Table()
		}, ""},
		{"fewer slots than announced, and no end", func() []byte {
			b := smbiostest.New(3, 2)
			b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 4}), Bytes: 1 << 30})
			b.Add(32, make([]byte, 7))
			b.NoEnd = true
			return b.Table()
		}, smbios.CodeNoEndMarker},
		{"fewer slots than announced in a whole table", func() []byte {
			b := smbiostest.New(3, 2)
			b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 4}), Bytes: 1 << 30})
			return b.Table()
		}, ""},
		{"bytes that are not a structure before the memory", func() []byte {
			b := smbiostest.New(3, 2)
			b.BIOS(smbiostest.BIOS{Vendor: "Example"})
			b.Raw(17, 0, 3, 4, 5, 6, 7)
			array := b.Array(smbiostest.Array{Devices: 1})
			b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 1 << 30, Locator: "A1"})
			b.Add(32, make([]byte, 7))
			return b.Table()
		}, smbios.CodeZeroLength},
		{"a dump shorter than announced", func() []byte {
			b := smbiostest.New(2, 8)
			b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 1 << 30})
			b.TableLength, b.NoEnd = 4000, true
			return b.Dump()
		}, smbios.CodeLength},
		{"a dump shorter than announced, but with its end", func() []byte {
			b := smbiostest.New(2, 8)
			b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 1 << 30})
			b.TableLength = 4000
			return b.Dump()
		}, ""},
		{"a wrong checksum", func() []byte { d := fourDIMMs().Dump(); d[5]++; return d }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lost := collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, c.data())}).Firmware.Lost
			if c.lost == "" {
				assert.Nil(t, lost)
				return
			}
			require.NotNil(t, lost)
			assert.Equal(t, c.lost, lost.Code)
			assert.NotEmpty(t, lost.Text)
		})
	}
}

// TestEntries checks that single structures are used without the table, and that the version is then
// unknown.
func TestEntries(t *testing.T) {
	files := oneSocket()
	data := fourDIMMs().Table()
	count := map[byte]int{}
	for i, s := range smbios.Decode(nil, data).Structures {
		end := len(data)
		if at := bytes.Index(data[s.Offset+int(s.Length):], []byte{0, 0}); at >= 0 {
			end = s.Offset + int(s.Length) + at + 2
		}
		dir := fmt.Sprintf("sys/firmware/dmi/entries/%d-%d/", s.Type, count[s.Type])
		count[s.Type]++
		files[dir+"raw"], files[dir+"position"] = string(data[s.Offset:end]), fmt.Sprintln(i)
	}
	sys := collecttest.Collected(t, hosttest.Notes(files, "denied\t/"+hosttest.DMITable))
	want.Is(true, fact.Direct).Check(t, sys.Firmware.SMBIOS)
	want.Not[string](fact.Absent, "does not state the SMBIOS version").Check(t, sys.Firmware.Version)
	assert.Nil(t, sys.Firmware.Lost)
	require.Len(t, sys.Slots, 4)
	want.Is("DIMM_A4", fact.Direct).Check(t, sys.Slots[3].Locator)
	state, detail := source(sys, inventory.SourceSMBIOS)
	assert.Equal(t, fact.SourcePartial, state)
	assert.Contains(t, detail, "denied")
	delete(files, "sys/firmware/dmi/entries/17-1/raw")
	sys = collecttest.Collected(t, hosttest.Notes(files, "denied\t/"+hosttest.DMITable))
	assert.Empty(t, sys.Slots, "a list with a structure missing would lie")
	want.Not[bool](fact.Denied, "tables/DMI").Check(t, sys.Firmware.SMBIOS)
}

// TestGivenTableReplaces checks that a file replaces the capture's own table, and that differences
// from the kernel are not conflicts.
func TestGivenTableReplaces(t *testing.T) {
	other := smbiostest.New(2, 6)
	other.System(smbiostest.System{Manufacturer: "Other Inc.", Product: "Other 2"})
	for _, name := range []string{"CPU1", "CPU2"} {
		other.CPU(smbiostest.CPU{Socket: name, Manufacturer: "Intel", Version: hosttest.Westmere.Brand, ID: hosttest.Westmere.Signature(), Cores: 2})
	}
	other.MemoryDevice(smbiostest.DIMM{Array: other.Array(smbiostest.Array{Devices: 1}), Locator: "X1", Bytes: 1 << 30})
	root := collecttest.Capture(t, collecttest.Table(oneSocket(), fourDIMMs()))
	sys := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, other.Dump())})
	want.Is("Other Inc.", fact.Direct).Check(t, sys.Machine.Vendor)
	want.Is("2.6", fact.Direct).Check(t, sys.Firmware.Version)
	require.Len(t, sys.Slots, 1)
	want.Is("X1", fact.Direct).Check(t, sys.Slots[0].Locator)
	assert.Len(t, sys.Sockets, 2)
	want.Not[int](fact.Conflicting, "SMBIOS lists 2 running processors, the kernel 1").Check(t, sys.Sockets[0].Package)
	assert.Empty(t, sys.Conflicts)
	count := 0
	for _, s := range sys.Sources {
		if s.Name == inventory.SourceSMBIOS {
			count++
			assert.Equal(t, fact.SourcePartial, s.State)
			assert.Contains(t, s.Detail, "may be another machine's")
		}
	}
	assert.Equal(t, 1, count, "one smbios source")
	assert.Equal(t, `the SMBIOS file may be another machine's: it calls the machine "Other 2", and /sys/class/dmi/id/product_name says "Server 1"; it lists "`+hosttest.Westmere.Brand+`", and the kernel runs on "`+hosttest.Skylake.Brand+`"; `+
		"it lists 2 running processors, and the kernel runs on 1; its modules have 1 GiB, and the kernel sees 64 GiB", sys.Firmware.Doubt)
	own := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, fourDIMMs().Dump())})
	assert.Empty(t, own.Firmware.Doubt)
	assert.True(t, own.Firmware.Compared)
	alone := collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, fourDIMMs().Dump())})
	assert.False(t, alone.Firmware.Compared)
	want.Is(int64(64<<30-384<<10), fact.Direct).Check(t, sys.Memory.VisibleBytes) // the hole below 1 MiB

	empty := collect.Collect(collect.Input{Root: root, SMBIOS: smbios.Decode(nil, nil)})
	want.Not[bool](fact.Malformed, "the file holds no SMBIOS structure").Check(t, empty.Firmware.SMBIOS)
	assert.Empty(t, empty.Slots, "the capture's own table does not slip in")
}

// TestDefects checks that every defect is listed with its weight, and that only those affecting an
// audit change the source's state.
func TestDefects(t *testing.T) {
	old := smbiostest.New(2, 8)
	old.BIOS(smbiostest.BIOS{Vendor: "Example"})
	old.Count = 99
	sys := collecttest.Decoded(t, old)
	require.Len(t, sys.Firmware.Problems, 1)
	assert.Equal(t, smbios.CodeCount, sys.Firmware.Problems[0].Code)
	assert.True(t, sys.Firmware.Problems[0].Harmless)
	state, _ := source(sys, inventory.SourceSMBIOS)
	assert.Equal(t, fact.SourceOK, state)

	b := fourDIMMs()
	b.MemoryDevice(smbiostest.DIMM{Array: 0x7777, Bytes: 1 << 30})
	sys = collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, b.Dump())})
	require.NotEmpty(t, sys.Firmware.Problems)
	assert.Equal(t, smbios.CodeDanglingHandle, sys.Firmware.Problems[0].Code)
	state, detail := source(sys, inventory.SourceSMBIOS)
	assert.Equal(t, fact.SourcePartial, state)
	assert.Equal(t, sys.Firmware.Problems[0].Text, detail)
}

// TestShortListOfDevices checks that an array with fewer devices than announced does not mean lost
// structures, and that a processor after the end marker does.
func TestShortListOfDevices(t *testing.T) {
	b := fourDIMMs()
	assert.Nil(t, collecttest.Decoded(t, b).Firmware.Short)
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 2}), Locator: "DIMM_B1"})
	f := collecttest.Decoded(t, b).Firmware
	require.NotNil(t, f.Short)
	assert.Contains(t, f.Short.Text, "announces 2 devices, 1 were found")
	assert.Nil(t, f.Lost)
	b = fourDIMMs()
	b.End()
	b.CPU(smbiostest.CPU{Socket: "CPU2", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature()})
	f = collecttest.Decoded(t, b).Firmware
	require.NotNil(t, f.Lost)
	assert.Equal(t, smbios.CodeEarlyEnd, f.Lost.Code)
}

// TestUnreadableSize checks that a size in an invalid unit is quoted, and not reported as unknown to firmware.
func TestUnreadableSize(t *testing.T) {
	sys := collecttest.Read(t, "size", []byte("# dmidecode 3.7\n\nHandle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 16 XiB\n\tLocator: A1\n\tSpeed: 3 GT/s\n"))
	want.Not[int64](fact.Malformed, `a module's size cannot be read: "16 XiB"`).Check(t, sys.Slots[0].SizeBytes)
	want.Not[int](fact.Malformed, `a module's speed cannot be read: "3 GT/s"`).Check(t, sys.Slots[0].RatedMTs)
	assert.Equal(t, inventory.SlotUnknown, sys.Slots[0].State)
}
