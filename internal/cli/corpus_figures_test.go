//go:build corpus

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// shareFigure is a count that must not fall below a share.
type shareFigure struct {
	name      string
	count, of int
	least     float64
}

// corpusFigures are the figures of each source of texts, counted separately.
type corpusFigures struct {
	lock sync.Mutex
	of   map[string][]shareFigure
}

func (f *corpusFigures) add(source string, figures ...shareFigure) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.of[source] = append(f.of[source], figures...)
}

// The first figures of every source.
const (
	figurePlaced = iota
	figureRecognised
)

// figures are those of every source: slots placed and platforms recognised. The slots of laptops and of damaged
// tables are counted without a required share.
func (c *tally) figures(source string) []shareFigure {
	placed := map[string]float64{corpustest.Servers: 0.99, corpustest.Workstations: 0.85}
	return []shareFigure{
		figurePlaced:     {"populated DRAM slots with socket and channel", c.mapped, c.rows, placed[source]},
		figureRecognised: {"machines with several slots whose platform is recognised", c.recognised, c.several, 0.97},
	}
}

// table lists the figures by source, and the platforms recognised of all sources
// together.
func (f *corpusFigures) table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Made by make corpus-summary; read the diff.\n# source\tfigure\tcount\tof\tshare\n")
	line := func(source string, f shareFigure) {
		share := float64(f.count) / float64(f.of)
		assert.GreaterOrEqual(t, share, f.least, "%s: %s", source, f.name)
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%.3f\n", source, f.name, f.count, f.of, share)
	}
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		for _, f := range f.of[source] {
			line(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(source), "linuxhw-"), ".tar.gz"), f)
		}
	}
	all := f.of[corpustest.Servers][figureRecognised]
	for _, source := range []string{corpustest.Workstations, corpustest.Others} {
		all.count, all.of = all.count+f.of[source][figureRecognised].count, all.of+f.of[source][figureRecognised].of
	}
	line("all", all)
	t.Log("\n" + b.String())
	return b.String()
}
