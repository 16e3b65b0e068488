package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/facts"
)

// TestProfilesOfBIOSSetup: every built-in profile rests on a document about BIOS
// setup, so that the kernel speaks against a row only where it shows the BIOS's
// choice. A line of a maker's document about its setup, of a capture or of a batch of
// a BIOS tool is taken word for word; advice for processors and workloads of whatever
// maker, and the two founding papers, which measured running systems, take what an
// automatic setting came to as well.
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
