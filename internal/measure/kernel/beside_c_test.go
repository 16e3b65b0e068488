//go:build amd64 && linux && !race

package kernel_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/measure/kernel"
)

// runner runs one kernel once and returns the processor time it took in seconds.
type runner func(name string) float64

// must fails the test on an error, with what else is known of it.
func must(t *testing.T, err error, more ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err, more)
	}
}

// reference starts the C program with its own buffer.
func reference(t *testing.T, program string, bytes int) (runner, int) {
	c := exec.Command(program, fmt.Sprint(bytes))
	names, err := c.StdinPipe()
	must(t, err)
	times, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	t.Cleanup(func() {
		_ = names.Close()
		_ = c.Wait()
	})
	answers := bufio.NewReader(times)
	return func(name string) float64 {
		_, err := io.WriteString(names, name+"\n")
		must(t, err)
		var seconds float64
		_, err = fmt.Fscan(answers, &seconds)
		must(t, err)
		return seconds
	}, c.Process.Pid
}

// compiled builds the C program, or skips the test.
func compiled(t *testing.T) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program := filepath.Join(t.TempDir(), "reference")
	out, err := exec.Command(cc, "-O3", "-o", program, "testdata/reference.c").CombinedOutput()
	must(t, err, string(out))
	return program
}

// cpu returns the processor time of this thread in seconds.
func cpu(t *testing.T) float64 {
	var ts unix.Timespec
	must(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts))
	return float64(ts.Nano()) / 1e9
}

// own runs the same in Go, over a buffer with the layout of the C program's.
func own(t *testing.T, bytes int) runner {
	const huge = 2 << 20
	whole, err := unix.Mmap(-1, 0, bytes+huge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	must(t, err)
	t.Cleanup(func() { must(t, unix.Munmap(whole)) })
	skip := int(-address(whole) & (huge - 1))
	b := whole[skip : skip+bytes]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	f, w := kernel.Floats(b), kernel.Words64(b)
	for i := range f {
		f[i] = 1
	}
	third := len(f) / 3 / kernel.Words * kernel.Words
	at := uint64(0)
	kernels := map[string]func(){
		"read":   func() { _ = kernel.Read(w[:third], w[third:2*third], w[2*third:3*third]) },
		"triad":  func() { kernel.Triad(f[:third], f[third:2*third], f[2*third:3*third], 0.5) },
		"normal": func() { kernel.TriadNormal(f[:third], f[third:2*third], f[2*third:3*third], 0.5) },
		"chain":  func() { kernel.WriteChain(w) },
		"chase":  func() { at = kernel.FollowChain(w, at, len(w)/kernel.Words/64) },
	}
	return func(name string) float64 {
		began := cpu(t)
		kernels[name]()
		return cpu(t) - began
	}
}

// inHugePages reports whether a process has its buffer in huge pages.
func inHugePages(t *testing.T, pid, bytes int) bool {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	must(t, err)
	for line := range strings.Lines(string(rollup)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "AnonHugePages: %d kB", &kib); n == 1 {
			return kib<<10 >= bytes
		}
	}
	return false
}

// pair is the lowest processor time of each of the two.
type pair struct{ own, c float64 }

// ratio is above one if Go is slower.
func (p pair) ratio() float64 { return p.own / p.c }

// takeTurns runs one kernel in C and in Go alternately until the lowest times are within the tolerance or the rounds
// are over, so that neighbours affect both alike. A turn has three passes, because the first one after waiting finds
// the caches filled by the other.
func takeTurns(name string, own, c runner) pair {
	turn := func(run runner) float64 { return min(run(name), run(name), run(name)) }
	best := pair{turn(own), turn(c)}
	for round := 1; round < rounds; round++ {
		best = pair{min(best.own, turn(own)), min(best.c, turn(c))}
		if round >= rounds/10 && best.ratio() <= tolerance {
			break
		}
	}
	return best
}

// TestBesideC compares the kernels with C as a ratio of processor time. Caches and memory of a busy machine are
// shared, so only a strict run (make measure-strict) checks the narrow bound.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	inC, process := reference(t, compiled(t), buffer)
	inGo := own(t, buffer)
	inC("read") // its answer says that its buffer is there
	if a, b := inHugePages(t, os.Getpid(), buffer), inHugePages(t, process, buffer); a != b {
		t.Skipf("the two buffers lie in pages of different sizes (huge: Go %v, C %v)", a, b)
	}
	var slower []string
	for _, name := range []string{"read", "triad", "normal", "chase"} {
		if name == "chase" {
			inC("chain")
			inGo("chain")
		}
		least := takeTurns(name, inGo, inC)
		t.Logf("%-6s Go %7.3f ms, C %7.3f ms, ratio %.3f", name, 1e3*least.own, 1e3*least.c, least.ratio())
		if least.ratio() > tolerance {
			slower = append(slower, name)
		}
	}
	if len(slower) > 0 {
		t.Errorf("kernels that take longer than C: %v", slower)
	}
}
