package host_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// plainRegisters is a plain file with registers at their numbers; later ones overwrite earlier ones.
func plainRegisters(pairs ...uint64) string {
	var out []byte
	for i := 0; i < len(pairs); i += 2 {
		at := int(pairs[i])
		if len(out) < at+8 {
			out = append(out, make([]byte, at+8-len(out))...)
		}
		binary.LittleEndian.PutUint64(out[at:], pairs[i+1])
	}
	return string(out)
}

// sapphires is a machine with two Sapphire Rapids sockets.
func sapphires() hosttest.Files {
	return hosttest.Machine{Sockets: 2, CoresPerSocket: 2}.Files()
}

func readMSR(root *host.Root) *host.MSR { return host.ReadMSR(root, host.ReadCPU(root)) }

// TestMSROfPlainFiles checks that an unpacked tree may hold the files of /dev/cpu as plain files, and that a value
// that may come from a hole or a neighbouring register is not used.
func TestMSROfPlainFiles(t *testing.T) {
	dir := sapphires().Write(t)
	for _, c := range []struct {
		name     string
		content  string
		register uint32
		state    fact.State
		value    uint64
	}{
		{"a register alone", plainRegisters(0x1FC, 0x2004005b), host.MSRPowerCtl, fact.OK, 0x2004005b},
		{"a hole", plainRegisters(0x1FC, 0x2), host.MSRPackageCst, fact.Unread, 0},
		{"behind the end", plainRegisters(0x1A0, 0x850089), host.MSRPowerCtl, fact.Unread, 0},
		{"prefetchers alone", plainRegisters(0x1A4, 0xF), host.MSRPrefetch, fact.OK, 0xF},
		{"prefetchers alone are no upper half", plainRegisters(0x1A4, 0x40), host.MSRMiscEnable, fact.Unread, 0},
		{"upper half or prefetchers", plainRegisters(0x1A0, 0x4000850089, 0x1FC, 2), host.MSRPrefetch, fact.Unread, 0},
		{"prefetchers or upper half", plainRegisters(0x1A0, 0x4000850089, 0x1FC, 2), host.MSRMiscEnable, fact.Unread, 0},
		{"an upper half that ends the file", plainRegisters(0x1A0, 0x4000850089), host.MSRMiscEnable, fact.OK, 0x4000850089},
		{"no upper half", plainRegisters(0x1A0, 0x850089), host.MSRMiscEnable, fact.OK, 0x850089},
		{"empty", "", host.MSRPowerCtl, fact.Unread, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			registers := hosttest.Files{"dev/cpu/0/msr": c.content}
			registers.WriteTo(t, dir)
			for _, root := range []*host.Root{captured(t, sapphires().With(registers)), openDir(t, dir)} {
				got := readMSR(root).Readings[c.register][0]
				assert.Equal(t, c.state, got.State, "%v", got.Err)
				assert.Equal(t, c.value, got.Value)
				assert.Equal(t, "/dev/cpu/0/msr", got.From.Path)
			}
		})
	}
}

// TestMSRScope checks that the first CPU of each package is read, and for core registers the last one too.
func TestMSRScope(t *testing.T) {
	m := readMSR(captured(t, sapphires()))
	cpus := func(register uint32) (out [][2]int) {
		for _, r := range m.Readings[register] {
			out = append(out, [2]int{r.Package, r.CPU})
		}
		return out
	}
	assert.Equal(t, [][2]int{{0, 0}, {1, 2}}, cpus(host.MSRMiscEnable))
	assert.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 2}, {1, 3}}, cpus(host.MSRPrefetch))
	assert.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 2}, {1, 3}}, cpus(host.MSRLLCPrefetch))
	assert.Empty(t, cpus(host.MSRHWCR), "a register of AMD's")
}

// TestMSRSource checks the state of the source.
func TestMSRSource(t *testing.T) {
	f := sapphires()
	value := plainRegisters(0x1FC, 0x2)
	all := hosttest.Files{}
	for _, n := range []string{"0", "1", "2", "3"} {
		all["dev/cpu/"+n+"/msr"] = plainRegisters(0x1FC, 0x2, 0x1A4, 0xF)
	}
	denied := "memaudit-notes 1\n"
	for _, n := range []string{"0", "1", "2", "3"} {
		denied += "denied\t/dev/cpu/" + n + "/msr\n"
	}
	for _, c := range []struct {
		name   string
		files  hosttest.Files
		state  fact.SourceState
		detail string
	}{
		{"all", f.With(all), fact.SourceOK, ""},
		{"one package", f.With(hosttest.Files{"dev/cpu/0/msr": value}), fact.SourcePartial, "/dev/cpu/1/msr"},
		{"not captured", f, fact.SourceAbsent, "not in this capture"},
		{"denied", f.With(hosttest.Files{"memaudit-notes": denied}), fact.SourceDenied, "as the capture notes"},
		{"a processor without documented registers", f.With(hosttest.Files{"proc/cpuinfo": "processor : 0\nvendor_id : GenuineIntel\ncpu family : 15\nmodel : 4\nflags : fpu\n"}), fact.SourceAbsent, "no register of this processor is documented here"},
		{"packages not known", f.With(hosttest.Files{"sys/devices/system/cpu/cpu0/topology/physical_package_id": "x\n"}), fact.SourceMalformed, "physical_package_id"},
	} {
		m := readMSR(captured(t, c.files))
		assert.Equal(t, c.state, m.Source.State, "%s: %s", c.name, m.Source.Detail)
		assert.Contains(t, m.Source.Detail, c.detail, c.name)
	}
	for _, values := range [][2]string{{"0x80000000", "0x80838f3811400"}} {
		const register = "0xce"
		hidden := f.With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\nmsr\t/dev/cpu/2/msr\t" + register + "\t" + values[0] + "\n"})
		m := readMSR(captured(t, hidden))
		assert.Equal(t, fact.SourceRefused, m.Source.State, "a hypervisor that hides itself")
		assert.Contains(t, m.Source.Detail, "as in virtual machines")
		assert.Empty(t, m.Readings)
		real := f.With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\nmsr\t/dev/cpu/2/msr\t" + register + "\t" + values[1] + "\n"})
		assert.NotEmpty(t, readMSR(captured(t, real)).Readings)
	}
	m := host.RefuseMSR("a guest")
	assert.Equal(t, fact.SourceRefused, m.Source.State)
	assert.Empty(t, m.Readings)
}

// TestMSRDevices checks that devices in an unpacked tree are not read: the MSR driver's would show the running
// machine's registers, and other devices are unrelated.
func TestMSRDevices(t *testing.T) {
	dir := sapphires().Write(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/0"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/1"), 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "dev/cpu/1/msr"), 0o644))
	if err := unix.Mknod(filepath.Join(dir, "dev/cpu/0/msr"), unix.S_IFCHR|0o644, int(unix.Mkdev(202, 0))); err != nil {
		t.Skipf("no right to make a device: %v", err)
	}
	m := readMSR(openDir(t, dir))
	require.ErrorContains(t, m.Readings[host.MSRPrefetch][0].Err, "registers of the running machine")
	assert.Equal(t, fact.Refused, m.Readings[host.MSRPrefetch][1].State, "a FIFO")
	require.NoError(t, os.Remove(filepath.Join(dir, "dev/cpu/0/msr")))
	require.NoError(t, unix.Mknod(filepath.Join(dir, "dev/cpu/0/msr"), unix.S_IFCHR|0o644, int(unix.Mkdev(1, 5))))
	m = readMSR(openDir(t, dir))
	require.ErrorContains(t, m.Readings[host.MSRPrefetch][0].Err, "device 1:5 is not the registers of CPU 0")
}

// TestMSRRecorded checks that a capture returns the same registers, including refused ones and those one byte apart.
func TestMSRRecorded(t *testing.T) {
	f := sapphires().With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\n" +
		"msr\t/dev/cpu/0/msr\t0x1a0\t0x4000850089\nmsr\t/dev/cpu/0/msr\t0x1a4\t0xf\nmsr\t/dev/cpu/0/msr\t0x1fc\trefused\nmsr\t/dev/cpu/2/msr\t0x1a0\t0x0\n"})
	root := captured(t, f)
	rec := root.Record()
	want := readMSR(root)
	assert.Equal(t, uint64(0x4000850089), want.Readings[host.MSRMiscEnable][0].Value)
	assert.Equal(t, uint64(0xf), want.Readings[host.MSRPrefetch][0].Value)
	assert.Equal(t, fact.Refused, want.Readings[host.MSRPowerCtl][0].State)
	assert.Equal(t, fact.OK, want.Readings[host.MSRMiscEnable][1].State, "0 is a value where it was noted")
	require.ErrorContains(t, want.Readings[host.MSREnergyBias][0].Err, "not in this capture", "another register of this CPU was noted")
	host.ReadAll(root)
	var out bytes.Buffer
	require.NoError(t, rec.Write(&out, time.Unix(1, 0), nil, nil))
	got := readMSR(open(t, out.Bytes()))
	for register, readings := range want.Readings {
		for i, r := range readings {
			assert.Equal(t, r.State, got.Readings[register][i].State, "0x%x", register)
			assert.Equal(t, r.Value, got.Readings[register][i].Value, "0x%x", register)
		}
	}
}

// TestGenerations checks the processors whose registers differ.
func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		vendor        string
		family, model int
		want          host.Generation
	}{
		{"GenuineIntel", 6, 26, host.GenNehalem}, {"GenuineIntel", 6, 47, host.GenNehalem}, {"GenuineIntel", 6, 62, host.GenSandyBridge},
		{"GenuineIntel", 6, 79, host.GenHaswell}, {"GenuineIntel", 6, 85, host.GenSkylake}, {"GenuineIntel", 6, 106, host.GenIcelake},
		{"GenuineIntel", 6, 207, host.GenSapphire}, {"GenuineIntel", 6, 173, host.GenGranite}, {"GenuineIntel", 6, 23, host.GenOther},
		{"GenuineIntel", 6, 175, host.GenSierra}, {"GenuineIntel", 6, 221, host.GenSierra}, {"GenuineIntel", 19, 1, host.GenDiamond}, {"GenuineIntel", 19, 2, host.GenOther},
		{"GenuineIntel", 6, 95, host.GenOther}, {"GenuineIntel", 15, 4, host.GenOther}, {"AuthenticAMD", 23, 49, host.GenZen},
		{"AuthenticAMD", 25, 1, host.GenZen}, {"AuthenticAMD", 25, 33, host.GenZen}, {"AuthenticAMD", 25, 17, host.GenZen4}, {"AuthenticAMD", 25, 97, host.GenZen4},
		{"AuthenticAMD", 26, 2, host.GenZen4}, {"HygonGenuine", 24, 0, host.GenZen}, {"AuthenticAMD", 21, 2, host.GenOpteron}, {"AuthenticAMD", 16, 9, host.GenOther},
		{"ARM", 8, 3340, host.GenOther},
	} {
		cpu := &host.CPU{Identity: host.Identity{Vendor: fact.Fact[string]{Value: c.vendor, State: fact.OK},
			Family: fact.Fact[int]{Value: c.family, State: fact.OK}, Model: fact.Fact[int]{Value: c.model, State: fact.OK}}}
		assert.Equal(t, c.want, cpu.Generation(), "%+v", c)
	}
	assert.Equal(t, host.GenOther, (&host.CPU{}).Generation())
}
