//go:build corpus

package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// field matches the line of a field; its key may be a pattern.
func field(key string) *regexp.Regexp { return regexp.MustCompile(`(?m)^(\t` + key + `: ).*$`) }

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
			out[i] = field(key).ReplaceAllString(d[i], "${1}"+value)
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

// relabelled gives one module's label to another, or exchanges them.
func relabelled(exchange bool) func(d dump) string {
	return func(d dump) string {
		at := d.filled()
		if len(at) < 2 {
			return ""
		}
		first, other := at[0], at[len(at)/2]
		line, out := field("Locator"), slices.Clone(d)
		out[other] = line.ReplaceAllLiteralString(d[other], line.FindString(d[first]))
		if exchange {
			out[first] = line.ReplaceAllLiteralString(d[first], line.FindString(d[other]))
		}
		return out.text()
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

// devices matches what an array announces.
var devices = regexp.MustCompile(`(?m)^\tNumber Of Devices: (\d+)$`)

// renumbered changes the devices that the arrays announce.
func renumbered(change func(n int) int) func(d dump) string {
	return func(d dump) string {
		return devices.ReplaceAllStringFunc(d.text(), func(l string) string {
			n, _ := strconv.Atoi(devices.FindStringSubmatch(l)[1])
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
	{"one module soldered", rewritten(dump.filled, false, "Form Factor", "Row Of Chips")},
	{"one processor's version erased", rewritten(typed(4), false, "Version", "Not Specified")},
	{"one processor disabled", rewritten(typed(4), false, "Status", "Populated, Disabled By BIOS")},
	{"one processor of another kind", rewritten(typed(4), false, "Type", "DSP Processor")},
	{"the caches' handles erased", rewritten(typed(4), true, "L3 Cache Handle", "Not Provided")},
	{"two labels exchanged", relabelled(true)},
	{"one label copied", relabelled(false)},
	{"one array a cache", rewritten(typed(16), false, "Use", "Cache Memory")},
	{"one array elsewhere", rewritten(typed(16), false, "Location", "Other")},
	{"one array small", rewritten(typed(16), false, "Maximum Capacity", "1 GB")},
	{"one module not installed", rewritten(dump.filled, false, "Size", "No Module Installed")},
	{"one module of DDR5", rewritten(dump.filled, false, "Type", "DDR5")},
	{"one module of DDR2", rewritten(dump.filled, false, "Type", "DDR2")},
	{"one type unknown", rewritten(dump.filled, false, "Type", "Unknown")},
	{"one module non-volatile", rewritten(dump.filled, false, "Type Detail", "Synchronous Non-Volatile Registered (Buffered)")},
	{"one module rated at 800", rewritten(dump.filled, false, "Speed", "800 MT/s")},
	{"one module running at 400", rewritten(dump.filled, false, "Configured (?:Memory|Clock) Speed", "400 MT/s")},
	{"one module of 32 bits", rewritten(dump.filled, false, "Data Width", "32 bits")},
	{"one module without check bits", rewritten(dump.filled, false, "Total Width", "64 bits")},
	{"one rank unknown", rewritten(dump.filled, false, "Rank", "Unknown")},
	{"one rank too many", rewritten(dump.filled, false, "Rank", "8")},
	{"one part number erased", rewritten(dump.filled, false, "Part Number", "Not Specified")},
	{"one bank erased", rewritten(dump.filled, false, "Bank Locator", "Not Specified")},
	{"one size halved", rewritten(dump.filled, false, "Size", "512 MB")},
	{"an error's handle", rewritten(dump.filled, false, "Error Information Handle", "0xEEEE")},
	{"the firmware's date erased", rewritten(typed(0), true, "Release Date", "00/00/0000")},
	{"a handle given twice", func(d dump) string {
		at := d.filled()
		if len(at) < 2 {
			return ""
		}
		out := slices.Clone(d)
		out[at[1]] = handleOf.ReplaceAllLiteralString(d[at[1]], handleOf.FindString(d[at[0]]))
		return out.text()
	}},
	{"mapped addresses erased", erased(typed(19), true)},
	{"modules' addresses erased", erased(typed(20), true)},
	{"mapped range reduced", rewritten(typed(19), false, "Range Size", "1 GB")},
	{"empty lines between all lines", func(d dump) string { return strings.ReplaceAll(d.text(), "\n", "\n\n") }},
	{"quoted", func(d dump) string { return "> " + strings.ReplaceAll(d.text(), "\n", "\n> ") }},
	{"no-break spaces", func(d dump) string { return strings.ReplaceAll(d.text(), " ", "\u00a0") }},
	{"no indentation", func(d dump) string { return strings.ReplaceAll(d.text(), "\t", "") }},
	{"CR LF", func(d dump) string { return strings.ReplaceAll(d.text(), "\n", "\r\n") }},
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

// failing reports whether a machine has a failure above info.
func (d *damaged) failing() bool {
	return d.status == report.StatusWarning || d.status == report.StatusCritical
}

// consistent reports whether a damaged table is that of another machine without a contradiction, so that only a second
// source could tell: all that failed was memory without an address, and no address is left; or the arrays announce as many
// devices as are left.
func consistent(name string, left dump, before *damaged) bool {
	switch name {
	case "mapped addresses erased":
		for key, f := range before.findings {
			if f.Result == verdict.Fail && f.Severity != verdict.Info && key[0] != "memory.capacity.visible" {
				return false
			}
		}
		return len(left.of(20)) == 0
	case "all empty slots erased":
		announced := 0
		for _, i := range left.of(16) {
			if n := devices.FindStringSubmatch(left[i]); n != nil && strings.Contains(left[i], "\tUse: System Memory") {
				k, _ := strconv.Atoi(n[1])
				announced += k
			}
		}
		return announced == len(left.of(17))
	default:
		return false
	}
}

// kind counts one damage's results.
type kind struct{ machines, green, critical, unknown, passing int }

// hold compares the results of a whole table and a damaged one: no failing machine becomes ok, and no critical failure is
// new. It counts failing rules that pass, which may be those of the field that was damaged.
func (k *kind) hold(t *testing.T, machine string, c *damage, text string, before, after *damaged) {
	k.machines++
	if before.failing() && after.status == report.StatusOK && !consistent(c.name, strings.Split(text, "\n\n"), before) {
		k.green++
		t.Errorf("a failing machine becomes ok: %s: %s", machine, c.name)
	}
	if before.status == report.StatusOK && after.status == report.StatusUnknown {
		k.unknown++
	}
	critical := ""
	for key, f := range after.findings {
		switch was := before.findings[key]; {
		case f.Result == verdict.Pass && was.Result == verdict.Fail:
			k.passing++
		case f.Result == verdict.Fail && f.Severity == verdict.Critical && (was.Result != verdict.Fail || was.Severity != verdict.Critical):
			critical = strings.Join(key[:], " of ")
		}
	}
	if critical != "" {
		k.critical++
		t.Errorf("a critical failure is new: %s: %s: %s", machine, c.name, critical)
	}
}

// TestDamagesCorpus damages tables by one field, row or cut. Every 22nd server, with EVERY=10 a hundred of them and
// with EVERY=all each one (an hour); KIND=PATTERN takes some of the damages, MACHINE=PATTERN some of the machines.
func TestDamagesCorpus(t *testing.T) {
	e := builtin(t)
	every, n, machines, failing := 22, 0, 0, 0
	if env := os.Getenv("EVERY"); env == "all" {
		every = 1
	} else if k, err := strconv.Atoi(env); err == nil && k > 0 {
		every = k
	}
	wanted, named := regexp.MustCompile(os.Getenv("KIND")), regexp.MustCompile(os.Getenv("MACHINE"))
	counts := make([]kind, len(damages))
	damage := func(name string, data []byte) {
		if n++; n%every != 0 || !named.MatchString(name) {
			return
		}
		d := dump(strings.Split(string(data), "\n\n"))
		before, skip := damageVerdicts(t, e, d.text())
		if skip {
			return
		}
		machines++
		if before.failing() {
			failing++
		}
		for i, c := range damages {
			text := c.do(d)
			if text == "" || text == d.text() || !wanted.MatchString(c.name) {
				continue
			}
			after, _ := damageVerdicts(t, e, text)
			counts[i].hold(t, name, &damages[i], text, &before, &after)
		}
	}
	for _, name := range corpustest.Glob(t, "dmidecode-text/*.txt") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		damage(filepath.Base(name), data)
	}
	corpustest.Members(t, corpustest.Servers, damage)
	t.Logf("%-36s %8s %12s %12s %12s %13s", "damage", "machines", "failing->ok", "new critical", "ok->unknown", "rules passing")
	for i, k := range counts {
		t.Logf("%-36s %8d %12d %12d %12d %13d", damages[i].name, k.machines, k.green, k.critical, k.unknown, k.passing)
	}
	t.Logf("%d kinds on %d machines, %d of them failing", len(damages), machines, failing)
	assert.Greater(t, machines, 800/every)
}
