package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// pasted returns what `dmidecode -t memory` prints of these devices, "LOCATOR|BANK|SIZE|SPEED|CONFIGURED" each.
func pasted(announced int, devices ...string) string {
	out := "user@host:~$ sudo dmidecode -t memory\n[sudo] password for user:\n# dmidecode 3.3\nGetting SMBIOS data from sysfs.\nSMBIOS 3.0 present.\n\n"
	if announced > 0 {
		out += fmt.Sprintf("Handle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\tError Correction Type: Multi-bit ECC\n\tNumber Of Devices: %d\n\n", announced)
	}
	for i, d := range devices {
		f := strings.Split(d, "|")
		out += fmt.Sprintf("Handle 0x%04X, DMI type 17, 40 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: %s\n\tForm Factor: DIMM\n\tLocator: %s\n\tBank Locator: %s\n", 0x20+i, f[2], f[0], f[1])
		if len(f) > 3 {
			out += fmt.Sprintf("\tType: DDR4\n\tSpeed: %s MT/s\n\tRank: 2\n\tConfigured Memory Speed: %s MT/s\n", f[3], f[4])
		}
		out += "\n"
	}
	return out
}

// TestPastedMemory checks a part of dmidecode's output, as people paste it: what is there is drawn with its speeds, what is
// missing is named with what would help, and nothing is called sound.
func TestPastedMemory(t *testing.T) {
	board := []string{}
	for _, cpu := range []int{1, 2} {
		for channel := range 4 {
			size := "32 GB|2400|2133"
			if cpu == 2 && channel == 3 {
				size = "No Module Installed"
			}
			board = append(board, fmt.Sprintf("P%d-DIMM%c1|P%d_Node%d_Channel%d_Dimm0|%s", cpu, 'A'+rune(4*(cpu-1)+channel), cpu-1, cpu-1, channel, size))
		}
	}
	guest := []string{"RAM slot #0|RAM slot #0|16384 MB|1600|1600"}
	for i := 1; i < 64; i++ {
		guest = append(guest, fmt.Sprintf("RAM slot #%d|RAM slot #%[1]d|No Module Installed", i))
	}
	for _, c := range []struct {
		name    string
		text    string
		has     []string
		without []string
	}{
		{"a board with two CPUs", pasted(8, board...), []string{"224 GiB DDR4 in 7 of 8 slots", "socket 0", "socket 1", "channel 3", "P2-DIMMH1", "7 DIMMs at 2133 MT/s, rated 2400 MT/s"}, nil},
		{"one row because of its speed", pasted(0, "PROC  2 DIMM 12|Not Specified|8 GB|2666|2400"), []string{"PROC 2 DIMM 12", "1 DIMM at 2400 MT/s, rated 2666 MT/s"}, []string{"1 of 1 slot"}},
		{"a hypervisor's slots", pasted(64, guest...), []string{"RAM slot #0 16 GiB", "63 empty slots", "1 of 64 slots"}, []string{"RAM slot #2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, stderr := run([]byte(c.text), "check", "--smbios", "-")
			assert.Equal(t, 3, status, stderr)
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range append(c.has, "UNKNOWN", "the processors (type 4) are missing", "the complete output of dmidecode") {
				assert.Contains(t, out, want)
			}
			for _, not := range append(c.without, "lists no memory devices", "not recognised") {
				assert.NotContains(t, out, not)
			}
		})
	}
}
