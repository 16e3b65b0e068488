package host_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// damages replace the content of a file.
var damages = map[string]string{
	"empty": "", "nul": "\x00\x00\x00", "binary": "\x7fELF\x01\x02\xff\xfe\x00\x03", "huge": strings.Repeat("9", 70_000),
	"words": "the quick brown fox\n", "negative": "-1\n", "number": "99999999999999999999\n", "loop": hosttest.LinkTo + "loop",
	"out": hosttest.LinkTo + "../../../../../../../../../../../etc/passwd", "dir": "", "commas": ",,,\n", "reversed": "9-1\n",
}

// skipped are files that no compared value depends on.
var skipped = regexp.MustCompile(`/cpuidle/state|virtual/dmi|/cache/index./(type|size)$|/microcode/version$|/topology/die_|/acpi/pm_profile$|/possible$|/has_normal_memory$`)

// TestDamagedFiles damages every single file of a machine (all damages in make corpus, a quarter of them here) and
// reads it: nothing panics, and a damaged file never changes a value that the sources agreed on.
func TestDamagedFiles(t *testing.T) {
	tiny := hosttest.Machine{Sockets: 2, ThreadsPerCore: 2, NodeMiB: 2048, Policies: true}.Files()
	capture := host.Capture(tiny)
	want := host.ReadAll(open(t, tiny.Tar(t, "")))
	require.Equal(t, blameless(host.ReadAll(open(t, tiny.Tar(t, "")))), blameless(host.ReadAll(capture.Root())))
	ways := slices.Sorted(maps.Keys(damages))
	for i, path := range slices.Sorted(maps.Keys(tiny)) {
		if skipped.MatchString(path) {
			continue
		}
		for n, name := range ways {
			if !corpustest.Stage && (i+n)%4 > 0 {
				continue
			}
			content := damages[name]
			at := path
			if name == "dir" {
				at += "/"
			}
			restore := capture.Put(at, content)
			sameOrUnknown(t, path+" "+name, want, host.ReadAll(capture.Root()))
			restore()
		}
	}
}

// sameOrUnknown compares the facts that verdicts depend on.
func sameOrUnknown(t *testing.T, what string, want, got *host.Facts) {
	t.Helper()
	check(t, what+": online", want.CPU.Online, got.CPU.Online)
	check(t, what+": packages", want.CPU.Packages, got.CPU.Packages)
	check(t, what+": cores", want.CPU.Cores, got.CPU.Cores)
	check(t, what+": threads", want.CPU.ThreadsPerCore, got.CPU.ThreadsPerCore)
	check(t, what+": l3", want.CPU.L3, got.CPU.L3)
	check(t, what+": nodes", want.NUMA.Online, got.NUMA.Online)
	check(t, what+": cpu nodes", want.NUMA.CPUNodes(), got.NUMA.CPUNodes())
	check(t, what+": memory nodes", want.NUMA.MemoryNodes(), got.NUMA.MemoryNodes())
	check(t, what+": memory map", want.Memory.MapBytes, got.Memory.MapBytes)
	check(t, what+": no_turbo", want.CPUFreq.NoTurbo, got.CPUFreq.NoTurbo)
}

// check accepts the same value, or an unknown with a reason.
func check[T any](t *testing.T, what string, want, got fact.Fact[T]) {
	t.Helper()
	if got.State != fact.OK {
		require.Error(t, got.Err, what)
		require.True(t, reflect.ValueOf(got.Value).IsZero(), "%s: %v beside state %v", what, got.Value, got.State)
		return
	}
	require.True(t, reflect.DeepEqual(want.Value, got.Value), "%s: %v became %v", what, want.Value, got.Value)
}

// TestRandomRoots removes and damages many files at once.
func TestRandomRoots(t *testing.T) {
	tiny := hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2, Policies: true}.Files()
	rng := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range damages {
			if !yield(name) {
				return
			}
		}
	})
	for range 100 {
		files := hosttest.Files{}
		for path, content := range tiny {
			switch rng.IntN(12) {
			case 0:
			case 1:
				files[path] = damages[names[rng.IntN(len(names))]]
			default:
				files[path] = content
			}
		}
		f := host.ReadAll(host.Capture(files).Root())
		for _, s := range f.Sources() {
			assert.Equal(t, s.State == fact.SourceOK, s.Detail == "", "%+v", s)
		}
	}
}

func TestNothingAtAll(t *testing.T) {
	f := host.ReadAll(openDir(t, hosttest.Files{"sys/": ""}.Write(t)))
	for _, s := range f.Sources() {
		assert.Equal(t, fact.SourceAbsent, s.State, s.Name)
		assert.Contains(t, s.Detail, "not in this capture", s.Name)
	}
	var zero fact.Fact[int]
	assert.False(t, zero.Known(), "the zero value is not known")
	assert.Empty(t, f.CPU.Sample())
}
