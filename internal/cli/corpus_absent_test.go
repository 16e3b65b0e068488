//go:build corpus

package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

var (
	processorStatus = regexp.MustCompile(`(?m)^\tStatus: Populated.*$`)
	processorOwn    = regexp.MustCompile(`(?m)^\t(Signature|Core Count|Core Enabled|Thread Count): .*\n`)
	processorName   = regexp.MustCompile(`(?m)^\tVersion: .*$`)
	processorID     = regexp.MustCompile(`(?m)^\tID: .*$`)
)

// secondRemoved is the text with its second processor's socket empty; nil if there are fewer than two.
func secondRemoved(text []byte) []byte {
	all := blocks(text)
	n := 0
	for _, i := range ofKind(all, "Processor Information") {
		if !processorStatus.MatchString(all[i]) {
			continue
		}
		if n++; n == 2 {
			b := processorOwn.ReplaceAllString(all[i], "")
			b = processorStatus.ReplaceAllString(b, "\tStatus: Unpopulated")
			b = processorName.ReplaceAllString(b, "\tVersion: Not Specified")
			all[i] = processorID.ReplaceAllString(b, "\tID: 00 00 00 00 00 00 00 00")
			return joined(all)
		}
	}
	return nil
}

// behindAbsent counts the modules that are found at an empty processor socket, and the checks that became unknown.
func behindAbsent(r *report.Report) (modules, unknown int) {
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Rule == "memory.slot.reachable" && f.Result == "fail":
			modules++
		case f.Result == "unknown":
			unknown++
		}
	}
	return modules, unknown
}

// TestSecondProcessorRemoved checks that without the second processor each of its modules is found unreachable, and
// that no other result becomes unknown.
func TestSecondProcessorRemoved(t *testing.T) {
	products := []string{"PowerEdge R610", "PowerEdge R740", "ProLiant DL360 Gen10", "X8DTU", "X8DTL", "X9DRi", "X10DRi"}
	held, with := map[string]int{}, newTextAuditor(t)
	eachText(t, corpustest.Servers, func(name string, text []byte) {
		product := ""
		for _, p := range products {
			if strings.Contains(name, p) {
				product = p
			}
		}
		changed := secondRemoved(text)
		if product == "" || held[product] == 2 || changed == nil {
			return
		}
		before := with.audited(t, text)
		if before == nil || len(before.Inventory.Population.Sockets) != 2 || number(before.Inventory.Population.Sockets[1].DIMMs) < 1 {
			return
		}
		held[product]++
		_, had := behindAbsent(before)
		modules, unknown := behindAbsent(with.audited(t, changed))
		assert.Equal(t, number(before.Inventory.Population.Sockets[1].DIMMs), modules, name)
		assert.LessOrEqual(t, unknown, had, name)
	})
	assert.Len(t, held, len(products), "%v", held)
}
