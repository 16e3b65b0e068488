//go:build corpus

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// deviations change one thing of a machine's text, and name the traits in which the machine then differs from the
// others; none if the text does not have that thing.
var deviations = map[string]func(text []byte) ([]byte, []string){
	"bios":   otherBIOS,
	"speed":  slowerModule,
	"module": lostModule,
}

// inFirst changes the first structure of a kind that a pattern matches.
func inFirst(text []byte, kind string, match *regexp.Regexp, to string, populated bool) ([]byte, bool) {
	all := blocks(text)
	for _, i := range ofKind(all, kind) {
		if populated && !moduleSize.MatchString(all[i]) {
			continue
		}
		if at := match.FindStringSubmatchIndex(all[i]); at != nil {
			all[i] = all[i][:at[0]] + string(match.ExpandString(nil, to, all[i], at)) + all[i][at[1]:]
			return joined(all), true
		}
	}
	return text, false
}

var (
	biosVersion     = regexp.MustCompile(`(?m)^\tVersion: (\S.*)$`)
	moduleText      = regexp.MustCompile(`(?m)^\t(Manufacturer|Serial Number|Part Number|Speed): .*$`)
	moduleSize      = regexp.MustCompile(`(?m)^\tSize: \d+ [MG]B$`)
	configuredSpeed = regexp.MustCompile(`(?m)^\t(Configured (?:Memory|Clock) Speed): 1600 (\S+)$`)
)

func otherBIOS(text []byte) ([]byte, []string) {
	text, ok := inFirst(text, "BIOS Information", biosVersion, "\tVersion: ${1}-other", false)
	return text, map[bool][]string{true: {"bios version"}}[ok]
}

func slowerModule(text []byte) ([]byte, []string) {
	text, ok := inFirst(text, memoryDevice, configuredSpeed, "\t$1: 1333 $2", true)
	return text, map[bool][]string{true: {"memory speed"}}[ok]
}

func lostModule(text []byte) ([]byte, []string) {
	traits := []string{"memory", "population"}
	if len(moduleSize.FindAll(text, 2)) == 1 {
		traits = []string{"population"} // without any module the size is not known
	}
	all := blocks(text)
	for _, i := range ofKind(all, memoryDevice) {
		if moduleSize.MatchString(all[i]) {
			all[i] = moduleSize.ReplaceAllString(all[i], "\tSize: No Module Installed")
			all[i] = moduleText.ReplaceAllString(all[i], "\t${1}: Not Specified") // what remains would say that firmware mapped it out
			return joined(all), traits
		}
	}
	return text, nil
}

// TestFleetOfRealMachines checks in fleets of five machines of each product, equal except for serial numbers and one
// property of one machine, that each such machine is found by this property, and no other is.
func TestFleetOfRealMachines(t *testing.T) {
	dir, products := t.TempDir(), map[string]bool{}
	type fault struct {
		kind   string
		traits []string
	}
	want := map[string]fault{}
	with := newTextAuditor(t)
	kinds := []string{"bios", "speed", "module"}
	seen, planted := 0, 0
	eachText(t, corpustest.Servers, func(name string, text []byte) {
		if seen++; seen%sameEvery() != 0 {
			return
		}
		doc, _ := with.document(t, text)
		if doc == nil || doc.Machine.Product == "" || products[string(doc.Machine.Product)] {
			return
		}
		products[string(doc.Machine.Product)] = true
		kind := kinds[len(products)%len(kinds)]
		changed, traits := deviations["speed"](text)
		if traits != nil && planted*len(kinds) < len(products) {
			kind = "speed" // which few of them can have
			planted++
		} else {
			changed, traits = deviations[kind](text)
		}
		for i := range 5 {
			machine := fmt.Sprintf("%03d-%s-%d", seen, kind, i)
			one := serialsChanged(text)
			if i == 3 && traits != nil {
				one = changed
				want[machine] = fault{kind, traits}
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, machine+".txt"), one, 0o600))
		}
	})
	require.Greater(t, len(want), 30)
	_, d := fleetOf(t, nil, dir, "--fail-on", "never")
	assert.Empty(t, d.Unreadable)
	assert.Len(t, d.Machines, 5*len(products))
	found := map[string][]string{}
	for _, g := range d.Groups {
		for _, x := range g.Differs {
			found[x.Machine] = append(found[x.Machine], x.Trait)
			require.NotEmpty(t, x.MajorityHas, x)
			assert.NotEqual(t, x.Has, x.MajorityHas)
		}
	}
	counts := map[string]int{}
	for machine, f := range want {
		counts[f.kind]++
		for _, trait := range f.traits {
			assert.Contains(t, found[machine], trait, machine)
		}
		if f.kind != "module" { // with a module its speed is gone, and what the map made of it
			assert.Equal(t, f.traits, found[machine], machine)
		}
	}
	for machine, traits := range found {
		assert.Contains(t, want, machine, "invented: %v", traits)
	}
	for _, kind := range kinds {
		assert.GreaterOrEqual(t, counts[kind], 5, kind)
	}
	t.Logf("%d products of five machines each, planted: %v", len(products), counts)
}

// worded lists the texts of a report.
func worded(r *report.Report) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		out = append(out, strings.Join([]string{f.Rule, f.Subject.String(), outcome(f), f.Certainty.String(), string(f.Found), string(f.Expected), string(f.Remedy)}, " | "))
	}
	return out
}

// judgedOtherwise are the findings that differ between a dump and its text; the list may only shrink.
var judgedOtherwise = map[string]string{
	"beelink-eq12 firmware.smbios.wellformed": "the table has no end marker; dmidecode prints what it holds and says nothing, as of a text of some types only",
}

// TestDumpAndTextGiveOneVerdict checks that a machine's dump and dmidecode's text of it have the same verdict, for
// the dumps of the corpus. internal/collect compares the inventories.
func TestDumpAndTextGiveOneVerdict(t *testing.T) {
	with, listed := newTextAuditor(t), map[string]bool{}
	compare := func(name string, dump, text []byte) {
		one, _ := with.document(t, dump)
		two, _ := with.document(t, text)
		require.Equal(t, one == nil, two == nil, name)
		if one == nil {
			return
		}
		for _, line := range append(lacking(worded(one), worded(two)), lacking(worded(two), worded(one))...) {
			rule, _, _ := strings.Cut(line, " ")
			key := name + " " + rule
			listed[key] = true
			assert.Contains(t, judgedOtherwise, key, line)
		}
	}
	machines := 0
	for _, name := range corpustest.Glob(t, "smbios-bin/*.dmidecode.txt") {
		stem := strings.TrimSuffix(name, ".dmidecode.txt")
		if filepath.Base(stem) == "hyperv" {
			continue // dmidecode stops at a data block behind the OEM strings, the table goes on
		}
		dump, err := os.ReadFile(stem + ".bin")
		if err != nil {
			dump, err = os.ReadFile(stem + ".dmi")
		}
		require.NoError(t, err)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		compare(filepath.Base(stem), dump, text)
		machines++
	}
	require.Greater(t, machines, 30)
	for key := range judgedOtherwise {
		assert.Contains(t, listed, key, "has the same result now")
	}
}
