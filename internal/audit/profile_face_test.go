package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/facts"
)

// TestProfilesOfBIOSSetup checks that every built-in profile has a document about BIOS setup, so that the kernel
// contradicts a row only if it shows the BIOS's choice. A vendor's document about its setup, a capture or a batch of
// a BIOS tool is taken literally; for advice on processors and workloads of any vendor, and for the two founding
// papers, which measured running systems, the result of an automatic setting counts too.
func TestProfilesOfBIOSSetup(t *testing.T) {
	running := []string{"amd-epyc-7003", "amd-epyc-9004", "workloads", "dell-11g", "fujitsu-westmere-ex"}
	asked := 0
	for _, pack := range builtinPacks(t) {
		for _, p := range pack.Profiles {
			asked++
			want := facts.BasisConfigured
			if name, _, _ := strings.Cut(p.ID, "/"); slices.Contains(running, name) {
				want = facts.BasisFirmware
			}
			assert.Equal(t, want, p.Face, "%s: a built-in profile has face: configured; firmware where its document measured running systems or advises for every maker's, and then its file stands in this test", p.ID)
		}
	}
	assert.Greater(t, asked, 100)
}
