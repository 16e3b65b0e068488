package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vera is dmidecode's text of a machine with Vera processors and modules of the given sizes in GB, 0 for an empty
// slot; their labels match no known pattern.
func vera(processors int, form string, sizes ...int) string {
	var b strings.Builder
	b.WriteString("# dmidecode 3.7\nSMBIOS 3.8.0 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: NVIDIA\n\tProduct Name: Vera\n\n")
	for i := range processors {
		fmt.Fprintf(&b, "Handle 0x%04x, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU%d\n\tType: Central Processor\n\tManufacturer: NVIDIA\n\tVersion: NVIDIA Vera\n\tStatus: Populated, Enabled\n\tCore Count: 88\n\n", 4+i, i)
	}
	fmt.Fprintf(&b, "Handle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\tNumber Of Devices: %d\n\n", len(sizes))
	for i, gb := range sizes {
		size, kind := "No Module Installed", "Unknown"
		if gb > 0 {
			size, kind = fmt.Sprintf("%d GB", gb), "LPDDR5"
		}
		fmt.Fprintf(&b, "Handle 0x%04x, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: %s\n\tForm Factor: %s\n\tLocator: SOCAMM%d\n\tType: %s\n\tRank: 2\n\tSpeed: 9600 MT/s\n\tConfigured Memory Speed: 9600 MT/s\n\n", 0x20+i, size, form, i, kind)
	}
	return b.String()
}

// TestSOCAMM checks that modules with channels of their own are checked by number and size, whatever their labels and
// form factor; deviations are notes, and firmware's rows are not guessed.
func TestSOCAMM(t *testing.T) {
	t.Parallel()
	eight, seven := []int{192, 192, 192, 192, 192, 192, 192, 192}, []int{192, 192, 192, 192, 192, 192, 192}
	for name, c := range map[string]struct {
		text             string
		result, sentence string
	}{
		"alike":                      {vera(1, "CAMM", eight...), "pass", "no problem found"},
		"one is missing":             {vera(1, "CAMM", append(seven, 0)...), "fail", "SOCAMM7 is empty"},
		"one is smaller":             {vera(1, "CAMM", append(seven, 96)...), "fail", "SOCAMM7 has 96 GiB, others have 192 GiB"},
		"seven are listed":           {vera(1, "CAMM", seven...), "fail", "7 SOCAMM modules for the 8 places of 1 processor"},
		"another form factor":        {vera(1, "Proprietary Card", append(seven, 0)...), "fail", "SOCAMM7 is empty"},
		"no form factor":             {vera(1, "Other", append(seven, 96)...), "fail", "SOCAMM7 has 96 GiB"},
		"two processors":             {vera(2, "CAMM", append(eight, eight...)...), "pass", "no problem found"},
		"one of two is missing":      {vera(2, "CAMM", append(eight, append(seven, 0)...)...), "fail", "SOCAMM15 is empty"},
		"fifteen are listed":         {vera(2, "CAMM", append(eight, seven...)...), "fail", "15 SOCAMM modules for the 16 places of 2 processors"},
		"all memory is one row":      {vera(1, "Other", 1536), "unknown", "firmware lists 1 device for 1 processor"},
		"more rows than there are":   {vera(1, "Chip", append(eight, eight...)...), "unknown", "firmware lists 16 devices for 1 processor"},
		"one that is smaller of two": {vera(1, "CAMM", 192, 96), "fail", "SOCAMM1 has 96 GiB"},
	} {
		status, out, errs := run([]byte(c.text), "check", "--smbios", "-", "--format", "json")
		var doc struct {
			Verdict  struct{ Status, Sentence string }
			Findings []struct{ Rule, Result, Severity, Reason string }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
		found := false
		for _, f := range doc.Findings {
			if f.Result == "fail" {
				assert.Equal(t, "info", f.Severity, "%s: %s", name, f.Rule)
			}
			if f.Rule == "memory.module.complete" {
				found = true
				assert.Equal(t, c.result, f.Result, "%s: %s", name, f.Reason)
			}
		}
		assert.True(t, found, name)
		assert.Contains(t, doc.Verdict.Sentence, c.sentence, name)
		assert.Equal(t, c.result == "unknown", status == 3, name)
	}
}
