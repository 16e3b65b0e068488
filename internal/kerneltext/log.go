package kerneltext

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// bootTime is how many microseconds after the start of the kernel firmware's
	// memory map is reported at the latest, with much room.
	bootTime = 60_000_000
	// MirroredPrefix starts the message about mirrored memory (linux
	// drivers/firmware/efi/efi.c, efi_find_mirror).
	MirroredPrefix = "efi: Memory: "
)

// BootMessage takes the text out of a record "priority,sequence,microseconds,
// flags;text" and says whether it is one of the boot.
func BootMessage(record []byte) (text []byte, early bool) {
	head, text, ok := bytes.Cut(record, []byte(";"))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	fields := bytes.SplitN(head, []byte(","), 4)
	if !ok || len(fields) < 3 {
		return nil, true
	}
	at, err := strconv.ParseInt(string(fields[2]), 10, 64)
	return text, err != nil || at < bootTime
}

// MirroredMemory is a share of the memory map, in bytes.
type MirroredMemory struct{ Mirrored, All int64 }

// ParseMirrored reads "efi: Memory: 4096M/65536M mirrored memory", also after
// a time stamp.
func ParseMirrored(line string) (MirroredMemory, bool) {
	_, rest, _ := strings.Cut(line, MirroredPrefix)
	share, tail, _ := strings.Cut(rest, " ")
	part, all, _ := strings.Cut(share, "/")
	p, ok1 := mebibytes(part)
	a, ok2 := mebibytes(all)
	return MirroredMemory{p << 20, a << 20}, ok1 && ok2 && p > 0 && p <= a && strings.HasPrefix(tail, "mirrored memory")
}

func mebibytes(s string) (int64, bool) {
	digits, ok := strings.CutSuffix(s, "M")
	n, err := strconv.ParseInt(digits, 10, 43)
	return n, ok && err == nil
}
