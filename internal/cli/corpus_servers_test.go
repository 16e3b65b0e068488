//go:build corpus

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// servers checks the servers' verdicts against the table of testdata/corpus, and
// gives the figures that are about servers alone.
func (c *tally) servers(t *testing.T, all []audited) []shareFigure {
	for _, a := range all {
		guessedSlots(t, &a)
		missingSlots(t, &a)
	}
	sameTable(t, "memory-rules.txt", rulesTable(all))
	even := evenServers(t, all)
	return append(namedFigures(t, all), shareFigure{"machines whose channels are all equally filled", even, len(all), 0.3},
		shareFigure{"failures at warning or above that cite the machine's own maker", c.ownCited, c.warned, 0.4})
}

// namedProcessors are the names that the knowledge's platforms.yaml gives a platform's processors, as brand strings;
// written from that table, not from rules/platforms.
var namedProcessors = map[string]string{
	"bensley":             `Xeon\(R\) CPU +[EXL]?5[0-4]\d\d\b`,
	"lindenhurst":         ``, // by its board
	"opteron-939-940":     `Opteron\(tm\) Processor [28]\d\d\b`,
	"opteron-socket-f":    `Opteron\(tm\) Processor [28][234]\d\d\b`,
	"opteron-g34":         `(?i)Opteron\(tm\) Processor 6[123]\d\d\b`,
	"nehalem-ep":          `[EXLW]55\d\d\b`,
	"westmere-ep":         `[EXLW]56\d\d\b`,
	"nehalem-ex":          `[EXL][67]5\d\d\b`,
	"westmere-ex":         `E7- ?[248]8\d\d\b`,
	"sandybridge-en":      `E5-[12]4\d\d`,
	"sandybridge-ep":      `E5-[1246]6\d\d\w? (0|@)`,
	"ivybridge-ep":        `E5-[1246]6\d\d\w? v2`,
	"ivybridge-ex":        `E7-[248]8\d\d v2`,
	"haswell-ep":          `E5-[1246]6\d\d\w? v3`,
	"haswell-ex":          `E7-[48]8\d\d v3`,
	"broadwell-ep":        `E5-[1246]6\d\d\w? v4`,
	"broadwell-ex":        `E7-[48]8\d\d v4`,
	"skylake-sp":          `(Bronze|Silver|Gold|Platinum) [3-8]1\d\d|W-3175X`,
	"cascade-lake-sp":     `(Bronze|Silver|Gold|Platinum) [3-8]2\d\d`,
	"cascade-lake-ap":     `Platinum 92\d\d`,
	"cooper-lake":         `(Gold|Platinum) [5-8]3\d\dHL?\b`,
	"ice-lake-sp":         `(Silver|Gold|Platinum) [4-8]3\d\d|W-33\d\d`,
	"sapphire-rapids":     `(Bronze|Silver|Gold|Platinum) [3-8]4\d\d|w[579]-34\d\d`,
	"sapphire-rapids-max": `CPU Max 94\d\d`,
	"emerald-rapids":      `(Bronze|Silver|Gold|Platinum) [3-8]5\d\d`,
	"granite-rapids-sp":   `Xeon\(R\) 6[3567]\d\dP\b`,
	"granite-rapids-ap":   `Xeon\(R\) 69\d\dP\b`,
	"granite-rapids-d":    `Xeon\(R\) 6[57]\d\dP-B`,
	"sierra-forest":       `Xeon\(R\) 6[79]\d\dE\b`,
	"clearwater-forest":   `Xeon\(R\) 69\d\dE\+`,
	"naples":              `EPYC 7\d\d1`,
	"rome":                `EPYC 7\w\d2`,
	"milan":               `EPYC 7\w\w3`,
	"genoa":               `EPYC 9\w\d4`,
	"siena":               `EPYC 8\w\d4`,
	"epyc-4004-4005":      `EPYC 4\d\d[45]`,
	"turin":               `EPYC 9\w\d5`,
	"venice":              `EPYC [89]\w\d6`,
	"ampere-altra":        `Altra`,
	"ampere-one":          `AmpereOne`,
	"kunpeng-920":         `Kunpeng ?920`,
	"nvidia-grace":        `Grace`,
	"graviton":            `Graviton`,
	"power10":             `POWER10`,
}

// namedPattern joins the names of the table's platforms; a platform of the table without one here is missing.
func namedPattern(t *testing.T) *regexp.Regexp {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/platforms.yaml"))
	require.NoError(t, err)
	var table struct {
		Platforms []struct {
			ID string `yaml:"id"`
		} `yaml:"platforms"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &table))
	var alternatives []string
	for _, p := range table.Platforms {
		pattern, ok := namedProcessors[p.ID]
		if !ok {
			corpustest.Gap(t, "names of the processors of platform "+p.ID)
		}
		if pattern != "" {
			alternatives = append(alternatives, pattern)
		}
	}
	return regexp.MustCompile(strings.Join(alternatives, "|"))
}

// namedFigures counts the servers with a processor that platforms.yaml names:
// how many have a platform, and how many of them a grade, a class or a share
// of the bandwidth for every processor with memory.
func namedFigures(t *testing.T, all []audited) []shareFigure {
	named := namedPattern(t)
	machines, recognised, graded := 0, 0, 0
	for _, a := range all {
		if ofGuest(&a.report) || !slices.ContainsFunc(readText(a.text).processors, func(p textProcessor) bool {
			return p.populated && named.MatchString(p.version)
		}) {
			continue
		}
		machines++
		if a.report.Machine.Platform.ID == "" {
			t.Logf("no platform: %s", a.name)
			continue
		}
		recognised++
		if isGraded(&a) {
			graded++
		}
	}
	require.Greater(t, machines, 700)
	return []shareFigure{
		{"machines with a processor of platforms.yaml whose platform is recognised", recognised, machines, 0.97},
		{"machines with a processor of platforms.yaml whose population is graded", graded, machines, 0.95},
	}
}

func isGraded(a *audited) bool {
	with := 0
	for _, s := range a.report.Inventory.Population.Sockets {
		if s.DIMMs == nil || *s.DIMMs == 0 {
			continue
		}
		with++
		if s.Class == "" && s.Relative.Value == nil && s.Relative.Low == nil {
			return false
		}
	}
	return with > 0
}

// guessedSlots checks what depends on an unconfirmed slot map: nothing about channels is above info, and no remedy
// names a slot, except for rules about the modules themselves and the slots in the product's own manual, or in a
// sister model's that is marked as such.
func guessedSlots(t *testing.T, a *audited) {
	guessed := slices.ContainsFunc(a.report.Inventory.Slots, func(s report.Slot) bool {
		return string(s.Mapping.Source) == "slot_map" && string(s.Mapping.Certainty) == "indirect"
	})
	if !guessed {
		return
	}
	for _, f := range a.report.Findings {
		if f.Result != "fail" || !strings.HasPrefix(f.Rule, "memory.") || strings.HasPrefix(f.Rule, "memory.dimm.") {
			continue
		}
		if f.Rule == "memory.channel.symmetric" || strings.HasPrefix(f.Rule, "memory.slot.") {
			assert.EqualValues(t, "info", f.Severity, "%s: %s", a.name, f.Rule)
		}
		remedy, _, _ := strings.Cut(string(f.Remedy), "(no layout is advised:") // the reason names what is not known
		if fillsAll(a, remedy) || byManual(a, &f) {
			continue
		}
		for _, s := range a.report.Inventory.Slots {
			name := string(s.Locator)
			if name != "" && s.Channel != nil && names(remedy, name) {
				t.Errorf("%s: %s names slot %s: %s", a.name, f.Rule, name, remedy)
				break
			}
		}
	}
}

// byManual reports whether all advice for a finding rests on a document of the
// product itself.
func byManual(a *audited, f *verdict.Finding) bool {
	found := false
	for _, advice := range a.report.Advice {
		if !slices.ContainsFunc(advice.Cures, func(c verdict.Ref) bool { return c.Rule == f.Rule && c.Subject == f.Subject }) {
			continue
		}
		if advice.Source == "general practice" {
			return false
		}
		found = true
	}
	return found
}

// fillsAll reports whether a remedy fills every empty slot of the processors that have modules, which is right
// whatever the slots' channels are.
func fillsAll(a *audited, remedy string) bool {
	used := map[int]bool{}
	for _, s := range a.report.Inventory.Slots {
		if s.State == "populated" {
			used[number(s.Socket)] = true
		}
	}
	return !slices.ContainsFunc(a.report.Inventory.Slots, func(s report.Slot) bool {
		return s.State == "empty" && s.Channel != nil && used[number(s.Socket)] && !names(remedy, string(s.Locator))
	})
}

// names reports whether a sentence has a slot's label as a word.
func names(text, label string) bool {
	return regexp.MustCompile(`(^|[ ,])` + regexp.QuoteMeta(label) + `($|[ ,;)])`).MatchString(text)
}

// missingSlots checks that no slot is called missing on a machine with an empty
// slot whose channel is not known.
func missingSlots(t *testing.T, a *audited) {
	if slices.ContainsFunc(a.report.Inventory.Slots, func(s report.Slot) bool { return s.State == "empty" && s.Channel == nil }) {
		for _, f := range a.report.Findings {
			assert.NotContains(t, string(f.Remedy), "lists no slot", a.name)
		}
	}
}

// rulesTable counts the results of the memory and NUMA rules by platform, one
// subject (machine, socket, slot) one count. A rule that is applicable nowhere has
// no row.
func rulesTable(all []audited) string {
	type key struct{ rule, platform string }
	counts := map[key]map[string]int{}
	applied := map[string]bool{}
	add := func(k key, result string) {
		applied[k.rule] = applied[k.rule] || result != "not_applicable"
		if counts[k] == nil {
			counts[k] = map[string]int{}
		}
		counts[k][result]++
	}
	for _, a := range all {
		platform := "(none)"
		if ofGuest(&a.report) {
			platform = "(guest)"
		} else if id := a.report.Machine.Platform.ID; id != "" {
			platform = string(id)
		}
		for _, f := range a.report.Findings {
			if strings.HasPrefix(f.Rule, "memory.") || strings.HasPrefix(f.Rule, "numa.") {
				add(key{f.Rule, platform}, outcome(&f))
				add(key{f.Rule, "*"}, outcome(&f))
			}
		}
	}
	keys := make([]key, 0, len(counts))
	for k := range counts {
		if applied[k.rule] {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(cmp.Compare(x.rule, y.rule), cmp.Compare(x.platform, y.platform))
	})
	results := []string{"pass", "info", "warning", "critical", "unknown", "not_applicable"}
	var b bytes.Buffer
	b.WriteString("# Made from the servers of linuxhw/DMI by make corpus-summary; read the diff. One count a subject (machine, socket,\n" +
		"# slot); * is all platforms, (none) no platform recognised. info, warning and critical are failures. A rule that is\n" +
		"# applicable nowhere has no row.\n")
	fmt.Fprintf(&b, "%-30s %-20s %6s %6s %8s %9s %8s %15s\n", "rule", "platform", "pass", "info", "warning", "critical", "unknown", "not_applicable")
	for _, k := range keys {
		fmt.Fprintf(&b, "%-30s %-20s", k.rule, k.platform)
		for i, width := range []int{6, 6, 8, 9, 8, 15} {
			fmt.Fprintf(&b, " %*d", width, counts[k][results[i]])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sameTable compares a table with the one in testdata/corpus.
func sameTable(t *testing.T, name, made string) {
	path := filepath.Join(corpustest.Root(t), "testdata", "corpus", name)
	if *updateCorpus {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o644))
	}
	reviewed, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(reviewed), made, "verdicts changed: make corpus-summary, and read the diff of testdata/corpus/%s", name)
}
