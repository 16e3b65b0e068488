package kerneltext

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
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

// HardwareError returns the record's number and the text of a message by which the kernel logs an error record that firmware
// hands over (linux drivers/firmware/efi/cper.c, drivers/acpi/apei/ghes.c). One of the boot before (BERT, drivers/acpi/apei/bert.c)
// has no number. It is false for any other message, and for one with an address, an identifier of a unit or raw data.
func HardwareError(message string) (record, text string, ok bool) {
	m := hardwareError().FindStringSubmatch(message)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var hardwareError = lazy.Pattern(`^(?:\{(\d{1,10})\})?\[Hardware Error\]: {1,6}((?:Hardware error from APEI|(?:event )?severity: |Error \d+, type: |section: \d|fru_text: |section_type: |node: ?\d|error_type: |DIMM location: ).{0,200})$`)

// MemoryError is one memory error that firmware reported to the kernel.
type MemoryError struct {
	// Microseconds is the time since the kernel started.
	Microseconds int64
	Corrected    bool
	// Location is the bank and the slot as SMBIOS names them, Handle the SMBIOS handle of the slot, -1 if it is not given,
	// FRU firmware's own name of the part, and Place its node, card, module and rank.
	Location, FRU, Place string
	Handle               int
}

var (
	loggedLine  = lazy.Pattern(`^(?:([0-7]),\d+,(\d{1,18}),[^;]*;|<[0-7]>)?(?:\[ *(\d{1,10})\.(\d{6})\](?:\[ *[TC]\d+\])? )?((?:\{|\[Hardware Error\]).*)$`)
	severityOf  = lazy.Pattern(`^(?:event severity|severity|Error \d+, type|section: \d+, severity): (?:\d+, )?([a-z]+)`)
	placeOf     = lazy.Pattern(`(node|card|module|rank): ?(\d{1,5})`)
	smbiosOf    = lazy.Pattern(`^DIMM location: not present\. DMI handle: 0x([0-9a-fA-F]{1,4})$`)
	uncorrected = map[string]bool{"recoverable": true, "fatal": true, "uncorrected": true}
)

// ParseMemoryErrors reads the memory errors in the kernel's log: records of /dev/kmsg, or the text of dmesg. Lines of other facilities
// than the kernel's own, and sections that are not about memory, are left out. They are in the order of time.
func ParseMemoryErrors(log string) []MemoryError {
	var out []MemoryError
	open := map[string]*section{}
	done := func(record string) {
		if s := open[record]; s != nil && s.memory && (s.severity == "corrected" || uncorrected[s.severity]) {
			s.error.Corrected = s.severity == "corrected"
			out = append(out, s.error)
		}
	}
	for line := range strings.Lines(log) {
		m := loggedLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		record, text, ok := HardwareError(m[5])
		if !ok {
			continue
		}
		s := open[record]
		switch {
		case s == nil || strings.HasPrefix(text, "Hardware error from") || record == "" && strings.HasPrefix(text, "event severity: "):
			done(record)
			s = &section{error: MemoryError{Handle: -1}}
			open[record] = s
		case strings.HasPrefix(text, "Error ") || strings.HasPrefix(text, "section: "):
			done(record)
			s = &section{severity: s.severity, error: MemoryError{Handle: -1}}
			open[record] = s
		}
		s.readLine(text)
		s.error.Microseconds, _ = strconv.ParseInt(cmp.Or(m[2], m[3]+m[4]), 10, 64)
	}
	for _, record := range slices.Sorted(maps.Keys(open)) {
		done(record)
	}
	slices.SortStableFunc(out, func(a, b MemoryError) int { return cmp.Compare(a.Microseconds, b.Microseconds) })
	return out
}

type section struct {
	severity string
	memory   bool
	error    MemoryError
}

func (s *section) readLine(text string) {
	if m := severityOf().FindStringSubmatch(text); m != nil {
		s.severity = m[1]
		return
	}
	switch key, value, _ := strings.Cut(text, ": "); key {
	case "section_type":
		s.memory = strings.HasPrefix(value, "memory error")
	case "fru_text":
		s.error.FRU = strings.TrimSpace(value)
	case "DIMM location":
		if m := smbiosOf().FindStringSubmatch(text); m != nil {
			handle, _ := strconv.ParseUint(m[1], 16, 16) // at most four digits
			s.error.Handle = int(handle)
		} else {
			s.error.Location = strings.TrimSpace(value)
		}
	default: // node:0 card:1 module:0 rank:0 bank:5 ...
		var words []string
		for _, p := range placeOf().FindAllStringSubmatch(text, 4) {
			words = append(words, p[1]+" "+p[2])
		}
		if words != nil {
			s.error.Place = strings.Join(words, ", ")
		}
	}
}
