//go:build corpus

package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// typedLines take name and value out of the lines of a remedy that an operator
// types.
var typedLines = []*regexp.Regexp{
	regexp.MustCompile(`racadm: racadm set BIOS\.[A-Za-z0-9]+\.(\S+) (\S+); `),
	regexp.MustCompile(`ilorest: ilorest set '?([^'= ]+)=([^']+)'? --select Bios\. --commit; `),
	regexp.MustCompile(`"Attributes":\{"([^"]+)":"([^"]*)"\}`),
	regexp.MustCompile(`onecli: onecli config set (\S+) '?([^']*?)'? --override `),
	regexp.MustCompile(`asu: asu set (\S+) '?([^';]*)'?; `),
	regexp.MustCompile(`edit bios\.cfg: set "([^"]+)" to ([^;]+); `),
	regexp.MustCompile(`BIOS attribute (.+) = (.+)$`),
	regexp.MustCompile(`first set (\S.*) to (.+): it is `),
	regexp.MustCompile(`^(\S.*) must be (.+) for the setting to be changed$`),
}

// TestRemediesOfEveryExport reads every remedy and every one-step preset of the corpus's exports for every profile of
// their machines: each typed name is one of this export (or of a recorded export, if this one is an excerpt), and
// each value one that it offers, the other value of the switch that it shows, or one on record for the attribute.
func TestRemediesOfEveryExport(t *testing.T) {
	b := newPatchBench(t)
	for i := range patchables {
		p := &patchables[i]
		t.Run(filepath.Base(p.file), func(t *testing.T) { b.remedies(t, p) })
	}
	corpustest.LogCounts(t, "remedies", b.counts)
	assert.Greater(t, b.counts["typed lines"], 1000)
}

// remedies runs the profiles of one export.
func (b *patchBench) remedies(t *testing.T, p *patchable) {
	now := b.stand(t, p, readFile(t, corpustest.Dir(t, p.file)))
	for _, fit := range b.engine.Fitting(now.sys, now.topo) {
		options := audit.Options{Profile: fit.ID, Asked: true}
		result, err := b.engine.Run(now.sys, now.topo, options)
		require.NoError(t, err)
		for i := range result.Findings {
			f := &result.Findings[i]
			if !strings.HasPrefix(f.Rule, "setting.") || f.Result != verdict.Fail {
				continue
			}
			for line := range strings.Lines(string(f.Remedy)) {
				b.typed(t, now, fit.ID+" "+f.Rule, strings.TrimSpace(line))
			}
		}
		if step := b.engine.Preset(now.sys, now.topo, options); step != nil {
			b.counts["one-step presets"]++
			if step.Tool != "" {
				b.typed(t, now, fit.ID+" preset", step.Tool+": "+step.Command)
			}
		}
	}
}

// typed checks one line.
func (b *patchBench) typed(t *testing.T, now *stand, where, line string) {
	t.Helper()
	b.counts["lines"]++
	export := now.joined.Export
	for _, form := range typedLines {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		b.counts["typed lines"]++
		at := slices.IndexFunc(export.Attributes, func(a bios.Attribute) bool { return sameName(export, a.Name, m[1]) })
		a := &bios.Attribute{Name: m[1]}
		switch {
		case at >= 0:
			a = &export.Attributes[at]
		case export.Complete, b.records[settings.PlainName(m[1])] == "":
			assert.Fail(t, "the export has no such name", "%s: %s: %s", where, line, m[1])
			return
		}
		values := append(slices.Clone(a.Options), settings.OtherWord(a.Value), a.Value)
		for _, v := range strings.Split(b.records[settings.PlainName(a.Name)]+"|"+b.records[settings.PlainName(m[1])], "|") {
			word, _, _ := strings.Cut(v, "=")
			values = append(values, word)
		}
		assert.Contains(t, values, m[2], "%s: %s", where, line)
		return
	}
}

// sameName reports whether a typed name is the export's: OneCLI keeps the signs
// that Redfish turns into an underscore, and SUM prints texts for names.
func sameName(e *bios.Export, own, typed string) bool {
	return own == typed || (e.Vendor == bios.Lenovo || e.Vendor == bios.Supermicro) && settings.PlainName(own) == settings.PlainName(typed)
}
