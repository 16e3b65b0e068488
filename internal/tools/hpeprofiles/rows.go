package hpeprofiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/settings"
)

// wantedSetting is a wanted setting of a profile.
type wantedSetting struct {
	id, attribute, value string
	want                 []string
	level                string
	// registry names those that have the attribute, if not all of the pack's have it.
	registry string
	remarks
}

// remarks are objections of other documents to a row.
type remarks struct {
	applies, concerns, note string
	except                  []string
	// info caps the level: another document contradicts this one.
	info bool
}

// kernelWords are the effective values that the kernel may show for a recommended one: it shows that idle states are
// offered but not their names in firmware, not which of two package C6 states of recent processors is used, several nodes
// per socket but not the option's name, and no difference between RAS modes that keep all memory visible.
var kernelWords = map[string]map[string][]string{
	"c_states":        {"c6": {"enabled"}, "c6_acpi_c2": {"c6", "enabled"}, "disabled": {"c1"}},
	"package_c_state": {"c6nr": {"c6"}, "c6r": {"c6"}},
	"sub_numa":        {"snc": {"snc2", "snc3", "snc4"}},
	"memory_ras_mode": {"advanced_ecc": {"independent"}, "adddc": {"independent"}},
}

// disputed is the remark on profiles that enable sub-NUMA clustering.
const disputed = "vendors disagree: guidance for real-time hosts, SAP HANA and vSphere wants sub-NUMA clustering off"

// remarkable maps settings and recommended values to remarks; keys for a single profile have its name before a colon.
var remarkable = map[string]remarks{
	"iommu=disabled": {
		applies:  "!(has(processor.logical) && processor.logical >= 256)",
		concerns: "machines with fewer than 256 logical processors: without the IOMMU Linux can use 255 of them at most (AMD, ROCm documentation, MI200 and MI300X system optimization)"},
	"turbo=disabled": {note: "for constant speed; the low-latency advice of Dell (11G, 16G) and Red Hat keeps Turbo on, for peak speed"},
	"Virtualization-MaxPerformance:sub_numa": {info: true,
		note:   "vendors disagree: guidance for vSphere wants sub-NUMA clustering off for general use",
		except: []string{"operators of KVM hosts set it to Disabled under this very profile (published practice)"}},
	"sub_numa=snc2": {note: disputed}, "sub_numa=snc4": {note: disputed}, "sub_numa=snc": {note: disputed},
	"sub_numa=nps4":   {note: "depends on the work: NPS4 favours locality, NPS1 the bandwidth of one process over the whole processor; AMD's guide for hosts of MI300X wants NPS1"},
	"x2apic=disabled": {except: []string{"256 or more logical processors, which need it"}},
}

// wantedRows returns the recommended settings of one workload profile over the tables of a pack, in the order of the
// vocabulary.
func wantedRows(tables []*Table, vendor *settings.Table, workload int) ([]wantedSetting, error) {
	var out []wantedSetting
	for _, t := range tables {
		for _, r := range t.Rows {
			if r.Cells[workload] == "" || slices.ContainsFunc(out, func(o wantedSetting) bool { return o.attribute == r.Attribute }) {
				continue
			}
			w, err := wanted(vendor, r.Attribute, r.Cells[workload])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Registry, err)
			}
			w.remarks = remarksOf(workload, w)
			w.level, w.registry = levelOf(tables, w), registriesWith(tables, w.attribute)
			out = append(out, w)
		}
	}
	order := settings.IDs()
	slices.SortStableFunc(out, func(a, b wantedSetting) int { return slices.Index(order, a.id) - slices.Index(order, b.id) })
	return out, nil
}

// wanted translates an attribute that a profile writes. If the attribute maps to several settings, the one that
// distinguishes its values best is used, so that one attribute is one row.
func wanted(vendor *settings.Table, attribute, value string) (wantedSetting, error) {
	best, distinct := settings.Match{}, 0
	for _, m := range vendor.Find(attribute) {
		words := map[string]bool{}
		for _, w := range m.Attr.Values {
			words[w] = true
		}
		if n := len(words) + 1; n > distinct {
			best, distinct = m, n
		}
	}
	s, ok := settings.Lookup(best.ID)
	if !ok {
		return wantedSetting{}, fmt.Errorf("attribute %s stands for no setting of the table", attribute)
	}
	word, ok := best.Attr.Canonical(s, value)
	if !ok {
		return wantedSetting{}, fmt.Errorf("attribute %s: the table does not know its value %s", attribute, value)
	}
	return wantedSetting{id: best.ID, attribute: attribute, value: value, want: append([]string{word}, kernelWords[best.ID][word]...)}, nil
}

func remarksOf(workload int, w wantedSetting) remarks {
	if r, ok := remarkable[Workloads[workload]+":"+w.id]; ok {
		return r
	}
	return remarkable[w.id+"="+w.want[0]]
}

// levelOf returns the level of a row. It is info for settings that do not differ between workloads: an attribute that every
// profile leaves at its factory value, and the processor groups, which Linux does not have.
func levelOf(tables []*Table, w wantedSetting) string {
	if w.info || w.id == "numa_group" {
		return "info"
	}
	for _, t := range tables {
		for _, r := range t.Rows {
			if r.Attribute == w.attribute && slices.ContainsFunc(r.Cells, func(c string) bool { return c != "" && c != r.Default }) {
				return "warning"
			}
		}
	}
	return "info"
}

// registriesWith returns the ROMs with an attribute in their registries; "" if all of them have it.
func registriesWith(tables []*Table, attribute string) string {
	var roms []string
	for _, t := range tables {
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Attribute == attribute }) {
			rom, _, _ := strings.Cut(t.ROM, " ")
			roms = append(roms, rom)
		}
	}
	if len(roms) == len(tables) {
		return ""
	}
	return " of " + humanize.List(roms)
}

// yaml prints the row as one line of flow style, remarks included.
func (w *wantedSetting) yaml() string {
	want := w.want[0]
	if len(w.want) > 1 {
		want = "[" + strings.Join(w.want, ", ") + "]"
	}
	if want == "off" {
		want = `"off"`
	}
	parts := []string{"want: " + want, "level: " + w.level}
	for _, p := range [][2]string{{"applies", w.applies}, {"concerns", w.concerns}, {"note", w.note}} {
		if p[1] != "" {
			parts = append(parts, fmt.Sprintf("%s: %q", p[0], p[1]))
		}
	}
	for _, e := range w.except {
		parts = append(parts, fmt.Sprintf("exceptions: [%q]", e))
	}
	parts = append(parts, fmt.Sprintf("place: %q", "Dependencies"+w.registry+", MapFromAttribute WorkloadProfile: "+w.attribute+"="+w.value))
	return fmt.Sprintf("%s: {%s}", w.id, strings.Join(parts, ", "))
}
