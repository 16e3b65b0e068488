package kerneltext

import (
	"bytes"
	"strconv"
	"strings"
)

// CPUInfo is /proc/cpuinfo.
type CPUInfo struct {
	// First holds the keys of the first processor; on old Arm kernels also the keys after the last
	// processor, which apply to all.
	First map[string]string
	// Processors are all that were parsed, in order of appearance.
	Processors []Processor
}

// Processor is one block of /proc/cpuinfo. Numbers are -1 when the block does not have them.
type Processor struct {
	ID, PhysicalID, CoreID int
}

// Bounds of one parse.
const (
	maxKeys       = 128
	maxProcessors = MaxCPU + 1
)

// ParseCPUInfo parses /proc/cpuinfo of any architecture. If all is false, it stops after the first processor on x86,
// where that is sufficient. Lines without "key : value" are skipped, and so is an incomplete last line.
func ParseCPUInfo(b []byte, all bool) CPUInfo {
	info := CPUInfo{First: make(map[string]string, 32)}
	b = bytes.TrimRight(b, "\x00")
	for raw := range bytes.Lines(b) {
		if raw[len(raw)-1] != '\n' {
			break
		}
		name, value, ok := bytes.Cut(raw, []byte{':'})
		if !ok {
			continue
		}
		key := strings.TrimSpace(string(name))
		if key == "processor" || strings.HasPrefix(key, "processor ") {
			if !all && len(info.Processors) > 0 && info.First["vendor_id"] != "" && info.First["flags"] != "" {
				return info
			}
			info.beginProcessor(key, value)
		}
		info.recordKey(key, value)
	}
	return info
}

// beginProcessor starts a processor: "processor : 7", on s390 "processor 7: ...".
func (c *CPUInfo) beginProcessor(key string, value []byte) {
	digits := string(bytes.TrimSpace(value))
	if rest, ok := strings.CutPrefix(key, "processor "); ok {
		digits = rest
	}
	id, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil || id < 0 || id > MaxCPU || len(c.Processors) >= maxProcessors {
		return
	}
	c.Processors = append(c.Processors, Processor{ID: id, PhysicalID: -1, CoreID: -1})
}

// recordKey keeps a key that appears for the first time, and the numbers of the current processor.
func (c *CPUInfo) recordKey(key string, value []byte) {
	value = bytes.TrimSpace(value)
	if _, have := c.First[key]; !have && len(c.First) < maxKeys && len(key) <= 64 {
		c.First[key] = string(value)
	}
	if len(c.Processors) == 0 {
		return
	}
	switch p := &c.Processors[len(c.Processors)-1]; key {
	case "physical id":
		p.PhysicalID = parseID(value)
	case "core id":
		p.CoreID = parseID(value)
	}
}

func parseID(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 0 || len(b) > 12 {
		return -1
	}
	return n
}
