package host_test

import (
	"archive/tar"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

const cpus = "sys/devices/system/cpu/"

// TestHeadOfCPUInfo checks that nothing is known of a line that the end of the read part of cpuinfo cuts.
func TestHeadOfCPUInfo(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 1}.Files()
	f["proc/cpuinfo"] = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: X\nflags\t\t: " + strings.Repeat("fpu ", 5000) + "lm\n"
	c := readCPU(t, f)
	assert.Equal(t, "X", c.Brand.Value)
	assert.Equal(t, fact.Absent, c.Flags.State)
}

// TestNoPolicies checks that frequency scaling is known to be off only if the folder is completely known.
func TestNoPolicies(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 2}.Files().With(hosttest.Files{cpus + "cpufreq/boost": "1\n"})
	read := func(f hosttest.Files) fact.Fact[int] {
		root := captured(t, f)
		return host.ReadCPUFreq(root, host.ReadCPU(root)).Policies
	}
	assert.Equal(t, fact.Unread, read(f).State)
	for _, note := range []string{"names\t/" + cpus + "cpufreq\tboost", "absent\t/" + cpus + "cpufreq\tlist\tno such file or directory"} {
		v := read(hosttest.Notes(f, note))
		assert.True(t, v.Known() && v.Value == 0, "%s: %v", note, v.Err)
	}
	assert.Equal(t, fact.Denied, read(hosttest.Notes(f, "denied\t/"+cpus+"cpufreq\tlist\tpermission denied")).State)
	assert.Equal(t, fact.Unread, read(f.With(hosttest.Files{cpuFile(0, "cpufreq"): "no folder"})).State)
}

// TestRootDecoders checks that a root decoder has a valid range or is not reported.
func TestRootDecoders(t *testing.T) {
	const dir = "sys/bus/cxl/devices/decoder0."
	base := hosttest.Machine{CoresPerSocket: 1}.Files()
	read := func(pairs ...string) fact.Fact[[]host.Range] {
		f := base.With(nil)
		for i := 0; i < len(pairs); i += 2 {
			f[fmt.Sprintf("%s%d/start", dir, i/2)], f[fmt.Sprintf("%s%d/size", dir, i/2)] = pairs[i], pairs[i+1]
		}
		return readNUMA(t, f).Hints.Windows
	}
	assert.Equal(t, []host.Range{{Start: 0, End: 1}}, read("0x0", "0x1").Value)
	for _, pair := range [][]string{{"0x1000", "0x0"}, {"0x1000", "-1"}, {"-0x1000", "0x2000"}, {"0x7fffffffffffffff", "0x1"}} {
		assert.Equal(t, fact.Malformed, read(pair...).State, pair)
	}
	denied := hosttest.Notes(base, "denied\t/sys/firmware/acpi/tables/CEDT\tread\tpermission denied").With(hosttest.Files{dir + "0/start": "x\n"})
	assert.Equal(t, fact.Denied, readNUMA(t, denied).Hints.Windows.State, "the table comes first")
	var most []string
	for range 64 {
		most = append(most, "0x1000", "0x1000")
	}
	assert.Len(t, read(most...).Value, 64)
	assert.Equal(t, fact.Malformed, read(append(most, "0x1000", "0x1000")...).State)
}

// TestEDACBounds checks that one controller is a list, and that a size above the limit is unknown.
func TestEDACBounds(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/mc0/"
	f := hosttest.Files{mc + "mc_name": "x\n", mc + "sdram_scrub_rate": "0\n", mc + "ce_noinfo_count": "-1\n"}
	for size, want := range map[string]fact.State{"0\n": fact.OK, "1\n": fact.OK, "-1\n": fact.Malformed, "1099511627776\n": fact.OK, "1099511627777\n": fact.Malformed, "": fact.Truncated} {
		e := host.ReadEDAC(captured(t, f.With(hosttest.Files{mc + "dimm0/size": size})))
		require.Len(t, e.Controllers.Value, 1, size)
		require.Len(t, e.Controllers.Value[0].Entries.Value, 1, size)
		assert.Equal(t, want, e.Controllers.Value[0].Entries.Value[0].SizeBytes.State, size)
		assert.True(t, e.Controllers.Value[0].ScrubRate.Known(), "0 is a rate")
		assert.Equal(t, fact.Unstated, e.Controllers.Value[0].CorrectedNoInfo.State)
	}
}

// TestAdvice checks the hint how to make an unknown fact known.
func TestAdvice(t *testing.T) {
	assert.EqualValues(t, "a capture that holds /a", host.AccessAdvice(fact.Unread, "/a"))
	assert.EqualValues(t, "audit the live machine, or a capture that holds its files", host.AccessAdvice(fact.Unread, ""))
	assert.EqualValues(t, "run as root", host.AccessAdvice(fact.Denied, "/a"))
	assert.Empty(t, host.AccessAdvice(fact.Absent, "/a"))
}

// TestGuestKernelLog checks that the kernel log of a guest is not read.
func TestGuestKernelLog(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 1}.Files().With(hosttest.Files{"dev/kmsg": "efi: Memory: 4096M/65536M mirrored memory\n"})
	assert.True(t, host.ReadAll(captured(t, f)).KernelLog.Mirrored.Known())
	assert.Equal(t, fact.Refused, host.ReadAll(captured(t, hosttest.Flags(f, "hypervisor"))).KernelLog.Mirrored.State)
	names := func(f hosttest.Files) (out []string) {
		for _, s := range host.ReadAll(captured(t, f)).Sources() {
			out = append(out, s.Name)
		}
		return out
	}
	assert.NotContains(t, names(f), "firmware_attributes")
	assert.Contains(t, names(f.With(workstation())), "firmware_attributes")
	assert.NotContains(t, names(hosttest.Notes(f, "absent\t/sys/class/firmware-attributes\tlist\tno such file or directory")), "firmware_attributes")
}

// TestHardLinks checks that a hard link is a file of the same machine or refused.
func TestHardLinks(t *testing.T) {
	const cpu = "m/" + cpus
	link := func(name, target string) *tar.Header {
		return &tar.Header{Name: cpu + name, Linkname: target, Typeflag: tar.TypeLink}
	}
	root := open(t, odd(t, &tar.Header{Name: cpu + "folder/", Typeflag: tar.TypeDir, Mode: 0o755},
		link("other", "other/proc/cpuinfo"), link("dir", cpu+"folder"), link("none", cpu+"none/at/all"), link("same", cpu+"present")))
	for name, want := range map[string]host.Kind{"other": host.KindOther, "dir": host.KindOther, "none": host.KindOther, "same": host.KindFile} {
		t.Run(name, func(t *testing.T) {
			kind, err := root.Stat("/" + cpus + name)
			require.NoError(t, err)
			assert.Equal(t, want, kind)
		})
	}
}

// TestMemoryBounds checks invalid ranges and blocks, and the smallest valid ones.
func TestMemoryBounds(t *testing.T) {
	const memmap, blocks = "sys/firmware/memmap/0/", "sys/devices/system/memory/"
	base := hosttest.Files{"proc/meminfo": "MemTotal: 1 kB\n", memmap + "type": "System RAM\n"}
	for ends, want := range map[[2]string]int64{{"0x10", "0x10"}: 1, {"0x0", "0xfff"}: 4096, {"0x10", "0xf"}: -1, {"0x2000", "0xf"}: -1, {"-0x1", "0xf"}: -1,
		{"0x0", "0x7fffffffffffffff"}: -1, {"0x1", "0x7fffffffffffffff"}: 1<<63 - 1} {
		m := host.ReadMemory(captured(t, base.With(hosttest.Files{memmap + "start": ends[0], memmap + "end": ends[1]})))
		assert.Equal(t, want > 0, m.MapBytes.Known(), "%v: %v", ends, m.MapBytes.Err)
		assert.Equal(t, max(want, 0), m.MapBytes.Value, ends)
	}
	base = hosttest.Files{"proc/meminfo": "MemTotal: 1 kB\n", blocks + "memory0/state": "online\n", blocks + "memory1/state": "going-offline\n"}
	for size, want := range map[string]int64{"8000000": 128 << 20, "1": 1, "0": -1, "-8000000": -1, "7fffffffffffffff": 1<<63 - 1} {
		m := host.ReadMemory(captured(t, base.With(hosttest.Files{blocks + "block_size_bytes": size + "\n"})))
		assert.Equal(t, want > 0, m.OnlineBytes.Known(), "%v: %v", size, m.OnlineBytes.Err)
		assert.Equal(t, max(want, 0), m.OnlineBytes.Value, size)
	}
	m := host.ReadMemory(captured(t, base.Without(blocks+"memory1/").With(hosttest.Files{blocks + "block_size_bytes": "4000000000000000\n"})))
	assert.Equal(t, int64(1<<62), m.OnlineBytes.Value, "one block")
	base[blocks+"memory1/state"], base[blocks+"block_size_bytes"] = "online\n", "4000000000000000\n"
	assert.Equal(t, fact.Malformed, host.ReadMemory(captured(t, base)).OnlineBytes.State, "more than can be counted")
	base[blocks+"block_size_bytes"] = "8000000\n"
	for i := range 1025 {
		base[fmt.Sprintf("%smemory%d/state", blocks, i)] = "online\n"
		if i == 1023 {
			assert.Equal(t, int64(1024)<<27, host.ReadMemory(captured(t, base)).OnlineBytes.Value)
		}
	}
	assert.Equal(t, fact.Unread, host.ReadMemory(captured(t, base)).OnlineBytes.State)
}
