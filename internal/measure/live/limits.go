package live

import (
	"fmt"
	"path"
	"strings"

	"memaudit.example/memaudit/internal/source/host"
)

// limits reads what the process's control group and those above it allow (Documentation/admin-guide/cgroup-v2.rst;
// cgroup-v1/memory.rst, scheduler/sched-bwc.rst). quota is "" and memory -1 without a limit.
func limits(root *host.Root) (quota string, memory int64) {
	memory = -1
	for _, g := range groups(root) {
		for dir := g.path; ; dir = path.Dir(dir) {
			at := path.Join(g.mount, dir)
			if g.cpu && quota == "" {
				quota = quotaOf(root, at)
			}
			if n, ok := memoryLeft(root, at); g.memory && ok && (memory < 0 || n < memory) {
				memory = n
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return quota, memory
}

type controlGroup struct {
	mount, path string
	cpu, memory bool
}

// groups reads /proc/self/cgroup: lines of number, controllers and path, the second empty in version 2.
func groups(root *host.Root) []controlGroup {
	b, err := root.ReadLimit("/proc/self/cgroup", host.LimitList)
	if err != nil {
		return nil
	}
	var out []controlGroup
	for line := range strings.Lines(string(b)) {
		words := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(words) != 3 || !strings.HasPrefix(words[2], "/") {
			continue
		}
		if words[1] == "" {
			out = append(out, controlGroup{"/sys/fs/cgroup", words[2], true, true})
			continue
		}
		for _, c := range strings.Split(words[1], ",") {
			if c == "cpu" || c == "memory" {
				out = append(out, controlGroup{"/sys/fs/cgroup/" + c, words[2], c == "cpu", c == "memory"})
			}
		}
	}
	return out
}

func quotaOf(root *host.Root, dir string) string {
	if b, err := root.ReadFile(dir + "/cpu.max"); err == nil {
		if text := strings.TrimSpace(string(b)); text != "" && !strings.HasPrefix(text, "max") {
			return "cpu.max is " + text
		}
		return ""
	}
	if n, ok := number(root, dir+"/cpu.cfs_quota_us"); ok && n > 0 {
		return fmt.Sprintf("cpu.cfs_quota_us is %d", n)
	}
	return ""
}

const unlimited = 1 << 60

func memoryLeft(root *host.Root, dir string) (int64, bool) {
	for _, names := range [][2]string{{"memory.max", "memory.current"}, {"memory.limit_in_bytes", "memory.usage_in_bytes"}} {
		limit, ok := number(root, dir+"/"+names[0]) // "max" is not a number
		used, known := number(root, dir+"/"+names[1])
		if ok && known && limit < unlimited {
			return max(0, limit-used), true
		}
	}
	return 0, false
}
