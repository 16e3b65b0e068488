//go:build corpus

package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
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
