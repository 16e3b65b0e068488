//go:build corpus

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// sameEvery is the number of texts of the corpus per changed text; with EVERY=all each is changed, in a quarter of an
// hour.
func sameEvery() int {
	if os.Getenv("EVERY") == "all" {
		return 1
	}
	return 12
}

// blocks are the structures of a dmidecode text.
func blocks(text []byte) []string { return strings.Split(string(text), "\n\n") }

func joined(blocks []string) []byte { return []byte(strings.Join(blocks, "\n\n")) }

// ofKind lists the positions of the structures of a name.
func ofKind(blocks []string, name string) []int {
	var out []int
	for i, b := range blocks {
		if strings.Contains(b, "\n"+name+"\n") {
			out = append(out, i)
		}
	}
	return out
}

const memoryDevice = "Memory Device"

// rowsReversed is the text with its memory devices in the opposite order.
func rowsReversed(text []byte) []byte {
	all := blocks(text)
	rows := ofKind(all, memoryDevice)
	out := slices.Clone(all)
	for i, at := range rows {
		out[at] = all[rows[len(rows)-1-i]]
	}
	return joined(out)
}

var serialLine = regexp.MustCompile(`(?m)^\t(Serial Number|Asset Tag): .*$`)

// serialsChanged gives every part another serial number and asset tag.
func serialsChanged(text []byte) []byte {
	n := 0
	return serialLine.ReplaceAllFunc(text, func(line []byte) []byte {
		n++
		key, _, _ := strings.Cut(string(line), ":")
		return fmt.Appendf(nil, "%s: OTHER%04d", key, n)
	})
}

// rotated moves one line of the memory devices on to the next: all of them, or
// the populated ones.
func rotated(text []byte, key string, populated bool) []byte {
	all := blocks(text)
	line := regexp.MustCompile(`(?m)^\t` + key + `: .*$`)
	var rows []int
	for _, at := range ofKind(all, memoryDevice) {
		if line.MatchString(all[at]) && (!populated || !strings.Contains(all[at], "\tSize: No Module Installed")) {
			rows = append(rows, at)
		}
	}
	out := slices.Clone(all)
	for i, at := range rows {
		out[at] = line.ReplaceAllLiteralString(all[at], line.FindString(all[rows[(i+1)%len(rows)]]))
	}
	return joined(out)
}

var typeNumber = regexp.MustCompile(`DMI type \d+`)

// withoutRanges makes the mapped address ranges and HPE's records of modules inactive, because they refer to modules
// that have changed places. Removing them would leave fewer structures than the table announces, and a truncated
// table is not checked.
func withoutRanges(text []byte) []byte {
	all := blocks(text)
	for i, b := range all {
		if strings.Contains(b, "\nMemory Device Mapped Address\n") || strings.Contains(b, "\nMemory Array Mapped Address\n") ||
			strings.Contains(b, ", DMI type 202, ") {
			handle, _, _ := strings.Cut(b, "\n")
			all[i] = typeNumber.ReplaceAllString(handle, "DMI type 126") + "\nInactive"
		}
	}
	return joined(all)
}

var identityLine = regexp.MustCompile(`^\t(Array Handle|Error Information Handle|Locator|Bank Locator|Set): `)

// socketsSwapped exchanges the modules of two processors, slot by slot; nil if not all slots of both are known and
// equal.
func socketsSwapped(text []byte, r *report.Report) []byte {
	type place struct{ socket, channel, slot int }
	at := map[place]string{}
	for _, s := range r.Inventory.Slots {
		if s.Socket == nil || s.Channel == nil || s.Slot == nil || *s.Socket > 1 {
			return nil
		}
		at[place{*s.Socket, *s.Channel, *s.Slot}] = s.Handle
	}
	partner := map[string]string{}
	for p, handle := range at {
		other, ok := at[place{1 - p.socket, p.channel, p.slot}]
		if !ok {
			return nil
		}
		partner[handle] = other
	}
	all := blocks(text)
	byHandle := devices(all)
	out := slices.Clone(all)
	for handle, other := range partner {
		own, okOwn := byHandle[strings.ToLower(handle)]
		from, okFrom := byHandle[strings.ToLower(other)]
		if !okOwn || !okFrom {
			return nil
		}
		out[own] = holding(all[own], module(all[from]))
	}
	return joined(out)
}

// devices are the positions of the memory devices by their handle, in small letters.
func devices(blocks []string) map[string]int {
	out := map[string]int{}
	for _, i := range ofKind(blocks, memoryDevice) {
		handle, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(blocks[i]), "Handle "), ",")
		out[strings.ToLower(handle)] = i
	}
	return out
}

// module returns a memory device's module fields.
func module(device string) []string {
	return slices.DeleteFunc(strings.Split(device, "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "\t") || identityLine.MatchString(line)
	})
}

// holding returns the memory device with another module, or none.
func holding(device string, module []string) string {
	lines := strings.Split(device, "\n")
	slot := slices.DeleteFunc(slices.Clone(lines[2:]), func(line string) bool {
		return strings.HasPrefix(line, "\t") && !identityLine.MatchString(line)
	})
	return strings.Join(slices.Concat(lines[:2], slot, module), "\n")
}

// audited returns the report on a text, nil if it cannot be read.
func (a *textAuditor) audited(t *testing.T, text []byte) *report.Report {
	t.Helper()
	doc, failed := a.document(t, text)
	if failed != nil {
		t.Log(failed)
	}
	return doc
}

// said lists the findings of a report, one per line, in order; without subjects if processors were exchanged.
func said(r *report.Report, subjects bool) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		line := f.Rule + " " + outcome(f)
		if subjects {
			line += " " + f.Subject.String()
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// lacking lists what the first has and the second has not.
func lacking(a, b []string) []string {
	left := map[string]int{}
	for _, line := range b {
		left[line]++
	}
	var out []string
	for _, line := range a {
		if left[line]--; left[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}

// severe are the failures at warning or above.
func severe(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return !strings.Contains(l, " warning") && !strings.Contains(l, " critical")
	})
}

// bankAlone are texts whose banks are the only source of the channel, so that nothing contradicts a wrong one:
// firmware of a Phytium board with a module listed twice.
var bankAlone = []string{"phytium-ft-2000-4-813e.txt"}

// mirrored are texts of boards whose second processor is populated in another order of channels than the first, by
// the vendor's table, so that modules that change places change their order (ThinkSystem ST650 V2: 33 - n).
var mirrored = []string{"lenovo-thinksystem-st650-v2-038a.txt"}

// TestSameMachineSameVerdict checks that what does not change a machine does not change its verdict, and that wrong
// labels cause a doubt, not a new failure at warning.
func TestSameMachineSameVerdict(t *testing.T) {
	counts, with := map[string]int{}, newTextAuditor(t)
	n, every := 0, sameEvery()
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpusFiles} {
		eachText(t, source, func(name string, text []byte) {
			if n++; n%every != 0 {
				return
			}
			base := with.audited(t, text)
			if base == nil || ofGuest(base) {
				return
			}
			counts["machines"]++
			want := said(base, true)
			for what, changed := range map[string][]byte{"rows in the opposite order": rowsReversed(text), "other serial numbers": serialsChanged(text)} {
				if got := with.audited(t, changed); got != nil {
					if diff := lacking(said(got, true), want); len(diff) > 0 {
						counts[what]++
						t.Errorf("%s: %s: %v, before: %v", name, what, diff, lacking(want, said(got, true)))
					}
				}
			}
			plain := withoutRanges(text)
			if before := with.audited(t, plain); before != nil && !slices.Contains(mirrored, filepath.Base(name)) {
				if swapped := socketsSwapped(plain, before); swapped != nil {
					counts["swapped"]++
					if before.Summary.Unknown < len(before.Findings)/2 {
						counts["swapped, most of it judged"]++
					}
					if diff := lacking(said(with.audited(t, swapped), false), said(before, false)); len(diff) > 0 {
						counts["processors' modules exchanged"]++
						t.Errorf("%s: processors' modules exchanged: %v", name, diff)
					}
				}
			}
			wrong := map[string][]byte{}
			if !slices.Contains(bankAlone, filepath.Base(name)) {
				wrong["banks moved on"] = rotated(text, "Bank Locator", false)
			}
			if oneSize(text) { // else it is another population
				wrong["labels of modules moved on"] = rotated(text, "Locator", true)
			}
			for what, changed := range wrong {
				if got := with.audited(t, changed); got != nil {
					if diff := lacking(severe(said(got, true)), severe(want)); len(diff) > 0 && !counted(diff, want, base) {
						counts[what]++
						t.Errorf("%s: %s: %v", name, what, diff)
					}
				}
			}
		})
	}
	corpustest.LogCounts(t, "changed", counts)
	assert.Greater(t, counts["machines"], 100)
	assert.Greater(t, counts["swapped, most of it judged"], 20)
	assert.Zero(t, counts["banks moved on"])
	assert.Zero(t, counts["labels of modules moved on"])
}

// counted reports whether the only new failure is that there are too few modules for the channels, wherever they are:
// either the channels were found empty one by one before, the same fault, which cannot be located any more; or only
// the labels showed that the board has no slot for some channel (Intel S5500BC).
func counted(diff, before []string, base *report.Report) bool {
	if slices.ContainsFunc(diff, func(l string) bool { return !strings.HasPrefix(l, "memory.count.channels ") }) {
		return false
	}
	return slices.ContainsFunc(severe(before), func(l string) bool { return strings.HasPrefix(l, "memory.channel.populated ") }) || lacksSlots(base)
}

// lacksSlots reports whether a processor has a channel that no slot leads to.
func lacksSlots(r *report.Report) bool {
	type channel struct{ socket, channel int }
	seen, of := map[channel]bool{}, map[int]int{}
	for _, s := range r.Inventory.Slots {
		if s.Socket == nil || s.Channel == nil {
			return false
		}
		if at := (channel{*s.Socket, *s.Channel}); !seen[at] {
			seen[at] = true
			of[*s.Socket]++
		}
	}
	return slices.ContainsFunc(r.Inventory.Population.Sockets, func(p report.PopulationSocket) bool {
		return p.Socket != nil && p.ChannelsTotal != nil && of[*p.Socket] < *p.ChannelsTotal
	})
}

// oneSize reports whether all devices with a size have one and the same.
func oneSize(text []byte) bool {
	sizes := map[string]bool{}
	for _, size := range regexp.MustCompile(`(?m)^\tSize: \d+ .*$`).FindAllString(string(text), -1) {
		sizes[size] = true
	}
	return len(sizes) == 1
}

// TestOneBoardOnePlace checks that on two machines of one board whose memory devices have the same handles and
// labels, each handle is the same slot, whatever the BIOS.
func TestOneBoardOnePlace(t *testing.T) {
	type seen struct{ name, place string }
	places := map[string]seen{}
	boards, compared, differ := map[string]int{}, 0, 0
	for _, source := range []string{corpustest.Servers} {
		eachText(t, source, func(name string, text []byte) {
			all := blocks(text)
			var handles []string
			for _, i := range ofKind(all, memoryDevice) {
				handle, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(all[i]), "Handle "), ",")
				handles = append(handles, handle)
			}
			if len(handles) < 4 {
				return
			}
			_, out, _ := run(text, "inventory", "--smbios", "-", "--format", "json")
			var inv report.Inventory
			if json.Unmarshal([]byte(out), &inv) != nil {
				return
			}
			board := productLine(all) + " " + strings.Join(handles, " ")
			boards[board]++
			for _, s := range inv.Slots {
				if s.Socket == nil || s.Channel == nil || s.Slot == nil || s.Locator == "" {
					continue
				}
				key, place := board+" "+s.Handle, fmt.Sprint(*s.Socket, *s.Channel, *s.Slot)
				if other, ok := places[key]; ok {
					compared++
					if other.place != place {
						differ++
						t.Logf("%s: slot %s (%s) is at %s, and at %s on %s", name, s.Handle, string(s.Locator), place, other.place, other.name)
					}
					continue
				}
				places[key] = seen{name, place}
			}
		})
	}
	t.Logf("%d slots of %d boards compared, %d differ", compared, len(boards), differ)
	assert.Greater(t, compared, 1000)
}

// productLine is the vendor and name of machine and board.
func productLine(all []string) string {
	var out []string
	for _, kind := range []string{"System Information", "Base Board Information"} {
		for _, i := range ofKind(all, kind) {
			for line := range strings.Lines(all[i]) {
				if strings.HasPrefix(line, "\tManufacturer:") || strings.HasPrefix(line, "\tProduct Name:") {
					out = append(out, strings.TrimSpace(line))
				}
			}
		}
	}
	return strings.Join(out, "; ")
}
