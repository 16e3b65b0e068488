package live

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/source/host"
)

const (
	// userHZ is USER_HZ: the kernel prints CPU times in hundredths of a second.
	userHZ = 10 * time.Millisecond
	// limitStat limits the size of /proc/stat in bytes; its line of interrupts is long.
	limitStat = 1 << 20
)

// Counters reads /proc/stat, /proc/pressure/memory and the cores' counts of thermal throttling.
func (b *Bench) Counters(cpus []int) measure.Counters {
	c := measure.Counters{Foreign: -1, Steal: -1, Stall: -1, Throttled: -1}
	if stat, err := b.root.ReadLimit("/proc/stat", limitStat); err == nil {
		c.Foreign, c.Steal = processorTimes(stat, cpus)
	}
	if psi, err := b.root.ReadFile("/proc/pressure/memory"); err == nil {
		c.Stall = someTotal(psi)
	}
	// The kernel counts throttling because of heat for Intel only; a package's count is missing without X86_FEATURE_PTS.
	sum := int64(-1)
	for _, cpu := range cpus {
		dir := cpuDir(cpu) + "/thermal_throttle/"
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			if n, ok := number(b.root, dir+name); ok {
				sum = max(sum, 0) + n
			}
		}
	}
	c.Throttled = sum
	return c
}

// processorTimes reads the cpuN lines of /proc/stat (Documentation/filesystems/ proc.rst): user nice system idle iowait
// irq softirq steal guest guest_nice. Foreign is what CPUs outside the set were busy with, steal is of those inside.
func processorTimes(stat []byte, cpus []int) (foreign, steal time.Duration) {
	seen := false
	for line := range bytes.Lines(stat) {
		words := strings.Fields(string(line))
		if len(words) < 8 || !strings.HasPrefix(words[0], "cpu") || words[0] == "cpu" {
			continue
		}
		cpu, err := strconv.Atoi(words[0][len("cpu"):])
		if err != nil {
			return -1, -1
		}
		seen = true
		if slices.Contains(cpus, cpu) {
			steal += sumTicks(words, 8)
		} else {
			foreign += sumTicks(words, 1, 2, 3, 6, 7)
		}
	}
	if !seen {
		return -1, -1
	}
	return foreign, steal
}

func sumTicks(words []string, columns ...int) time.Duration {
	var sum time.Duration
	for _, i := range columns {
		if i < len(words) {
			n, _ := strconv.ParseInt(words[i], 10, 64)
			sum += time.Duration(n) * userHZ
		}
	}
	return sum
}

// someTotal returns the total of the "some" line of a pressure file (Documentation/accounting/psi.rst), -1 if it is
// missing.
func someTotal(psi []byte) time.Duration {
	for line := range bytes.Lines(psi) {
		text, some := strings.CutPrefix(string(line), "some ")
		if _, total, found := strings.Cut(text, "total="); some && found {
			if us, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64); err == nil {
				return time.Duration(us) * time.Microsecond
			}
		}
	}
	return -1
}

func cpuDir(cpu int) string { return "/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) }

func number(root *host.Root, path string) (int64, bool) {
	b, err := root.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}
