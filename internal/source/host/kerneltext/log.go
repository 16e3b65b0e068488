package kerneltext

import (
	"bytes"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
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

// SplitRecord takes priority, time in microseconds and text out of a record of /dev/kmsg, "priority,sequence,microseconds,
// flags;text". The priority of a malformed record is -1.
func SplitRecord(record []byte) (priority int, at int64, text []byte) {
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
var mirroredLine = lazy.Pattern(`^(?:6,\d+,\d+,[^;]*;|<6>)?(?:\[ *[0-5]?\d\.\d+\](?:\[ *[TC]\d+\])? )?` + MirroredPrefix + `(\d{1,12})M/(\d{1,12})M mirrored memory$`)

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

// IsReported reports whether a message tells how a feature of the platform that setup offers came up (TDX, SGX, memory
// encryption, SEV-SNP, mirroring; linux arch/x86/virt, arch/x86/kernel/cpu, arch/x86/kvm/svm/sev.c, drivers/iommu/amd/init.c,
// drivers/crypto/ccp), or that Linux took a page away (mm/memory-failure.c). None names a machine or a person.
func IsReported(message string) bool {
	return len(message) <= 240 && reported().MatchString(message)
}

var reported = lazy.Pattern(`^(?:(?:virt/)?tdx: |x86/(?:m?k?tme): |x86/cpu: SGX |SGX disabled |sgx: |SEV-SNP: |kvm_amd: SEV|SEV(?:-ES)?(?: and SEV-SNP)? supported: |` +
	`ccp [0-9a-f:.]{7,12}: SEV|AMD-Vi: (?:IOMMU )?SNP |(?:AMD-Vi: )?SNP: |` + MirroredPrefix + `|Memory failure: |soft offline: )[ -~]*$`)

// Messages lists the messages of the kernel's log that are Reported, without the head of a record or a time stamp, in the
// order of the log. Of an unusually long log it keeps the first of them.
func Messages(log string) []string {
	out := []string{}
	for line := range strings.Lines(log) {
		m := messageLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m != nil && IsReported(m[1]) && len(out) < 4096 {
			out = append(out, m[1])
		}
	}
	return out
}

// messageLine takes the text out of a record of the kernel's own facility, or a line of dmesg.
var messageLine = lazy.Pattern(`^(?:[0-7],\d+,\d{1,18},[^;]*;|<[0-7]>)?(?:\[ *\d{1,10}\.\d{6}\](?:\[ *[TC]\d+\])? )?(.*)$`)
