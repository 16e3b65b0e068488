package kerneltext_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// parses checks what a function makes of texts, and those that it refuses.
func parses[T any](t *testing.T, parse func([]byte) (T, error), want map[string]T, refused ...string) {
	for in, want := range want {
		t.Run(fmt.Sprintf("%.40q", in), func(t *testing.T) {
			got, err := parse([]byte(in))
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
	for _, in := range refused {
		t.Run(fmt.Sprintf("not %.40q", in), func(t *testing.T) {
			_, err := parse([]byte(in))
			assert.Error(t, err)
		})
	}
}

func TestParseCPUList(t *testing.T) {
	longest := strings.Repeat("0-65535,", 3) + "0-65535"
	parses(t, kerneltext.ParseCPUList, map[string][]int{
		"": nil, "\n": nil, "\x00": nil, "0\n": {0}, "65535": {65535}, " 3 ," + " 5 ": {3, 5}, "5,4,5": {4, 5}, "1,1-2,2": {1, 2},
		"0-3,8,10-11\n":                 {0, 1, 2, 3, 8, 10, 11},
		"10-11,8,0-1":                   {0, 1, 8, 10, 11},
		"0-63\n\x00":                    hosttest.Seq(0, 63, 1),
		"0-10:1/2":                      {0, 2, 4, 6, 8, 10},
		"0-7:2/4":                       {0, 1, 4, 5},
		strings.Repeat("7,", 500) + "7": {7},
		longest:                         hosttest.Seq(0, 65535, 1),
	}, ",", "1,", ",1", "1,,2", "3-1", "-1", "1-", "a", "0x1", "65536", "0-99999", "1-2-3", "0-7:", "0-7:2", "0-7:0/2",
		"0-7:3/2", "5:1/2", "1 2", "all", "0-3\n4-7", strings.Repeat("0-65535,", 100)+"1", longest+",0")
}

func TestParseCPUMask(t *testing.T) {
	longest := strings.Repeat("0,", 2047) + "1"
	parses(t, kerneltext.ParseCPUMask, map[string][]int{
		"3": {0, 1}, "00000000,00000003\n": {0, 1}, "00000001,80000000": {31, 32}, "00000000": nil, "ff,00000000,00000000\n\x00": hosttest.Seq(64, 71, 1),
		"9": {0, 3}, "A": {1, 3}, "0": nil, "F": {0, 1, 2, 3}, "a": {1, 3}, "f": {0, 1, 2, 3}, longest: {0},
	}, "", ",", "xyz", "000000000", "0x3", "1,,2", "0,"+longest, strings.Repeat("0,", 3000)+"1", "/", ":", "@", "G", "`", "g")
}

func TestParseSize(t *testing.T) {
	parses(t, kerneltext.ParseSize, map[string]int64{
		"48K\n": 48 << 10, "1024 kB": 1 << 20, "32768K": 32 << 20, "8 MB": 8 << 20, "2G": 2 << 30, "512": 512, "0K": 0, "1T": 1 << 40,
	}, "", "K", "-1K", "1.5G", "9223372036854775807K", "99999999999999999999999", "12 parsecs")
}

func TestParseInts(t *testing.T) {
	parses(t, func(text []byte) ([]int, error) { return kerneltext.ParseInts(text, 4) }, map[string][]int{"10 21\t32 \n": {10, 21, 32}, "1 2 3 4": {1, 2, 3, 4}},
		"", "\n", "10 x", "10 -1", "1 2 3 4 5", "65536")
}

func TestParseMeminfo(t *testing.T) {
	node := "\nNode 12 MemTotal:       58458112 kB\nNode 12 MemFree:        57280640 kB\n"
	size, line, found, err := kerneltext.ParseMeminfo([]byte(node), "MemTotal")
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, int64(58458112)<<10, size)
	assert.Equal(t, "Node 12 MemTotal:       58458112 kB", line)
	_, _, found, err = kerneltext.ParseMeminfo([]byte("MemFree: 1 kB\nMemTotalX: 3 kB\n"), "MemTotal")
	require.NoError(t, err)
	assert.False(t, found)
	_, _, _, err = kerneltext.ParseMeminfo([]byte("MemTotal: lots\n"), "MemTotal")
	require.Error(t, err)
}

func TestParseCPUInfoX86(t *testing.T) {
	text := hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2}.Files()["proc/cpuinfo"]
	first := kerneltext.ParseCPUInfo([]byte(text), false)
	assert.Len(t, first.Processors, 1, "one processor is enough")
	assert.Equal(t, "143", first.First["model"])
	all := kerneltext.ParseCPUInfo([]byte(text), true)
	require.Len(t, all.Processors, 8)
	assert.Equal(t, kerneltext.Processor{ID: 7, PhysicalID: 1, CoreID: 1}, all.Processors[7])
	cut := kerneltext.ParseCPUInfo([]byte("processor\t: 0\nmodel\t: 12\nmodel name\t: Xe"), true)
	assert.Equal(t, map[string]string{"processor": "0", "model": "12"}, cut.First, "a line without its end is dropped")
}

func TestParseCPUInfoOthers(t *testing.T) {
	arm := kerneltext.ParseCPUInfo([]byte("Processor\t: ARMv7 rev 4\nprocessor\t: 0\nBogoMIPS\t: 1.0\n\nprocessor\t: 1\nBogoMIPS\t: 1.0\n\nFeatures\t: swp neon\nCPU implementer\t: 0x41\n"), false)
	assert.Len(t, arm.Processors, 2)
	assert.Equal(t, "0x41", arm.First["CPU implementer"], "keys after the last processor hold for all")
	s390 := kerneltext.ParseCPUInfo([]byte("vendor_id       : IBM/S390\n# processors    : 2\nprocessor 0: version = FF,  machine = 2817\nprocessor 1: version = FF,  machine = 2817\n"), true)
	require.Len(t, s390.Processors, 2)
	assert.Equal(t, 1, s390.Processors[1].ID)
	for _, junk := range []string{"", "\n", ":", "processor", "processor : -1\n", "processor : 999999999999\n", "\x00\x00"} {
		assert.Empty(t, kerneltext.ParseCPUInfo([]byte(junk), true).Processors, "%q", junk)
	}
}

func TestParseCmdline(t *testing.T) {
	got := kerneltext.ParseCmdline("  BOOT_IMAGE=/vmlinuz numa=off nosmt dyndbg=\"file a.c +p\" \"key=a b\" empty= x=1=2\n-- init=arg")
	want := []kerneltext.Option{
		{Key: "BOOT_IMAGE", Value: "/vmlinuz", Raw: "BOOT_IMAGE=/vmlinuz"},
		{Key: "numa", Value: "off", Raw: "numa=off"},
		{Key: "nosmt", Raw: "nosmt"},
		{Key: "dyndbg", Value: "file a.c +p", Raw: "dyndbg=\"file a.c +p\""},
		{Key: "key", Value: "a b", Raw: "\"key=a b\""},
		{Key: "empty", Raw: "empty="},
		{Key: "x", Value: "1=2", Raw: "x=1=2"},
	}
	assert.Equal(t, want, got)
	assert.Empty(t, kerneltext.ParseCmdline("\n"))
	assert.Len(t, kerneltext.ParseCmdline(strings.Repeat("a ", 4097)), 4096)
	assert.Equal(t, []kerneltext.Option{{Key: "open end", Raw: "\"open end"}}, kerneltext.ParseCmdline("\"open end"))
}

func FuzzCPUList(f *testing.F) {
	for _, s := range []string{"", "0-3,8,10-11\n", "0-31:2/4", "65535", "0-63\n\x00", "3-1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := kerneltext.ParseCPUList(b)
		if err != nil {
			return
		}
		require.True(t, slices.IsSorted(list))
		require.Len(t, slices.Compact(slices.Clone(list)), len(list))
		again, err := kerneltext.ParseCPUList([]byte(hosttest.List(list)))
		require.NoError(t, err)
		require.Equal(t, list, again)
		for _, n := range list {
			require.LessOrEqual(t, n, kerneltext.MaxCPU)
		}
		_, _ = kerneltext.ParseCPUMask(b)
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t: fpu\n\nprocessor\t: 1\n"))
	f.Add([]byte("Node 0 MemTotal: 58458112 kB\n"))
	f.Add([]byte("a=\"b c\" d -- e"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all := kerneltext.ParseCPUInfo(b, true)
		require.LessOrEqual(t, len(kerneltext.ParseCPUInfo(b, false).Processors), len(all.Processors))
		if size, _, found, err := kerneltext.ParseMeminfo(b, "MemTotal"); found && err == nil {
			require.GreaterOrEqual(t, size, int64(0))
		}
		if size, err := kerneltext.ParseSize(b); err == nil {
			require.GreaterOrEqual(t, size, int64(0))
		}
		_, _ = kerneltext.ParseInts(b, 16)
		for _, o := range kerneltext.ParseCmdline(string(b)) {
			require.NotEmpty(t, o.Raw)
		}
	})
}

func TestParseMirrored(t *testing.T) {
	for line, want := range map[string]kerneltext.MirroredMemory{
		"efi: Memory: 4096M/65536M mirrored memory":                 {4 << 30, 64 << 30},
		"[    0.000000] efi: Memory: 65536M/65536M mirrored memory": {64 << 30, 64 << 30},
		"[    0.000000][    T0] efi: Memory: 1M/2M mirrored memory": {1 << 20, 2 << 20},
		"6,339,0,-;efi: Memory: 1M/2M mirrored memory":              {1 << 20, 2 << 20},
		"<6>[    0.000000] efi: Memory: 1M/2M mirrored memory":      {1 << 20, 2 << 20},
		// Continuation lines, other facilities, and lines later than the boot.
		"[    2.100000] usb 1-1: Product: efi: Memory: 65536M/65536M mirrored memory":   {},
		"[    2.100000] usb 1-1: Product: x efi: Memory: 65536M/65536M mirrored memory": {},
		"14,339,0,-;efi: Memory: 65536M/65536M mirrored memory":                         {},
		"<14>efi: Memory: 65536M/65536M mirrored memory":                                {},
		"[ 3600.000000] efi: Memory: 65536M/65536M mirrored memory":                     {},
		"efi: Memory: 65536M/65536M mirrored memory of mine":                            {},
		"efi: Memory: 0M/65536M mirrored memory":                                        {},
		"efi: Memory: 70000M/65536M mirrored memory":                                    {},
		"efi: Memory: 4096M/65536M of something":                                        {},
		"efi: Memory: 4096/65536M mirrored memory":                                      {},
		"efi: Memory: 99999999999999999999M/65536M mirrored memory":                     {},
		"Memory: 65000000K/66000000K available (14336K kernel code)":                    {},
	} {
		got, ok := kerneltext.ParseMirrored(line)
		assert.Equal(t, want != kerneltext.MirroredMemory{}, ok, line)
		if ok {
			assert.Equal(t, want, got, line)
		}
	}
}

// TestRecord checks records in the format of the device.
func TestRecord(t *testing.T) {
	priority, at, text := kerneltext.SplitRecord([]byte("6,42,131072,-;efi: Memory: 1M/2M mirrored memory\n SUBSYSTEM=x\n"))
	assert.Equal(t, "efi: Memory: 1M/2M mirrored memory", string(text))
	assert.Equal(t, int64(131072), at)
	assert.Equal(t, kerneltext.MirroredPriority, priority)
	priority, _, _ = kerneltext.SplitRecord([]byte("14,42,131072,-;efi: Memory: 1M/2M mirrored memory"))
	assert.Equal(t, 14, priority, "written by a program: facility 1")
	for _, malformed := range []string{"no head", "x,42,131072,-;efi", "6,42;efi: x", "6,42,soon,-;efi: x", "6,42,3600000000,-"} {
		priority, _, text = kerneltext.SplitRecord([]byte(malformed))
		assert.Equal(t, -1, priority, malformed)
		assert.Empty(t, text, malformed)
	}
}

// apei is the log of a machine whose firmware reports memory errors: two corrected ones and a fatal one, one of a
// PCIe device, and one that a program wrote. The records of /dev/kmsg have the kernel's facility.
const apei = `4,100,5000000,-;{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1
4,101,5000001,-;{1}[Hardware Error]: It has been corrected by h/w and requires no further action
4,102,5000002,-;{1}[Hardware Error]: event severity: corrected
4,103,5000003,-;{1}[Hardware Error]:  Error 0, type: corrected
4,104,5000004,-;{1}[Hardware Error]:  fru_text: B1
4,105,5000005,-;{1}[Hardware Error]:   section_type: memory error
4,106,5000006,-;{1}[Hardware Error]:   physical_address: 0x0000000812345678
4,107,5000007,-;{1}[Hardware Error]:   node:1 card:0 module:0 rank:1 bank:3 device:2 row:4711 column:12
4,108,5000008,-;{1}[Hardware Error]:   error_type: 2, single-bit ECC
4,109,5000009,-;{1}[Hardware Error]:   DIMM location: NODE 1 DIMM_B1
4,110,5000010,-;{1}[Hardware Error]:  Error 1, type: corrected
4,111,5000011,-;{1}[Hardware Error]:   section_type: memory error
4,112,5000012,-;{1}[Hardware Error]:   DIMM location: not present. DMI handle: 0x1103
3,113,9000000,-;{2}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 0
3,114,9000001,-;{2}[Hardware Error]: event severity: fatal
3,115,9000002,-;{2}[Hardware Error]:  Error 0, type: fatal
3,116,9000003,-;{2}[Hardware Error]:   section_type: memory error
3,117,9000004,-;{2}[Hardware Error]:   node: 0 card: 1 module: 0
4,118,9500000,-;{3}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 2
4,119,9500001,-;{3}[Hardware Error]:  Error 0, type: corrected
4,120,9500002,-;{3}[Hardware Error]:   section_type: PCIe error
12,121,9600000,-;{4}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1
12,122,9600001,-;{4}[Hardware Error]:  Error 0, type: fatal
12,123,9600002,-;{4}[Hardware Error]:   section_type: memory error
`

// TestMemoryErrors checks memory errors in records, in the text of dmesg, and in that of kernels before 4.13, which
// number sections.
func TestMemoryErrors(t *testing.T) {
	want := []kerneltext.MemoryError{
		{Microseconds: 5000009, Corrected: true, Location: "NODE 1 DIMM_B1", FRU: "B1", Place: "node 1, card 0, module 0, rank 1", Handle: -1},
		{Microseconds: 5000012, Corrected: true, Handle: 0x1103},
		{Microseconds: 9000004, Place: "node 0, card 1, module 0", Handle: -1},
	}
	assert.ElementsMatch(t, want, kerneltext.ParseMemoryErrors(apei))
	text := regexp.MustCompile(`(?m)^(\d+),\d+,(\d)(\d{6}),-;`).ReplaceAllString(apei, "[    $2.$3] ")
	text, _, _ = strings.Cut(text, "[    9.600000]") // dmesg shows no facility
	assert.ElementsMatch(t, want, kerneltext.ParseMemoryErrors(text))
	old := "[   77.000001] {5}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1\n[   77.000002] {5}[Hardware Error]: severity: 2, corrected\n" +
		"[   77.000003] {5}[Hardware Error]: section: 0, severity: 2, corrected\n[   77.000004] {5}[Hardware Error]: section_type: memory error\n[   77.000005] {5}[Hardware Error]: node: 0 card: 1 module: 0\n"
	assert.Equal(t, []kerneltext.MemoryError{{Microseconds: 77000005, Corrected: true, Place: "node 0, card 1, module 0", Handle: -1}}, kerneltext.ParseMemoryErrors(old))
	boot := "[    1.100000] BERT: Error records from previous boot:\n[    1.100001] [Hardware Error]: event severity: fatal\n[    1.100002] [Hardware Error]:  Error 0, type: fatal\n" +
		"[    1.100003] [Hardware Error]:   section_type: memory error\n[    1.100004] [Hardware Error]:   DIMM location: NODE 1 DIMM_B1\n" +
		"[    1.100005] [Hardware Error]: event severity: fatal\n[    1.100006] [Hardware Error]:  Error 0, type: fatal\n[    1.100007] [Hardware Error]:   section_type: PCIe error\n" +
		"[    2.000000] mce: [Hardware Error]: section_type: memory error\n"
	assert.Equal(t, []kerneltext.MemoryError{{Microseconds: 1100004, Location: "NODE 1 DIMM_B1", Handle: -1}}, kerneltext.ParseMemoryErrors(boot))
	assert.Empty(t, kerneltext.ParseMemoryErrors("[ 1.000000] usb: {1}[Hardware Error]: section_type: memory error\nnothing\n"))
}

// TestMemoryErrorsOfOneTime checks that one log gives one list, also if no line has a stamp, and which severities are lost data.
func TestMemoryErrorsOfOneTime(t *testing.T) {
	var log strings.Builder
	var want []kerneltext.MemoryError
	for i, severity := range []string{"corrected", "recoverable", "fatal", "informational", "corrected", "recoverable"} {
		record := "{" + strconv.Itoa(i+1) + "}[Hardware Error]: "
		log.WriteString(record + "event severity: " + severity + "\n" + record + " Error 0, type: " + severity + "\n" + record + "  section_type: memory error\n" +
			record + "  DIMM location: NODE 1 DIMM_" + strconv.Itoa(i) + "\n")
		if severity != "informational" {
			want = append(want, kerneltext.MemoryError{Corrected: severity == "corrected", Location: "NODE 1 DIMM_" + strconv.Itoa(i), Handle: -1})
		}
	}
	for range 20 {
		require.Equal(t, want, kerneltext.ParseMemoryErrors(log.String()))
	}
}

// TestHideOptions checks that options that an audit needs stay, as do words that are neither an address nor a name,
// and that values, addresses and arguments of init are removed.
func TestHideOptions(t *testing.T) {
	hide := func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }
	for line, want := range map[string]string{
		"":                                 "",
		"q":                                "q",
		"quiet nosmt  numa=off\n":          "quiet nosmt  numa=off\n",
		"intel_idle.max_cstate=1 root=abc": "intel_idle.max_cstate=1 root=xxx",
		"crashkernel=319M nfsroot=abc":     "crashkernel=319M nfsroot=xxx",
		"host17 10.0.0.1 plain":            "xxxxxx xxxxxxxx plain",
		"quiet -- numa=off plain word=1":   "quiet -- xxxxxxxx xxxxx xxxxxx",
		"-- --":                            "-- --",
		"9":                                "x",
	} {
		assert.Equal(t, want, string(kerneltext.HideOptions([]byte(line), hide)), "%q", line)
	}
}

// TestProcessorNumbers checks that numbers from 0 to the kernel's highest are accepted, and longer or lower ones are
// not.
func TestProcessorNumbers(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "17": 17, "-1": -1, "000000000012": 12, "0000000000012": -1, "x": -1} {
		info := kerneltext.ParseCPUInfo([]byte("processor\t: 0\ncore id\t\t: "+text+"\n"), true)
		require.Len(t, info.Processors, 1)
		assert.Equal(t, want, info.Processors[0].CoreID, text)
	}
	for id, there := range map[int]bool{0: true, kerneltext.MaxCPU: true, kerneltext.MaxCPU + 1: false, -1: false} {
		assert.Equal(t, there, len(kerneltext.ParseCPUInfo(fmt.Appendf(nil, "processor\t: %d\n", id), true).Processors) == 1, id)
	}
	head := "vendor_id\t: AuthenticAMD\nflags\t\t: fpu\nprocessor\t: 0\nprocessor\t: 1\n"
	assert.Len(t, kerneltext.ParseCPUInfo([]byte(head), false).Processors, 1, "the first is enough, though the list begins with other keys")
}
