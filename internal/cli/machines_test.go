package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
	"github.com/memaudit/memaudit/rules"
)

var update = flag.Bool("update", false, "rewrite testdata/machines and golden files")

// machinesDir holds the machines of the project, one folder each: a root with
// sys and proc, about.md, and what memaudit says of it.
var machinesDir = filepath.Join("..", "..", "testdata", "machines")

// server describes a machine of our own making.
type server struct {
	name, about string
	// profile is what the expected report is held against.
	profile string
	host    hosttest.Machine
	cpuid   [3]int
	files   hosttest.Files
	without []string
	table   *smbiostest.Builder
}

// machines are those under testdata/machines.
func machines() []server { return append(generalMachines(), foundingMachines()...) }

// generalMachines show one thing each, whatever the platform.
func generalMachines() []server {
	return []server{
		dell11G("dell-r610-good", "Six 4 GiB RDIMMs, one on each channel; node interleaving and SMT off: the test bed of the paper.", []string{"A1", "A2", "A3", "B1", "B2", "B3"}, 1),
		dell11G("dell-r610-unbalanced", "Socket 1 has two DIMMs on channel 0 and none on channel 2; SMT is on.", []string{"A1", "A2", "A3", "B1", "B2", "B4"}, 2),
		interleaved(dell11G("dell-r610-interleaved", "The good machine with node interleaving on: one node, no SRAT.", []string{"A1", "A2", "A3", "B1", "B2", "B3"}, 1)),
		epyc("supermicro-rome-half", "EPYC 7402 with one DIMM on channels A, C, E and G: half of every pair is empty."),
		guest(),
	}
}

// dell11G is a PowerEdge R610 as the paper's: locators with a trailing blank,
// type 17 of 28 bytes without configured speed.
func dell11G(name, about string, populated []string, threads int) server {
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	b := smbiostest.New(2, 6)
	b.BIOS(smbiostest.BIOS{Vendor: "Dell Inc.", Version: "6.6.0", Date: "05/22/2018"})
	b.System(smbiostest.System{Manufacturer: "Dell Inc.", Product: "PowerEdge R610"})
	b.Board(smbiostest.Board{Manufacturer: "Dell Inc.", Product: "0F0XJ6"})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Dell Inc.", Height: 1})
	for _, socket := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: socket, Manufacturer: "Intel", Version: brand, ID: signature(6, 44, 2), Cores: 6, Enabled: 6, Threads: 6 * threads, Upgrade: 0x19, Characteristics: 4})
	}
	array := b.Array(smbiostest.Array{Devices: 12, MaxBytes: 192 << 30})
	b.NextHandle(0x1100)
	for _, letter := range []string{"A", "B"} {
		for n := 1; n <= 6; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_%s%d ", letter, n), Type: 0x18, Set: byte(n+1) / 2}
			if contains(populated, letter+strconv.Itoa(n)) {
				d.Bytes, d.Speed, d.Rank, d.Manufacturer, d.Part = 4<<30, 1333, 2, "00CE00B380CE", "M393B5273CH0-CH9"
			}
			b.MemoryDevice(d)
		}
	}
	return server{name: name, about: about, profile: "max-performance", table: b, cpuid: [3]int{6, 44, 2},
		host:  hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: threads, NodeMiB: 12 << 10, Vendor: "GenuineIntel", Brand: brand},
		files: dmi("Dell Inc.", "PowerEdge R610", "6.6.0")}
}

// interleaved turns a machine into one whose firmware interleaves the nodes.
func interleaved(s server) server {
	cpus := s.host.CPUs()
	all := hosttest.List(upTo(cpus))
	s.without = append(s.without, "sys/devices/system/node/node1", "sys/firmware/acpi/tables/SRAT", "sys/firmware/acpi/tables/SLIT")
	for _, f := range []string{"online", "possible", "has_cpu", "has_memory", "has_normal_memory"} {
		s.files["sys/devices/system/node/"+f] = "0\n"
	}
	s.files["sys/devices/system/node/node0/cpulist"] = all
	s.files["sys/devices/system/node/node0/distance"] = "10\n"
	s.files["sys/devices/system/node/node0/meminfo"] = "Node 0 MemTotal:       25165824 kB\n"
	return s
}

func epyc(name, about string) server {
	const brand = "AMD EPYC 7402 24-Core Processor"
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "American Megatrends Inc.", Version: "2.4", Date: "12/29/2021"})
	b.System(smbiostest.System{Manufacturer: "Supermicro", Product: "AS -1014S-WTRT"})
	b.Board(smbiostest.Board{Manufacturer: "Supermicro", Product: "H12SSW-NT"})
	b.CPU(smbiostest.CPU{Socket: "CPU", Manufacturer: "Advanced Micro Devices, Inc.", Version: brand, Family: 0x6B, ID: signature(23, 49, 0), Cores: 24, Enabled: 24, Threads: 48, Upgrade: 0x37, Characteristics: 0xFC})
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 2 << 40})
	for ch := range 8 {
		letter := string(rune('A' + ch))
		d := smbiostest.DIMM{Array: array, Locator: "DIMM" + letter + "1", Bank: fmt.Sprintf("P0_Node0_Channel%d_Dimm0", ch)}
		if ch%2 == 0 {
			d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 32<<30, 3200, 3200, 2, "Samsung", "M393A4K40DB3-CWE"
			d.MinMV, d.MaxMV, d.ConfiguredMV = 1200, 1200, 1200
		}
		b.MemoryDevice(d)
	}
	return server{name: name, about: about, profile: "balanced", table: b, cpuid: [3]int{23, 49, 0},
		host:  hosttest.Machine{Sockets: 1, CoresPerSocket: 2, ThreadsPerCore: 2, L3PerSocket: 2, NodeMiB: 128 << 10, Vendor: "AuthenticAMD", Brand: brand},
		files: dmi("Supermicro", "AS -1014S-WTRT", "2.4")}
}

// guest is a virtual machine without SMBIOS.
func guest() server {
	return server{name: "guest-without-smbios", about: "A KVM guest whose hypervisor hands out no SMBIOS.", profile: "balanced", cpuid: [3]int{6, 143, 8},
		host:    hosttest.Machine{Sockets: 1, CoresPerSocket: 2, NodeMiB: 4 << 10, Vendor: "GenuineIntel", Brand: "Intel(R) Xeon(R) Processor"},
		files:   hosttest.Files{},
		without: []string{"sys/class/dmi", "sys/devices/virtual/dmi", "sys/firmware/acpi/tables/S", "sys/firmware/acpi/tables/HMAT"}}
}

// signature is CPUID 1 EAX of a family, model and stepping.
func signature(family, model, stepping int) uint64 {
	base := min(family, 15)
	return uint64(stepping | model&15<<4 | base<<8 | model>>4<<16 | (family-base)<<20)
}

func dmi(vendor, product, bios string) hosttest.Files {
	const dir = "sys/devices/virtual/dmi/id/"
	return hosttest.Files{dir + "sys_vendor": vendor + "\n", dir + "product_name": product + "\n", dir + "bios_version": bios + "\n",
		dir + "bios_vendor": vendor + "\n", dir + "bios_date": "\n", dir + "board_vendor": vendor + "\n", dir + "board_name": "\n"}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// tree is the machine's sys and proc.
func (s *server) tree() hosttest.Files {
	f := s.host.Files().With(s.files).Without(append(s.without, "sys/devices/system/memory/")...)
	info := f["proc/cpuinfo"]
	info = strings.NewReplacer("cpu family\t: 6\nmodel\t\t: 143", fmt.Sprintf("cpu family\t: %d\nmodel\t\t: %d", s.cpuid[0], s.cpuid[1]),
		"stepping\t: 8", fmt.Sprintf("stepping\t: %d", s.cpuid[2])).Replace(info)
	if s.table == nil {
		info = strings.ReplaceAll(info, "flags\t\t: ", "flags\t\t: hypervisor ")
	} else {
		f["sys/firmware/dmi/tables/DMI"] = string(s.table.Table())
		f["sys/firmware/dmi/tables/smbios_entry_point"] = string(s.table.EntryPoint())
	}
	f["proc/cpuinfo"] = info
	return f
}

// newProgram is the program with fixed clock and captured streams.
func newProgram(stdin []byte) (p *Program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &Program{Stdin: bytes.NewReader(stdin), Stdout: stdout, Stderr: stderr, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }, Rules: rules.FS, Version: "test"}, stdout, stderr
}

// run calls the program and returns its exit status and streams.
func run(stdin []byte, args ...string) (status int, stdout, stderr string) {
	p, out, errs := newProgram(stdin)
	status = p.Main(args)
	return status, out.String(), errs.String()
}

// TestMachines audits every machine of the project and compares report and
// inventory with what was reviewed.
func TestMachines(t *testing.T) {
	for _, m := range machines() {
		t.Run(m.name, func(t *testing.T) {
			dir := filepath.Join(machinesDir, m.name)
			if *update {
				writeMachine(t, dir, &m)
			}
			_, report, errs := run(nil, "check", "--root", dir, "--profile", m.profile, "--fail-on", "never")
			require.Empty(t, errs)
			golden(t, filepath.Join(dir, "expected.report.txt"), report)
			_, inv, errs := run(nil, "inventory", "--root", dir, "--format", "json")
			require.Empty(t, errs)
			golden(t, filepath.Join(dir, "expected.inventory.json"), inv)
		})
	}
}

func writeMachine(t *testing.T, dir string, m *server) {
	t.Helper()
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	m.tree().WriteTo(t, dir)
	about := fmt.Sprintf("# %s\n\n%s\n\nMade by `internal/cli/machines_test.go`; `make golden` writes it anew.\n", m.name, m.about)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "about.md"), []byte(about), 0o644))
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "make golden writes it")
	assert.Equal(t, string(want), got, "%s is out of date; make golden rewrites it", file)
}
