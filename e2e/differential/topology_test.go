package differential

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// TestTopology reads every captured tree of the corpus with memaudit, with
// util-linux's lscpu and with hwloc's lstopo: processors, cores, threads, nodes,
// and each node's memory.
func TestTopology(t *testing.T) {
	for _, program := range []string{"lscpu", "lstopo-no-graphics"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed, which .ci/run installs", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
	archives, err := filepath.Glob(filepath.Join(shared(t, "corpus/sysfs"), "*.tar.*"))
	require.NoError(t, err)
	var found [][4]string
	compared := 0
	for _, archive := range archives {
		name, _, _ := strings.Cut(filepath.Base(archive), ".tar.")
		tree := unpack(t, archive)
		if tree == "" {
			found = append(found, [4]string{name, "tree", "read", "tar finds no tree"})
			continue
		}
		root, err := host.OpenCaptureFile(archive)
		require.NoError(t, err)
		ours := read(host.ReadAll(root))
		for program, theirs := range map[string]map[string]string{"lscpu": lscpu(tree), "lstopo": lstopo(t, tree)} {
			for what, value := range theirs {
				own, known := ours[what]
				if !known {
					own = unknown
				}
				compared++
				if own != value {
					found = append(found, [4]string{name, program + " " + what, own, value})
				}
			}
		}
	}
	t.Logf("%d trees, %d facts compared, %d differ", len(archives), compared, len(found))
	assert.Greater(t, compared, 300)
	held(t, "topology.tsv", found)
}

// read are memaudit's facts as texts, without unknown ones.
func read(f *host.Facts) map[string]string {
	out := map[string]string{}
	put := func(what string, known bool, n int) {
		if known {
			out[what] = strconv.Itoa(n)
		}
	}
	put("sockets", f.CPU.Packages.Known(), len(f.CPU.Packages.Value))
	put("cores", f.CPU.Cores.Known(), f.CPU.Cores.Value)
	put("threads per core", f.CPU.ThreadsPerCore.Known(), f.CPU.ThreadsPerCore.Value)
	put("online", f.CPU.Online.Known(), len(f.CPU.Online.Value))
	put("nodes", f.NUMA.Online.Known(), len(f.NUMA.Online.Value))
	for i := range f.NUMA.Nodes {
		n := &f.NUMA.Nodes[i]
		if n.MemTotalBytes.Known() {
			out[fmt.Sprintf("memory of node %d", n.ID)] = strconv.FormatInt(n.MemTotalBytes.Value, 10)
		}
	}
	return out
}

// unpack unpacks with tar what the two programs read, and returns the folder with sys in it, or "".
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	// tar fails on links and devices that it may not make; what is missing shows.
	_ = exec.Command("tar", "xf", archive, "-C", dir, "--no-same-owner", "--wildcards",
		"--exclude=*/cpuidle/*", "--exclude=*/cpufreq/*", "--exclude=*/power/*", "--exclude=*/node*/hugepages/*", "--exclude=*/node*/memory*",
		"--exclude=*/microcode/*", "--exclude=*/thermal_throttle/*", "--exclude=*/acpi_cppc/*", "--exclude=*/vulnerabilities/*",
		"*sys/devices/system/cpu*", "*sys/devices/system/node*", "*proc/cpuinfo", "*proc/meminfo").Run()
	_ = exec.Command("chmod", "-R", "u+rwX", dir).Run()
	for _, pattern := range []string{"sys", "*/sys", "*/*/sys", "*/*/*/sys"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 1 {
			return filepath.Dir(found[0])
		}
	}
	return ""
}

// lscpu are the counts that lscpu prints for a tree; none if it refuses the tree.
func lscpu(tree string) map[string]string {
	cmd := exec.Command("lscpu", "--sysroot", tree)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	text, err := cmd.Output()
	out := map[string]string{}
	if err != nil {
		return out
	}
	words := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		words[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	for key, what := range map[string]string{"Thread(s) per core": "threads per core", "Socket(s)": "sockets", "NUMA node(s)": "nodes"} {
		if _, err := strconv.Atoi(words[key]); err == nil {
			out[what] = words[key]
		}
	}
	if list, err := kerneltext.ParseCPUList([]byte(words["On-line CPU(s) list"])); err == nil && len(list) > 0 {
		out["online"] = strconv.Itoa(len(list))
	}
	return out
}

// object is one of hwloc's (hwloc2.dtd).
type object struct {
	Type    string   `xml:"type,attr"`
	Index   string   `xml:"os_index,attr"`
	Memory  string   `xml:"local_memory,attr"`
	Objects []object `xml:"object"`
}

// lstopo are the objects that lstopo finds in a tree; none if it refuses the tree.
func lstopo(t *testing.T, tree string) map[string]string {
	t.Helper()
	cmd := exec.Command("lstopo-no-graphics", "--if", "fsroot", "--input", tree, "--of", "xml", "--disallowed", "--no-io", "-")
	text, err := cmd.Output()
	out := map[string]string{}
	var topology struct {
		Objects []object `xml:"object"`
	}
	if err != nil || xml.Unmarshal(text, &topology) != nil {
		return out
	}
	counts := map[string]int{}
	var walk func(all []object, threads *int)
	most := 0
	walk = func(all []object, threads *int) {
		for i := range all {
			o := &all[i]
			counts[o.Type]++
			mine := threads
			switch o.Type {
			case "Core":
				mine = new(int)
			case "PU":
				if threads != nil {
					*threads++
					most = max(most, *threads)
				}
			case "NUMANode":
				if o.Memory != "" {
					out["memory of node "+o.Index] = o.Memory
				}
			}
			walk(o.Objects, mine)
		}
	}
	walk(topology.Objects, nil)
	for kind, what := range map[string]string{"Package": "sockets", "Core": "cores", "PU": "online", "NUMANode": "nodes"} {
		if counts[kind] > 0 {
			out[what] = strconv.Itoa(counts[kind])
		}
	}
	if most > 0 {
		out["threads per core"] = strconv.Itoa(most)
	}
	return out
}
