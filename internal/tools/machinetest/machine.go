// Package machinetest describes the project's example servers and makes their
// trees of sys and proc, for tests and for hand use; no tree is committed.
package machinetest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// Machine describes a server of our own making.
type Machine struct {
	Name, About string
	// Profile is what the expected report is checked against.
	Profile string
	Host    hosttest.Machine
	// Files replace those that Host makes, and Without are left out.
	Files   hosttest.Files
	Without []string
	// Table is the SMBIOS table, or nil.
	Table *smbiostest.Builder
}

func (s Machine) clone() Machine {
	s.Files, s.Without = maps.Clone(s.Files), slices.Clone(s.Without)
	if s.Table != nil {
		s.Table = s.Table.Clone()
	}
	return s
}

// DMI returns the files of a machine's identity in sysfs.
func DMI(vendor, product, bios string) hosttest.Files {
	const dir = "sys/devices/virtual/dmi/id/"
	return hosttest.Files{dir + "sys_vendor": vendor + "\n", dir + "product_name": product + "\n", dir + "bios_version": bios + "\n",
		dir + "bios_vendor": vendor + "\n", dir + "bios_date": "\n", dir + "board_vendor": vendor + "\n", dir + "board_name": "\n"}
}

// Tree returns the machine's sys and proc.
func (s *Machine) Tree() hosttest.Files {
	f := s.Host.Files().With(s.Files).Without(append(s.Without, "sys/devices/system/memory/")...)
	if s.Table == nil {
		return hosttest.Flags(f, "hypervisor")
	}
	f[hosttest.DMITable], f[hosttest.DMIEntry] = string(s.Table.Table()), string(s.Table.EntryPoint())
	return f
}

// uniform makes the machine one with a single node of so many MiB and no SRAT,
// as a front-side bus or node interleaving does.
func (s Machine) uniform(mib int) Machine {
	s.Without = append(s.Without, "sys/devices/system/node/node1", "sys/firmware/acpi/tables/SRAT", "sys/firmware/acpi/tables/SLIT")
	for _, f := range []string{"online", "possible", "has_cpu", "has_memory", "has_normal_memory"} {
		s.Files["sys/devices/system/node/"+f] = "0\n"
	}
	s.Files["sys/devices/system/node/node0/cpulist"] = hosttest.List(hosttest.Seq(0, s.Host.CPUs()-1, 1))
	s.Files["sys/devices/system/node/node0/distance"] = "10\n"
	s.Files["sys/devices/system/node/node0/meminfo"] = hosttest.NodeMeminfo(0, mib)
	return s
}

// All lists the machines of testdata/machines.
func All() []Machine {
	var all []Machine
	for i := range described() {
		all = append(all, described()[i].clone())
	}
	return all
}

// described are the machines of All, made once: tests ask for one by its name hundreds of times.
var described = sync.OnceValue(func() []Machine { return append(general(), papers()...) })

// papers returns the systems of the five papers that memaudit is based on: each as its paper recommends it and, if the paper
// describes a deviation, one with that.
func papers() []Machine {
	return []Machine{
		powerEdge11G("dell-m610-good", "The node of the paper's cluster in its low-power form: two Xeon E5540 and 6 x 4 GB at 1066 MT/s, one on each channel. The processor allows 1066 MT/s at most (Table 3), so a rating of 1333 would be wasted.",
			"PowerEdge M610", e5540, 6, []int{1, 2, 3}, 1066),
		powerEdge11G("dell-r710-two-channels", "Two of the three channels of each processor hold memory: a third of the 31.99 GB/s of Table 3 is out of reach.",
			"PowerEdge R710", x5570, 9, []int{1, 2, 4, 5}, 1333),
		powerEdge11G("dell-m710-full", "All eighteen slots: three DIMMs on each of the three channels.", "PowerEdge M710", x5670, 9, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1333),
		rx600S6("fujitsu-rx600s6-class1", "Four Xeon E7-4870 with 8 x 8 GB each, four on each memory board (1-1|1-1): performance class 1.", first, first),
		rx600S6("fujitsu-rx600s6-class2", "12 x 8 GB per processor (2-1|2-1): the third group of four makes a second, two-way segment, so the whole is performance class 2.", threeGroups, threeGroups),
		rx600S6("fujitsu-rx600s6-class3", "One memory board per processor with 4 x 8 GB (1-1|0-0): performance class 3, one controller only.", first, nil),
		rx600S6("fujitsu-rx600s6-mirrored", "All sixteen slots of every processor hold 8 GB, and half of the memory is visible, as with mirroring: the paper's price of Redundancy.", allEight, allEight).mirrored(),
		rx900S2("fujitsu-rx900s2-class1", "Eight Xeon E7-8870 with two groups of four 8 GB modules each (1-1|1-1): performance class 1; the distances tell the three neighbours from those behind a broker.", "BDFHACEG"),
		rx900S2("fujitsu-rx900s2-class2", "One group of four per processor, over all four buffers (1-0|1-0): permitted, performance class 2.", "BDFH"),
		rx900S2("fujitsu-rx900s2-one-controller", "Four modules per processor behind the buffers of one controller only (1-1|0-0): the paper does not permit it on this system.", "BDAC"),
		e326m("ibm-e326m-full", "All eight slots filled with identical 2 GB DDR400 modules: the paper's best configuration.", 8),
		e326m("ibm-e326m-second-empty", "The first processor's four slots are filled, the second's are empty: permitted by the paper, and half of the channels are lost.", 4),
		x6440("sun-x6440", "Four Opteron 8380 with equal memory. Processors 0 and 3 stream about 16 % slower than 1 and 2 by design: the report explains it. There is no machine beside this one that fails for the paper's reason, because the paper names no deviation."),
		x7db8("supermicro-x7db8-4ch", "Four 1 GB FB-DIMMs, one on each channel: the best of the paper's three layouts of 4 GB.", 1, 1),
		x7db8("supermicro-x7db8-1ch", "The same four modules on one channel: 57 % more latency than on two.", 4, 4),
		x7db8("supermicro-x7db8-2ch", "The same four modules on two channels: 6 % more latency than on four.", 2, 2),
		x7db8("supermicro-x7db8-deep", "Sixteen modules, four on each channel: all channels are used; the paper saw the latency rise with depth and the bandwidth stay.", 1, 4),
		x6dh8("supermicro-x6dh8-g2", "The paper's system of comparison: two Xeons at 3.4 GHz, four DDR2 modules. The paper advises nothing for it, so there is no machine that fails."),
	}
}

// Sample returns the machines for unit tests of properties of all machines: one that fails because of its DIMMs, one because
// of its nodes, one with AMD processors, one with mirroring, one with eight sockets and 128 slots, one with a front-side bus,
// and a guest without SMBIOS. In `make corpus` it returns all machines.
func Sample(t testing.TB) []Machine {
	t.Helper()
	if corpustest.Stage {
		return All()
	}
	var out []Machine
	for _, name := range []string{"dell-r610-unbalanced", "dell-r610-interleaved", "supermicro-rome-half", "fujitsu-rx600s6-mirrored",
		"fujitsu-rx900s2-class2", "supermicro-x7db8-1ch", "guest-without-smbios"} {
		out = append(out, Named(t, name))
	}
	return out
}

var counted = regexp.MustCompile(`(?m)^\d+ checks? passed(?:.+\n)+`)

// Uncounted returns a text report without the number of checks that passed: a rule that every machine passes then
// changes no report. The paragraph becomes one line, because a longer number may wrap it elsewhere.
func Uncounted(report string) string {
	return counted.ReplaceAllStringFunc(report, func(paragraph string) string {
		words := strings.Fields(paragraph)
		return "… " + strings.Join(words[1:], " ") + "\n"
	})
}

// Named returns the machine with this name.
func Named(t testing.TB, name string) Machine {
	t.Helper()
	i := slices.IndexFunc(described(), func(m Machine) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no example machine is called %q", name)
	}
	return described()[i].clone()
}

// Write writes the trees of all machines below a folder, one folder each. It only replaces trees that it wrote before.
func Write(dir string) error {
	for _, m := range All() {
		tree := filepath.Join(dir, m.Name)
		if err := discard(tree); err != nil {
			return err
		}
		if err := m.Tree().Save(tree); err != nil {
			return err
		}
	}
	return nil
}

func discard(tree string) error {
	entries, err := os.ReadDir(tree)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !slices.Contains([]string{"sys", "proc", "dev", "memaudit-inputs"}, e.Name()) {
			return fmt.Errorf("%s holds %s; expected a folder that a machine was written to, or none", tree, e.Name())
		}
	}
	return os.RemoveAll(tree)
}

// Trees holds the machines' trees for the tests of one binary: each is written when first used. Tests must not change them.
type Trees struct {
	mu  sync.Mutex
	dir string
}

// Dir returns the folder of a machine's tree.
func (s *Trees) Dir(t testing.TB, name string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "memaudit-machines-")
		if err != nil {
			t.Fatalf("make a folder for the example machines: %v", err)
		}
		s.dir = dir
	}
	dir := filepath.Join(s.dir, name)
	if _, err := os.Lstat(dir); err != nil {
		m := Named(t, name)
		m.Tree().WriteTo(t, dir)
	}
	return dir
}

// Remove removes what was written; it is called when all tests have ended.
func (s *Trees) Remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.RemoveAll(s.dir)
}
