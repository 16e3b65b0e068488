//go:build corpus

package audit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

var (
	// structureOf matches the head of a structure that an audit reads.
	structureOf = regexp.MustCompile(`Handle (0x[0-9A-Fa-f]{4}), DMI type (0|1|2|4|7|16|17|19|20), `)
	// fieldOf matches a field with its value.
	fieldOf = regexp.MustCompile(`(?m)^(\t[A-Z][A-Za-z0-9 ]*: ).+$`)
)

// wrongWords are words that some field may hold and that say something else of a module, an array or a processor.
var wrongWords = map[string][]string{
	"Type: ":        {"HBM2", "Flash", "Logical non-volatile device", "DDR2", "Other"},
	"Form Factor: ": {"Row Of Chips", "Chip", "Die", "Other"},
	"Use: ":         {"Cache Memory", "Video Memory", "Flash Memory"},
	"Size: ":        {"No Module Installed", "1048576 GB"},
	"Speed: ":       {"1 MT/s", "65534 MT/s"},
	"Status: ":      {"Unpopulated", "Populated, Disabled By User"},
	"Signature: ":   {"Type 0, Family 0, Model 0, Stepping 0"},
	"Data Width: ":  {"32 bits"},
}

// damagedText is dmidecode's text of a table with one fault: a structure erased, doubled or cut, a field unset or wrong, the rest
// of the text missing, or lines laid out anew. It returns "" if there is nothing to damage.
func damagedText(text string, rnd *rand.Rand) (out, what string) {
	parts := strings.Split(text, "\n\n")
	var read []int
	for i, part := range parts {
		if structureOf.MatchString(part) {
			read = append(read, i)
		}
	}
	if len(read) == 0 {
		return "", ""
	}
	at := read[rnd.IntN(len(read))]
	part, kind := parts[at], structureOf.FindString(parts[at])
	switch rnd.IntN(8) {
	case 0:
		return strings.Join(slices.Delete(parts, at, at+1), "\n\n"), "erased " + kind
	case 1:
		head := structureOf.FindStringSubmatch(part)[1]
		return strings.Join(slices.Insert(parts, at+1, strings.Replace(part, head, "0xEE00", 1)), "\n\n"), "listed twice " + kind
	case 2:
		parts[at] = part[:len(part)/2]
		return strings.Join(parts, "\n\n"), "cut " + kind
	case 3:
		return text[:len(text)/8+rnd.IntN(len(text)-len(text)/8)], "text cut"
	case 4:
		line := []string{"\t", " ", "\n"}[rnd.IntN(3)]
		return strings.ReplaceAll(text, line, map[string]string{"\t": "", " ": "\u00a0", "\n": "\r\n"}[line]), fmt.Sprintf("another layout, %q", line)
	default:
		fields := fieldOf.FindAllStringSubmatchIndex(part, -1)
		if len(fields) == 0 {
			return "", ""
		}
		f := fields[rnd.IntN(len(fields))]
		words := []string{"Unknown", "Not Specified", "<OUT OF SPEC>"}
		if wrong := wrongWords[part[f[2]+1:f[3]]]; wrong != nil && rnd.IntN(2) == 0 {
			words = wrong
		}
		word := words[rnd.IntN(len(words))]
		parts[at] = part[:f[3]] + word + part[f[1]:]
		return strings.Join(parts, "\n\n"), kind + part[f[2]+1:f[3]] + word
	}
}

// damaged is what an audit makes of a text.
type damaged struct {
	findings map[[2]string]verdict.Finding
	status   report.Status
}

// partNumbers reads the patterns of part numbers once.
var partNumbers = sync.OnceValues(func() (*partnumber.Table, error) { return partnumber.Load(rules.FS) })

// damageVerdicts audits a text; nil findings if it is refused.
func damageVerdicts(t *testing.T, e *audit.Engine, text string) (out damaged, skip bool) {
	t.Helper()
	table, err := smbios.Parse([]byte(text))
	if err != nil {
		return damaged{status: report.StatusUnknown}, true
	}
	sys := collect.Collect(collect.Input{SMBIOS: table, PartNumbers: partNumbers})
	topo := population.Derive(sys, rules.FS)
	found := run(t, e, sys, topo, audit.Options{Bare: true})
	out.findings = map[[2]string]verdict.Finding{}
	for _, f := range found.Findings {
		out.findings[[2]string{f.Rule, f.Subject.String()}] = f
	}
	doc := report.Build(sys, topo, found, report.Options{})
	out.status = doc.Verdict.Status
	return out, sys.Machine.Virtual.Or(false) || len(modules(sys)) == 0 || sys.Slots[0].State == inventory.SlotUnknown
}

// TestDamagesCorpus damages real tables: no failing machine becomes ok, unless all that failed was about addresses and none
// is left, and no critical failure is new. It takes every 22nd server.
func TestDamagesCorpus(t *testing.T) {
	e, n, tried := builtin(t), 0, 0
	damage := func(name string, data []byte) {
		if n++; n%22 != 0 {
			return
		}
		before, skip := damageVerdicts(t, e, string(data))
		if skip {
			return
		}
		failing := before.status == report.StatusWarning || before.status == report.StatusCritical
		rnd := rand.New(rand.NewPCG(uint64(n), 1))
		for range 24 {
			text, what := damagedText(string(data), rnd)
			if text == "" {
				continue
			}
			tried++
			after, _ := damageVerdicts(t, e, text)
			addresses := failing && !strings.Contains(text, "DMI type 19, ")
			for key, f := range before.findings {
				addresses = addresses && (f.Result != verdict.Fail || f.Severity == verdict.Info || key[0] == "memory.capacity.visible")
			}
			assert.False(t, failing && after.status == report.StatusOK && !addresses, "a failing machine becomes ok: %s: %s", name, what)
			for key, f := range after.findings {
				was := before.findings[key]
				assert.False(t, f.Result == verdict.Fail && f.Severity == verdict.Critical && (was.Result != verdict.Fail || was.Severity != verdict.Critical),
					"a critical failure is new: %s: %s: %s", name, what, key)
			}
		}
	}
	for _, name := range corpustest.Glob(t, "dmidecode-text/*.txt") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		damage(filepath.Base(name), data)
	}
	corpustest.Members(t, corpustest.Servers, damage)
	assert.Greater(t, tried, 500)
}
