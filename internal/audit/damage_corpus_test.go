//go:build corpus

package audit_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// dump is dmidecode's text, cut into its structures.
type dump []string

func (d dump) text() string { return strings.Join(d, "\n\n") }

// of lists the positions of the structures of a type.
func (d dump) of(typ int) []int {
	var out []int
	for i, b := range d {
		if strings.Contains(b, fmt.Sprintf(", DMI type %d, ", typ)) {
			out = append(out, i)
		}
	}
	return out
}

// filled lists the positions of the memory devices with a module.
func (d dump) filled() []int {
	return slices.DeleteFunc(d.of(17), func(i int) bool { return !strings.Contains(d[i], "\tSize: ") || strings.Contains(d[i], "No Module") })
}

// pick is the middle one of some positions, -1 without any.
func pick(at []int) int {
	if len(at) == 0 {
		return -1
	}
	return at[len(at)/2]
}

var handleOf = regexp.MustCompile(`Handle 0x[0-9A-Fa-f]{4}`)

// field matches the line of a field.
func field(key string) *regexp.Regexp { return regexp.MustCompile(`(?m)^\t` + key + `: .*$`) }

// A damage changes a table as real faults do; it returns "" if it does not apply.
type damage struct {
	name string
	do   func(d dump) string
}

// doubled lists the structure of these again, with another handle.
func doubled(positions func(d dump) []int) func(d dump) string {
	return func(d dump) string {
		at := pick(positions(d))
		if at < 0 {
			return ""
		}
		return slices.Insert(slices.Clone(d), at+1, handleOf.ReplaceAllLiteralString(firstLine(d[at]), "Handle 0xEE00")+rest(d[at])).text()
	}
}

func firstLine(b string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(b, "\n"), "\n")
	return line
}
func rest(b string) string { _, r, _ := strings.Cut(strings.TrimLeft(b, "\n"), "\n"); return "\n" + r }

// erased leaves out one structure of these, or all.
func erased(positions func(d dump) []int, all bool) func(d dump) string {
	return func(d dump) string {
		gone := positions(d)
		if len(gone) == 0 {
			return ""
		}
		if !all {
			gone = []int{pick(gone)}
		}
		var out dump
		for i, b := range d {
			if !slices.Contains(gone, i) {
				out = append(out, b)
			}
		}
		return out.text()
	}
}

// rewritten changes a field of one structure of these, or of all.
func rewritten(positions func(d dump) []int, all bool, key, value string) func(d dump) string {
	return func(d dump) string {
		at := positions(d)
		if len(at) == 0 {
			return ""
		}
		if !all {
			at = []int{pick(at)}
		}
		out := slices.Clone(d)
		for _, i := range at {
			out[i] = field(key).ReplaceAllString(d[i], "\t"+key+": "+value)
		}
		return out.text()
	}
}

// marked inserts an end marker after one structure of these types.
func marked(positions func(d dump) []int) func(d dump) string {
	return func(d dump) string {
		at := pick(positions(d))
		if at < 0 || len(d.of(127)) == 0 {
			return ""
		}
		return slices.Insert(slices.Clone(d), at+1, "Handle 0xFEFF, DMI type 127, 4 bytes\nEnd Of Table").text()
	}
}

func typed(typ int) func(d dump) []int { return func(d dump) []int { return d.of(typ) } }

func empties(d dump) []int {
	filled := d.filled()
	return slices.DeleteFunc(d.of(17), func(i int) bool { return slices.Contains(filled, i) })
}

func lastHalf(d dump) []int { all := d.of(17); return all[len(all)/2:] }

func firstHalf(d dump) []int { all := d.of(17); return all[:len(all)/2] }

// spelled changes all sizes to other units of the same size or another form.
func spelled(from, to string) func(d dump) string {
	line := regexp.MustCompile(`(?m)^(\t(?:Size|Range Size|Maximum Capacity): \d+) ` + from + `$`)
	return func(d dump) string { return line.ReplaceAllString(d.text(), "$1 "+to) }
}

var gigabytes = regexp.MustCompile(`(?m)^\tSize: (\d+) GB$`)

// mixedUnits gives one module its size in MB.
func mixedUnits(d dump) string {
	at := pick(d.filled())
	if at < 0 {
		return ""
	}
	out := slices.Clone(d)
	out[at] = gigabytes.ReplaceAllStringFunc(d[at], func(line string) string {
		n, _ := strconv.Atoi(gigabytes.FindStringSubmatch(line)[1])
		return fmt.Sprintf("\tSize: %d MB", n<<10)
	})
	return out.text()
}

func cutAt(part int) func(d dump) string {
	return func(d dump) string { text := d.text(); return text[:len(text)*part/16] }
}

// swapped reverses the rows of the memory devices.
func swapped(order func(rows []int)) func(d dump) string {
	return func(d dump) string {
		rows := d.of(17)
		moved := slices.Clone(rows)
		order(moved)
		out := slices.Clone(d)
		for i, at := range rows {
			out[at] = d[moved[i]]
		}
		return out.text()
	}
}

// renumbered changes the devices that the arrays announce.
func renumbered(change func(n int) int) func(d dump) string {
	line := regexp.MustCompile(`(?m)^\tNumber Of Devices: (\d+)$`)
	return func(d dump) string {
		return line.ReplaceAllStringFunc(d.text(), func(l string) string {
			n, _ := strconv.Atoi(line.FindStringSubmatch(l)[1])
			return fmt.Sprintf("\tNumber Of Devices: %d", change(n))
		})
	}
}

// damages lists what can happen to a table or text.
var damages = []damage{
	{"a module listed twice", doubled(dump.filled)},
	{"a processor listed twice", doubled(typed(4))},
	{"an empty slot listed twice", doubled(empties)},
	{"an array listed twice", doubled(typed(16))},
	{"a module erased", erased(dump.filled, false)},
	{"an empty slot erased", erased(empties, false)},
	{"all empty slots erased", erased(empties, true)},
	{"the last half of the slots erased", erased(lastHalf, true)},
	{"the first half of the slots erased", erased(firstHalf, true)},
	{"all slots erased", erased(typed(17), true)},
	{"a processor erased", erased(typed(4), false)},
	{"all processors erased", erased(typed(4), true)},
	{"an array erased", erased(typed(16), false)},
	{"the system erased", erased(typed(1), true)},
	{"the board erased", erased(typed(2), true)},
	{"the caches erased", erased(typed(7), true)},
	{"end marker among the slots", marked(typed(17))},
	{"end marker after a processor", marked(typed(4))},
	{"end marker after an array", marked(typed(16))},
	{"end marker after the first slots", marked(firstHalf)},
	{"cut at 4/16", cutAt(4)}, {"cut at 7/16", cutAt(7)}, {"cut at 10/16", cutAt(10)}, {"cut at 13/16", cutAt(13)},
	{"rows reversed", swapped(slices.Reverse[[]int])},
	{"two rows swapped", swapped(func(rows []int) {
		if len(rows) > 1 {
			rows[0], rows[len(rows)-1] = rows[len(rows)-1], rows[0]
		}
	})},
	{"one size in MB", mixedUnits},
	{"units of dmidecode 3.7", func(d dump) string {
		return regexp.MustCompile(`(?m)^(\t.*: \d+ [MGT])B$`).ReplaceAllString(d.text(), "${1}iB")
	}},
	{"units that do not exist", spelled("[MG]B", "XB")},
	{"sizes without a unit", spelled("[MG]B", "")},
	{"one size unknown", rewritten(dump.filled, false, "Size", "Unknown")},
	{"all sizes unknown", rewritten(typed(17), true, "Size", "Unknown")},
	{"one size of zero", rewritten(dump.filled, false, "Size", "0 MB")},
	{"all slots without a module", rewritten(typed(17), true, "Size", "No Module Installed")},
	{"types unknown", rewritten(typed(17), true, "Type", "Unknown")},
	{"one type out of spec", rewritten(dump.filled, false, "Type", "<OUT OF SPEC>")},
	{"form factors unknown", rewritten(typed(17), true, "Form Factor", "Unknown")},
	{"labels erased", rewritten(typed(17), true, "Locator", "Not Specified")},
	{"banks erased", rewritten(typed(17), true, "Bank Locator", "Not Specified")},
	{"one label for all", rewritten(typed(17), true, "Locator", "DIMM")},
	{"one label erased", rewritten(dump.filled, false, "Locator", "Not Specified")},
	{"speeds unknown", rewritten(typed(17), true, "Speed", "Unknown")},
	{"speeds in an unknown unit", rewritten(typed(17), true, "Speed", "3 GT/s")},
	{"widths unknown", rewritten(typed(17), true, "Total Width", "Unknown")},
	{"ranks unknown", rewritten(typed(17), true, "Rank", "Unknown")},
	{"array of one device unknown", rewritten(dump.filled, false, "Array Handle", "0xEEEE")},
	{"error correction unknown", rewritten(typed(16), true, "Error Correction Type", "Unknown")},
	{"more devices announced", renumbered(func(n int) int { return 2 * n })},
	{"fewer devices announced", renumbered(func(n int) int { return n / 2 })},
	{"processors' IDs zero", rewritten(typed(4), true, "ID", "00 00 00 00 00 00 00 00")},
	{"processors' versions erased", rewritten(typed(4), true, "Version", "Not Specified")},
	{"one processor's state unknown", rewritten(typed(4), false, "Status", "<OUT OF SPEC>")},
	{"product erased", rewritten(typed(1), true, "Product Name", "Not Specified")},
	{"one module's fields cut", func(d dump) string {
		at := pick(d.filled())
		if at < 0 {
			return ""
		}
		out := slices.Clone(d)
		out[at] = d[at][:len(d[at])/2]
		return out.text()
	}},
	{"empty lines between all lines", func(d dump) string { return strings.ReplaceAll(d.text(), "\n", "\n\n") }},
	{"quoted", func(d dump) string { return "> " + strings.ReplaceAll(d.text(), "\n", "\n> ") }},
	{"no-break spaces", func(d dump) string { return strings.ReplaceAll(d.text(), " ", "\u00a0") }},
	{"no indentation", func(d dump) string { return strings.ReplaceAll(d.text(), "\t", "") }},
	{"CR LF", func(d dump) string { return strings.ReplaceAll(d.text(), "\n", "\r\n") }},
}

// damageVerdicts audits a text; nil if it is refused.
func damageVerdicts(t *testing.T, e *audit.Engine, text string) (out map[[2]string]verdict.Finding, guest bool) {
	t.Helper()
	table, err := smbios.Parse([]byte(text))
	if err != nil {
		return nil, false
	}
	sys := collect.Collect(collect.Input{SMBIOS: table})
	out = map[[2]string]verdict.Finding{}
	for _, f := range run(t, e, sys, population.Derive(sys, rules.FS), audit.Options{Bare: true}).Findings {
		out[[2]string{f.Rule, f.Subject.String()}] = f
	}
	return out, sys.Machine.Virtual.Or(false) || len(modules(sys)) == 0 || sys.Slots[0].State == inventory.SlotUnknown
}

// TestDamagesCorpus checks that no rule that failed before passes with a damaged table, and that no machine without
// failures gets a critical one. Every 22nd server, with EVERY=10 a hundred of them and with EVERY=all each one
// (minutes).
func TestDamagesCorpus(t *testing.T) {
	e := builtin(t)
	every, n, machines, sound := 22, 0, 0, 0
	if env := os.Getenv("EVERY"); env == "all" {
		every = 1
	} else if k, err := strconv.Atoi(env); err == nil && k > 0 {
		every = k
	}
	counts := map[string]int{}
	corpustest.Members(t, corpustest.Servers, func(name string, data []byte) {
		if n++; n%every != 0 {
			return
		}
		d := dump(strings.Split(string(data), "\n\n"))
		before, skip := damageVerdicts(t, e, d.text())
		if before == nil || skip {
			return
		}
		machines++
		clean := true
		for _, f := range before {
			clean = clean && (f.Result != verdict.Fail || f.Severity == verdict.Info)
		}
		if clean {
			sound++
		}
		for _, c := range damages {
			text := c.do(d)
			if text == "" || text == d.text() {
				continue
			}
			counts["audited"]++
			after, _ := damageVerdicts(t, e, text)
			for key, f := range after {
				switch {
				case key[0] == "firmware.smbios.wellformed" && strings.Contains(c.name, "announced"):
					// A table that announced more devices than it lists agrees with itself when it announces fewer.
				case f.Result == verdict.Pass && before[key].Result == verdict.Fail:
					counts["passes: "+c.name]++
					assert.Fail(t, "a failing rule passes", "%s: %s: %s", name, c.name, strings.Join(key[:], " of "))
				case clean && f.Result == verdict.Fail && f.Severity == verdict.Critical:
					counts["critical: "+c.name]++
					assert.Fail(t, "a clean machine gets a critical finding", "%s: %s: %s", name, c.name, strings.Join(key[:], " of "))
				}
			}
		}
	})
	corpustest.LogCounts(t, "damages", counts)
	t.Logf("%d kinds on %d machines, %d of them without a warning", len(damages), machines, sound)
	assert.Greater(t, machines, 800/every)
}
