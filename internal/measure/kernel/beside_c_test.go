//go:build amd64 && linux

package kernel_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/measure/kernel"
)

// reference runs the C program, which prints seconds a pass of each kernel.
func reference(t *testing.T, program string, bytes, passes int) map[string]float64 {
	out, err := exec.Command(program, fmt.Sprint(bytes), fmt.Sprint(passes)).Output()
	require.NoError(t, err)
	times := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		var name string
		var seconds float64
		_, err := fmt.Sscan(line, &name, &seconds)
		require.NoError(t, err)
		times[name] = seconds
	}
	require.Len(t, times, 4)
	return times
}

// compiled builds the C program, or skips the test.
func compiled(t *testing.T) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program := filepath.Join(t.TempDir(), "reference")
	out, err := exec.Command(cc, "-O3", "-o", program, "testdata/reference.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// cpu is the processor time of this thread in seconds.
func cpu(t *testing.T) float64 {
	var ts unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts))
	return float64(ts.Nano()) / 1e9
}

// own times the same in Go, in huge pages too.
func own(t *testing.T, bytes, passes int) map[string]float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const huge = 2 << 20
	whole, err := unix.Mmap(-1, 0, bytes+huge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(whole)) }()
	skip := int(-address(whole) & (huge - 1))
	b := whole[skip : skip+bytes]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	f, w := kernel.Floats(b), kernel.Words64(b)
	for i := range f {
		f[i] = 1
	}
	third := len(f) / 3 / kernel.Words * kernel.Words
	at := uint64(0)
	kernels := []struct {
		name string
		run  func()
	}{
		{"read", func() { _ = kernel.Read(w[:third], w[third:2*third], w[2*third:3*third]) }},
		{"triad", func() { kernel.Triad(f[:third], f[third:2*third], f[2*third:3*third], 0.5) }},
		{"normal", func() { kernel.TriadNormal(f[:third], f[third:2*third], f[2*third:3*third], 0.5) }},
		{"chase", func() { at = kernel.Chase(w, at, len(w)/kernel.Words/64) }},
	}
	best := map[string]float64{}
	for _, k := range kernels {
		if k.name == "chase" {
			kernel.Chain(w)
		}
		for range passes {
			began := cpu(t)
			k.run()
			if took := cpu(t) - began; best[k.name] == 0 || took < best[k.name] {
				best[k.name] = took
			}
		}
	}
	return best
}

// TestBesideC holds the kernels against C as a ratio of processor time. A busy
// machine's caches and memory are shared, so that only a strict run (make
// measure-strict) asks for the narrow bound.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	program := compiled(t)
	g, c := map[string]float64{}, map[string]float64{}
	for range tries {
		least(c, reference(t, program, buffer, passes))
		least(g, own(t, buffer, passes))
		if slower(g, c) == "" {
			break
		}
	}
	for name := range c {
		t.Logf("%-6s Go %7.3f ms, C %7.3f ms, ratio %.3f", name, 1e3*g[name], 1e3*c[name], g[name]/c[name])
	}
	require.Empty(t, slower(g, c), "Go takes longer than C")
}

// least keeps the smaller times.
func least(best, times map[string]float64) {
	for name, s := range times {
		if old, seen := best[name]; !seen || s < old {
			best[name] = s
		}
	}
}

// slower names a kernel that takes longer than the tolerance.
func slower(g, c map[string]float64) string {
	for name := range c {
		if g[name] > tolerance*c[name] {
			return name
		}
	}
	return ""
}
