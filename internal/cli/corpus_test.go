//go:build corpus

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/report"
)

// tally counts the results of a corpus by rule.
type tally struct {
	machines, failed int
	// rows counts populated DRAM slots, mapped those with a socket and a
	// channel (on a front-side bus with a channel).
	rows, mapped int
	results      map[string]map[string]int
	examples     map[string][]string
}

func (c *tally) add(t *testing.T, name, stdout string) {
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r), name)
	c.machines++
	c.slots(t, name, &r)
	for _, f := range r.Findings {
		if c.results[f.Rule] == nil {
			c.results[f.Rule] = map[string]int{}
		}
		key := f.Result
		if f.Result == "fail" {
			key = f.Severity
			c.examples[f.Rule] = append(c.examples[f.Rule], fmt.Sprintf("%s %s: %v", name, f.Subject, deref(f.Found)))
		}
		c.results[f.Rule][key]++
		if f.Result == "error" {
			t.Errorf("%s: %s %s: %v", name, f.Rule, f.Subject, deref(f.Reason))
		}
	}
}

// slots counts the mapped slots and checks that no machine shows more sockets
// than its table has, or two DIMMs in one place.
func (c *tally) slots(t *testing.T, name string, r *report.Report) {
	t.Helper()
	inv := &r.Inventory
	chipset := len(inv.Population.Sockets) == 1 && inv.Population.Sockets[0].Socket == nil
	taken := map[string]string{}
	for _, s := range inv.Slots {
		if s.State != "populated" || s.Technology == nil || *s.Technology != "dram" {
			continue
		}
		if r.Machine.Virtual != nil && *r.Machine.Virtual {
			continue
		}
		c.rows++
		if s.Channel == nil || s.Socket == nil && !chipset {
			continue
		}
		c.mapped++
		if s.Socket != nil {
			assert.Less(t, *s.Socket, len(inv.Sockets), "%s: slot %s", name, s.Handle)
		}
		if s.Slot == nil {
			continue
		}
		place := fmt.Sprint(number(s.Socket), *s.Channel, *s.Slot)
		assert.Empty(t, taken[place], "%s: slots %s and %s share a place", name, taken[place], s.Handle)
		taken[place] = s.Handle
	}
}

func number(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestCorpusTexts audits every dmidecode text: none panics, breaks a rule, or
// ends in a status that the contract does not know.
func TestCorpusTexts(t *testing.T) {
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			c := &tally{results: map[string]map[string]int{}, examples: map[string][]string{}}
			corpustest.Members(t, archive, func(name string, data []byte) {
				status, out, errs := run(data, "check", "--smbios", "-", "--format", "json", "--fail-on", "never")
				if status == report.ExitNotAudited && out == "" {
					c.failed++
					t.Logf("%s: %s", name, strings.TrimSpace(errs))
					return
				}
				assert.Equal(t, report.ExitOK, status, "%s: %s", name, errs)
				c.add(t, name, out)
			})
			assert.LessOrEqual(t, c.failed*1000, c.machines+c.failed, "more than 0.1 %% of the texts were not read")
			if archive == corpustest.Servers {
				assert.GreaterOrEqual(t, float64(c.mapped), 0.97*float64(c.rows), "populated DRAM slots with a channel")
			}
			c.print(t)
		})
	}
}

func (c *tally) print(t *testing.T) {
	var ids []string
	for id := range c.results {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	t.Logf("%d machines, %d not read; %d of %d populated DRAM slots mapped", c.machines, c.failed, c.mapped, c.rows)
	for _, id := range ids {
		r := c.results[id]
		t.Logf("%-34s pass %5d  critical %4d  warning %4d  info %4d  unknown %5d  n/a %5d", id, r["pass"], r["critical"], r["warning"], r["info"], r["unknown"], r["not_applicable"])
	}
	if os.Getenv("EXAMPLES") != "" {
		for _, id := range ids {
			for i, e := range c.examples[id] {
				if i < 12 {
					t.Logf("%s  %s", id, e)
				}
			}
		}
	}
}
