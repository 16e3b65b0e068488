package kerneltext

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const (
	// BootTime is how many microseconds after the start of the kernel firmware's
	// memory map is reported at the latest, with much room.
	BootTime = 60_000_000
	// MirroredPrefix starts the message about mirrored memory.
	MirroredPrefix = "efi: Memory: "
	// MirroredPriority is the message's priority: level info of facility 0, the kernel's own. What a
	// program writes to the log has another facility (linux drivers/firmware/efi/efi.c,
	// efi_find_mirror: pr_info; kernel/printk/printk.c, devkmsg_write).
	MirroredPriority = 6
	// KernelPriorities is the last priority of facility 0.
	KernelPriorities = 7
)

// Record takes priority, time in microseconds and text out of a record of /dev/kmsg, "priority,sequence,microseconds,
// flags;text". The priority of a malformed record is -1.
func Record(record []byte) (priority int, at int64, text []byte) {
	head, text, ok := bytes.Cut(record, []byte(";"))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	fields := bytes.SplitN(head, []byte(","), 4)
	if !ok || len(fields) < 3 {
		return -1, 0, nil
	}
	priority, err := strconv.Atoi(string(fields[0]))
	at, errAt := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil || errAt != nil {
		return -1, 0, nil
	}
	return priority, at, text
}

// MirroredMemory is a share of the memory map, in bytes.
type MirroredMemory struct{ Mirrored, All int64 }

// mirroredLine matches the complete message after the prefix of a log: a record's head, syslog's priority, a time in
// the first minute. In other positions it may be a part of another message, such as the name of a USB device.
var mirroredLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:6,\d+,\d+,[^;]*;|<6>)?(?:\[ *[0-5]?\d\.\d+\](?:\[ *[TC]\d+\])? )?` + MirroredPrefix + `(\d{1,12})M/(\d{1,12})M mirrored memory$`)
})

// ParseMirrored reads "efi: Memory: 4096M/65536M mirrored memory", also after a time stamp.
func ParseMirrored(line string) (MirroredMemory, bool) {
	m := mirroredLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if m == nil {
		return MirroredMemory{}, false
	}
	part, _ := strconv.ParseInt(m[1], 10, 64) // at most twelve digits
	all, _ := strconv.ParseInt(m[2], 10, 64)
	return MirroredMemory{part << 20, all << 20}, part > 0 && part <= all
}
