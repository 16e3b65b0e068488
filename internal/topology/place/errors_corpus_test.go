//go:build corpus

package place

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// confirmedBoards are the rows of the knowledge's table for drivers that count modules by controller, channel and
// slot.
func confirmedBoards(t *testing.T) []*confirmedBoard {
	var out []*confirmedBoard
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/edac-labels.tsv"))
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		col := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(col) < 10 || col[9] != "mc.channel.slot" || len(col) > 11 && col[11] != "" {
			continue
		}
		i := slices.IndexFunc(out, func(f *confirmedBoard) bool { return f.vendor == col[0] && f.models == col[2] })
		if i < 0 {
			i = len(out)
			out = append(out, &confirmedBoard{col[0], col[2], map[[3]int]string{}})
		}
		var at [3]int
		for n, c := range []int{4, 7, 8} {
			_, err := fmt.Sscan(col[c], &at[n])
			require.NoError(t, err, line)
		}
		out[i].at[at] = col[3]
	}
	return out
}

// generations are the platforms of the boards in label files by product name, and how each platform's driver labels a
// module.
var generations = []struct{ platform, products string }{
	{"sandybridge-ep", "R620 R720 R720xd T620 M620 FC620 R820 M820 Z9PH-D16 S2600JF"},
	{"haswell-ep", "C6320 C4130 R630 R730 R730xd T630 M630 FC630 R430 T430 R530 FC430 X10DRI X10DRI-T X10DRL-i X10SRA-F B1DRi FM120x4"},
	{"skylake-sp", "R640 R740 R740xd T640 R940 C6420 M640 FC640 R440 R540 X11SPM-F X11SPM-TF X11SPM-TPF X11DDW-NT X11DDW-L X11DPH-i X11DPH-T X11DPH-TQ X11DPi-N X11DPi-NT 1038"},
	{"ice-lake-sp", "X12DPU-6"},
}

// TestErrorsAgainstLabelFiles joins counters by channel on every board that
// rasdaemon has a label file for: what is joined carries the file's label.
func TestErrorsAgainstLabelFiles(t *testing.T) {
	boards, modules, left := 0, 0, map[string]string{}
	for _, f := range confirmedBoards(t) {
		for model := range strings.SplitSeq(f.models, ", ") {
			id := generationOf(model)
			if id == "" {
				continue
			}
			p, err := platform.ByID(corpustest.Rules(t), id)
			require.NoError(t, err)
			sys, want := labelledBoard(f, model, p)
			places, _ := Slots(sys, p, corpustest.Rules(t))
			got, _ := JoinErrors(sys, p, places)
			joined := 0
			for i := range got {
				if got[i].By == "" {
					continue
				}
				joined++
				assert.Equal(t, want[i], got[i].Corrected.Value, "%s %s: %s", f.vendor, model, sys.Slots[i].Locator.Value)
			}
			if joined == 0 {
				left[f.vendor+" "+model] = places[0].Reason
				continue
			}
			boards, modules = boards+1, modules+joined
		}
	}
	t.Logf("%d boards, %d modules joined; not: %v", boards, modules, left)
	assert.GreaterOrEqual(t, boards, 30)
	for _, refused := range []string{"Dell Inc. PowerEdge FC430", "LENOVO 1038"} {
		assert.Contains(t, left, refused, "the driver counts otherwise there")
	}
}

func generationOf(model string) string {
	name := model[strings.LastIndex(model, " ")+1:]
	for _, g := range generations {
		if slices.Contains(strings.Fields(g.products), name) || strings.Contains(model, "Z9PH-D16") && g.platform == "sandybridge-ep" {
			return g.platform
		}
	}
	return ""
}
