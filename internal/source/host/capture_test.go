package host_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

func open(t testing.TB, archive []byte) *host.Root {
	t.Helper()
	root, err := host.OpenCapture("test", bytes.NewReader(archive))
	require.NoError(t, err)
	return root
}

// captured opens a tree in the same way as a capture in an archive.
func captured(t testing.TB, files hosttest.Files) *host.Root {
	t.Helper()
	root, err := host.OpenMembers("test", files.Members())
	require.NoError(t, err)
	return root
}

func zipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

var small = hosttest.Machine{Sockets: 2, NodesPerSocket: 2, CoresPerSocket: 4, ThreadsPerCore: 2, L3PerSocket: 2, Policies: true}

func TestCaptureLeadingFolders(t *testing.T) {
	want := host.ReadAll(open(t, small.Files().Tar(t, "")))
	require.Equal(t, fact.SourceOK, want.CPU.Source.State, want.CPU.Source.Detail)
	for _, prefix := range []string{"./", "machine/", "./a/b/", "a/b/c/"} {
		assert.Equal(t, want, host.ReadAll(open(t, zipped(t, small.Files().Tar(t, prefix)))), prefix)
	}
	assert.Equal(t, want, host.ReadAll(captured(t, small.Files())), "without the archive")
	_, err := host.OpenCapture("deep", bytes.NewReader(small.Files().Tar(t, "a/b/c/d/")))
	assert.Equal(t, fact.Malformed, host.StateOf(err))
}

func TestCaptureRefused(t *testing.T) {
	one := small.Files().Tar(t, "one/")
	two := append(bytes.Clone(one[:len(one)-1024]), small.Files().Tar(t, "two/")...)
	archive := zipped(t, one)
	damaged := bytes.Clone(archive)
	damaged[len(damaged)-8] ^= 1 // the checksum of all bytes
	for name, c := range map[string]struct {
		data  []byte
		state fact.State
		text  string
	}{
		"several machines": {two, fact.Refused, "holds 2 machines, one was expected: one, two"},
		"empty":            {nil, fact.Truncated, "0 bytes"},
		"cut gzip":         {archive[:len(archive)/2], fact.Truncated, "unexpected EOF"},
		"wrong checksum":   {damaged, fact.Malformed, "invalid checksum"},
		"cut checksum":     {archive[:len(archive)-3], fact.Truncated, "unexpected EOF"},
		"cut tar":          {one[:len(one)/2+100], fact.Truncated, "unexpected EOF"},
		"cut at a member":  {one[:len(one)-1024], fact.Truncated, "no end mark"},
		"lone end block":   {one[:len(one)-512], fact.Truncated, "no end mark"},
		"text":             {[]byte(strings.Repeat("not an archive\n", 100)), fact.Malformed, ""},
		"xz":               {[]byte("\xfd7zXZ\x00 and so on"), fact.Malformed, "xz"},
		"no machine":       {hosttest.Files{"etc/passwd": "root"}.Tar(t, ""), fact.Malformed, "no sys or proc tree"},
		"broken gzip":      {append([]byte("\x1f\x8b"), make([]byte, 100)...), fact.Malformed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := host.OpenCapture("x.tar", bytes.NewReader(c.data))
			require.Error(t, err)
			assert.Equal(t, c.state, host.StateOf(err), "%v", err)
			require.ErrorContains(t, err, c.text)
		})
	}
	for _, files := range []hosttest.Files{{}, {"etc/passwd": "root"}, {"one/proc/cmdline": "", "two/proc/cmdline": ""}, {"proc/cmdline": "", "memaudit-notes": "what"}} {
		_, err := host.OpenCapture("x", bytes.NewReader(files.Tar(t, "")))
		require.Error(t, err)
		_, without := host.OpenMembers("x", files.Members())
		assert.EqualError(t, without, err.Error(), "without the archive")
	}
}

// TestCaptureBehindTheEnd checks data after the end of an archive: tar pads to a record of 20 blocks, and gzip
// ignores trailing data.
func TestCaptureBehindTheEnd(t *testing.T) {
	plain := small.Files().Tar(t, "")
	for name, archive := range map[string][]byte{
		"a record's rest": append(bytes.Clone(plain), make([]byte, 9*512)...),
		"in the gzip":     zipped(t, append(bytes.Clone(plain), make([]byte, 9*512)...)),
		"after the gzip":  append(zipped(t, plain), "trailing garbage"...),
	} {
		t.Run(name, func(t *testing.T) {
			root, err := host.OpenCapture(name, bytes.NewReader(archive))
			require.NoError(t, err)
			assert.True(t, root.Holds("/sys/devices/system/cpu/online"))
		})
	}
}

// odd is an archive with unusual members.
func odd(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	body := "0-3\n"
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "m/sys/devices/system/cpu/present", Size: int64(len(body)), Mode: 0o644}))
	_, err := io.WriteString(w, body)
	require.NoError(t, err)
	for _, h := range headers {
		require.NoError(t, w.WriteHeader(h))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestCaptureOddMembers(t *testing.T) {
	const cpu = "m/sys/devices/system/cpu/"
	link := func(name, target string) *tar.Header {
		return &tar.Header{Name: cpu + name, Linkname: target, Typeflag: tar.TypeSymlink}
	}
	root := open(t, odd(t,
		link("inside", "../cpu/present"), link("absolute", "/sys/devices/system/cpu/present"),
		link("out", "../../../../../../etc/passwd"), link("loop", "loop"), link("a", "b"), link("b", "a"),
		link("dangling", "../node/online"),
		&tar.Header{Name: cpu + "hard", Linkname: cpu + "present", Typeflag: tar.TypeLink},
		&tar.Header{Name: cpu + "hardout", Linkname: "/etc/passwd", Typeflag: tar.TypeLink},
		&tar.Header{Name: cpu + "fifo", Typeflag: tar.TypeFifo},
		&tar.Header{Name: cpu + "device", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 5},
		&tar.Header{Name: cpu + "folder/", Typeflag: tar.TypeDir, Mode: 0o755},
		&tar.Header{Name: cpu + "../../../../etc/evil", Typeflag: tar.TypeReg},
		&tar.Header{Name: "../m/sys/devices/system/cpu/online", Typeflag: tar.TypeReg},
	))
	for name, want := range map[string]fact.State{
		"present": fact.OK, "inside": fact.OK, "absolute": fact.OK, "hard": fact.OK,
		"out": fact.Refused, "loop": fact.Refused, "a": fact.Refused, "hardout": fact.Refused,
		"fifo": fact.Refused, "device": fact.Refused, "folder": fact.Refused,
		"dangling": fact.Unread, "online": fact.Absent, "none/at/all": fact.Unread, "present/x": fact.Refused,
	} {
		t.Run(name, func(t *testing.T) {
			b, err := root.ReadFile("/sys/devices/system/cpu/" + name)
			assert.Equal(t, want, host.StateOf(err), "%v", err)
			if want == fact.OK {
				assert.Equal(t, "0-3\n", string(b))
			} else {
				assert.Empty(t, b)
			}
		})
	}
}

func TestCaptureOfOtherFolders(t *testing.T) {
	root := open(t, odd(t))
	assert.True(t, root.Holds("/sys/devices/system/cpu/online"))
	assert.False(t, root.Holds("/sys/firmware/acpi/tables/SRAT"))
	assert.False(t, root.Holds("/proc/cmdline"))
	f := host.ReadAll(root)
	assert.Equal(t, fact.Unread, f.ACPI.HasTable("SRAT").State)
	assert.Equal(t, fact.Unread, f.NUMA.Directory.State)
	assert.Equal(t, fact.Unread, f.SMBIOS.Table.State)
	assert.Equal(t, fact.Unread, f.EDAC.Controllers.State)
	assert.Equal(t, fact.Unread, f.CPUFreq.Policies.State)
	assert.Equal(t, fact.Unread, f.Cmdline.Line.State)
}

func TestRecordReplays(t *testing.T) {
	files := small.Files().With(hosttest.Files{
		"sys/devices/system/cpu/cpufreq/boost":   strings.Repeat("x", 5000),
		"sys/bus/dax/devices/dax0.0/target_node": "2\n",
		"sys/bus/dax/devices/dax0.0/driver":      hosttest.LinkTo + "../../../../bus/dax/drivers/kmem",
		"sys/firmware/dmi/tables/DMI":            "table",
	}).Without("sys/devices/system/node/node1/distance", "sys/firmware/acpi")
	root := open(t, files.Tar(t, ""))
	rec := root.Record()
	want := host.ReadAll(root)
	assert.Contains(t, rec.Paths(), "/sys/devices/system/node/node0/distance")
	var first, second bytes.Buffer
	require.NoError(t, rec.Write(&first, time.Unix(1, 0), nil, nil))
	require.NoError(t, rec.Write(&second, time.Unix(1, 0), nil, nil))
	assert.Equal(t, first.Bytes(), second.Bytes(), "equal recordings give equal bytes")
	assert.Equal(t, blameless(want), blameless(host.ReadAll(open(t, first.Bytes()))))
}

func TestRecordRedacts(t *testing.T) {
	root := open(t, small.Files().With(hosttest.Files{"sys/devices/virtual/dmi/id/product_serial": "SECRET\n"}).Tar(t, ""))
	rec := root.Record()
	assert.Equal(t, "SECRET", host.ReadDMIID(root).ProductSerial.Value)
	var out bytes.Buffer
	require.NoError(t, rec.Write(&out, time.Unix(1, 0), func(path string, data []byte) ([]byte, bool) {
		return data, !strings.HasSuffix(path, "_serial")
	}, nil))
	got := host.ReadDMIID(open(t, out.Bytes()))
	assert.Equal(t, fact.Denied, got.ProductSerial.State)
	assert.Equal(t, "Example Inc.", got.Vendor.Value)
}

func TestNotesMalformed(t *testing.T) {
	for _, notes := range []string{"", "other 1\n", "memaudit-notes 1\nabsent\n", "memaudit-notes 1\nfunny\t/sys\n",
		"memaudit-notes 1\nmsr\t/dev/cpu/0/msr\n", "memaudit-notes 1\nmsr\t/dev/cpu/0/msr\tx\t0\n", "memaudit-notes 1\nmsr\t/dev/cpu/0/msr\t0x1a0\tmany\n"} {
		_, err := host.OpenCapture("x", bytes.NewReader(hosttest.Files{"sys/devices/system/cpu/online": "0\n", "memaudit-notes": notes}.Tar(t, "")))
		assert.Equal(t, fact.Malformed, host.StateOf(err), "%q: %v", notes, err)
	}
}

func FuzzCapture(f *testing.F) {
	tiny := hosttest.Machine{CoresPerSocket: 2}.Files().Without("sys/devices/system/cpu/cpu1/", "sys/firmware/memmap", "sys/devices/system/memory")
	f.Add(tiny.Tar(f, "m/"))
	f.Add(zipped(f, hosttest.Files{"sys/devices/system/cpu/online": "0-1\n", "memaudit-notes": "memaudit-notes 1\nabsent\t/sys/devices/system/node\n"}.Tar(f, "")))
	f.Add(tiny.With(hosttest.Files{"dev/cpu/0/msr": plainRegisters(0x1A0, 0x850089), "memaudit-notes": "memaudit-notes 1\nmsr\t/dev/cpu/1/msr\t0x1a0\t0x850089\n"}).Tar(f, ""))
	f.Add(odd(f, &tar.Header{Name: "m/sys/devices/system/node", Linkname: "../cpu", Typeflag: tar.TypeSymlink}))
	f.Fuzz(func(t *testing.T, b []byte) {
		root, err := host.OpenCapture("fuzz", bytes.NewReader(b))
		if err != nil {
			require.NotEqual(t, fact.OK, host.StateOf(err))
			return
		}
		for _, s := range append(host.ReadAll(root).Sources(), readMSR(root).Source) {
			require.Equal(t, s.State == fact.SourceOK, s.Detail == "", "%+v", s)
		}
	})
}
