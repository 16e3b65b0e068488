package collect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
)

// threadsText is dmidecode's text of a machine with the given processor
// structures, shaped after real MacPro5,1 and MacBookPro8,1 dumps.
func threadsText(maker string, designations ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# dmidecode 3.3\nSMBIOS 2.4 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: %s\n\tProduct Name: MacPro5,1\n\n", maker)
	for i, d := range designations {
		status := "Populated, Enabled"
		if strings.HasSuffix(d, " empty") {
			status = "Unpopulated"
		}
		id := "C2 06"
		if before, ok := strings.CutSuffix(d, " other"); ok {
			d, id = before, "C1 06"
		}
		fmt.Fprintf(&b, "Handle 0x%04X, DMI type 4, 35 bytes\nProcessor Information\n\tSocket Designation: %s\n\tType: Central Processor\n"+
			"\tManufacturer: Intel(R) Corporation\n\tID: %s 02 00 FF FB EB BF\n\tSignature: Type 0, Family 6, Model 44, Stepping 2\n"+
			"\tVersion: Intel(R) Xeon(R) CPU           X5680  @ 3.33GHz\n\tStatus: %s\n\n", 0x10+i, d, id, status)
	}
	return []byte(b.String())
}

func TestThreadsAreNoProcessors(t *testing.T) {
	var mac []string
	for i := range 24 {
		mac = append(mac, fmt.Sprintf(" CPU-%c (%02d)", 'A'+i/12, i%12))
	}
	for _, tt := range []struct {
		name, maker  string
		designations []string
		want         int
	}{
		{"a structure a thread", "Apple Inc.", mac, 2},
		{"one designation", "Apple Inc.", []string{"U2E1", "U2E1", "U2E1", "U2E1"}, 1},
		{"a structure a core, numbers between spaces", "Apple Inc.", []string{"CPU-A ( 0 )", "CPU-A ( 1 )", "CPU-A ( 2 )", "CPU-A ( 3 )", "CPU-B ( 3 )", "CPU-B ( 2 )", "CPU-B ( 1 )", "CPU-B ( 0 )"}, 2},
		{"a number that counts sockets", "HP", []string{"CPU (1)", "CPU (2)"}, 2},
		{"a number between spaces that counts sockets", "HP", []string{"CPU ( 1 )", "CPU ( 2 )"}, 2},
		{"two sockets of one kind", "HP", []string{"1366-pin LGA", "1366-pin LGA"}, 2},
		{"two sockets", "Apple Inc.", []string{"CPU A", "CPU B"}, 2},
		{"two threads", "Apple Inc.", []string{"U2E1", "U2E1"}, 1},
		{"two processors that differ", "Apple Inc.", []string{"U2E1", "U2E1 other"}, 2},
		{"no designations", "Apple Inc.", []string{"", ""}, 2},
		{"sockets without a processor", "Apple Inc.", []string{"U2E1 empty", "U2E1 empty"}, 2},
	} {
		sys := collecttest.Read(t, tt.name, threadsText(tt.maker, tt.designations...))
		require.Len(t, sys.Sockets, tt.want, tt.name)
		for i := range sys.Sockets {
			assert.Equal(t, i, sys.Sockets[i].ID, tt.name)
		}
		if tt.want < len(tt.designations) {
			require.NotEmpty(t, sys.Conflicts, tt.name)
			assert.Equal(t, fmt.Sprintf("%d processors", len(tt.designations)), sys.Conflicts[0].Dropped.Raw)
		} else {
			assert.Empty(t, sys.Conflicts, tt.name)
		}
	}
}

// TestBoardOrder checks the X8DT3 and X8DT6, which list CPU 2 before CPU 1. Only designations that differ just in
// their numbers show the order of the sockets.
func TestBoardOrder(t *testing.T) {
	for _, listed := range [][2]string{
		{"CPU 2|CPU 1", "CPU 1|CPU 2"}, {"CPU10|CPU2|CPU1", "CPU1|CPU2|CPU10"}, {"CPU 2|CPU 1 empty", "CPU 2|CPU 1 empty"}, {"Proc 2|CPU 1", "Proc 2|CPU 1"},
		{"CPU2|CPU 1", "CPU2|CPU 1"}, {"B|A", "B|A"}, {"CPU 2|CPU", "CPU 2|CPU"}, {"2|1", "1|2"}, {"H2|G1", "H2|G1"},
	} {
		sys := collecttest.Read(t, listed[0], threadsText("Supermicro", strings.Split(listed[0], "|")...))
		var got []string
		for i := range sys.Sockets {
			assert.Equal(t, i, sys.Sockets[i].ID)
			got = append(got, sys.Sockets[i].Designation.Value)
		}
		assert.Equal(t, listed[1], strings.Join(got, "|"))
	}
}
