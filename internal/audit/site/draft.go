package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// DraftFiles returns a skeleton of the data files for an unknown machine: a platform, label patterns, a slot map.
// Values of the machine are filled in; values from its vendor's documents are left to fill in, and validation
// fails until then. If nothing is missing, it says what is known.
func DraftFiles(sys *inventory.System, topo *population.Result) string {
	var b strings.Builder
	missing := false
	for _, part := range []func(*strings.Builder, *inventory.System, *population.Result) bool{draftPlatform, draftPatterns, draftMaps} {
		missing = part(&b, sys, topo) || missing
	}
	if !missing {
		slots := fmt.Sprintf("all %d memory slots have their channel", len(sys.Slots))
		if len(sys.Slots) == 0 {
			slots = "firmware lists no memory slots"
		}
		if p, ok := topo.Platform.Get(); ok {
			return fmt.Sprintf("# Nothing to draft: the platform is %s, and %s.\n", p.ID, slots)
		}
		return fmt.Sprintf("# Nothing to draft: %s, and %s.\n", cmp.Or(topo.Platform.Reason, "the platform is not known"), slots)
	}
	return `# What memaudit does not know of this machine, as files of a folder of your own: copy each part into the file
# named above it, fill in what is marked FILL IN from the vendor's documents, and name them under "citation",
# "sources" and "note". A guess of a channel is worse than none: leave out what no document says.
#
#   memaudit rules validate DIR     checks the folder
#   memaudit check --rules DIR      uses it
` + b.String()
}

func draftPlatform(b *strings.Builder, sys *inventory.System, topo *population.Result) bool {
	if virtual, _ := sys.Machine.Virtual.Get(); virtual || topo.Platform.Known() {
		return false
	}
	vendor, family, model, brand := firstProcessor(sys)
	if vendor == "" || family < 0 {
		return false
	}
	fmt.Fprintf(b, `
# ---- platforms/our-platform.yaml
# %s
id: our-platform
name: FILL IN
channels_per_socket: FILL IN # DDR channels of one processor
max_dpc: FILL IN # slots of one channel, at most
speeds: # MT/s by DIMMs per channel; 0 where a depth is not supported or not documented
  rdimm: [FILL IN]
recommended_dimms: [FILL IN] # of one processor
citation: {key: OUR-DOCUMENT, vendor: FILL IN, title: FILL IN, year: FILL IN, place: FILL IN}
sources: [OUR-DOCUMENT]
---
recognise:
  - {vendor: %s, family: %d, model: %d} # %s; add brand: 'PATTERN' where others share family and model
`, cmp.Or(topo.Platform.Reason, "no platform is known for this processor"), vendor, family, model, cmp.Or(brand, "without a brand string"))
	return true
}

func firstProcessor(sys *inventory.System) (vendor string, family, model int, brand string) {
	for i := range sys.Sockets {
		s := &sys.Sockets[i]
		if f, ok := s.Family.Get(); ok {
			return cmp.Or(s.Vendor.Or(""), sys.CPU.Vendor.Or("")), f, s.Model.Or(-1), cmp.Or(s.Brand.Or(""), sys.CPU.Brand.Or(""))
		}
	}
	return sys.CPU.Vendor.Or(""), sys.CPU.Family.Or(-1), sys.CPU.Model.Or(-1), sys.CPU.Brand.Or("")
}

func draftPatterns(b *strings.Builder, sys *inventory.System, topo *population.Result) bool {
	var labels []string
	for i := range topo.Placements {
		if p := &topo.Placements[i]; p.Channel < 0 && p.Rule == "" {
			labels = append(labels, quotedLabels(sys.Slots[i].Locator.Or(""), sys.Slots[i].BankLocator.Or("")))
		}
	}
	if len(labels) == 0 || len(sys.Slots) == 0 {
		return false
	}
	labels = distinctTexts(labels)
	fmt.Fprintf(b, `
# ---- slots/locators.yaml
# No pattern reads these labels (locator, bank locator):
%s# {cpu} {chan} {slot} take digits, {C} {L} one letter (processor, channel), {num} a printed number that needs a slot map.
schema: 1
rules:
  - {id: our-labels, locator: ["FILL IN"], vendor: [%s]}
`, commentLines(labels), vendorSpelling(sys))
	return true
}

func draftMaps(b *strings.Builder, sys *inventory.System, topo *population.Result) bool {
	var labels, patterns []string
	for i := range topo.Placements {
		if p := &topo.Placements[i]; p.Channel < 0 && p.Rule != "" {
			labels = append(labels, quotedLabels(sys.Slots[i].Locator.Or(""), sys.Slots[i].BankLocator.Or("")))
			patterns = append(patterns, p.Rule)
		}
	}
	if len(labels) == 0 {
		return false
	}
	channels := "one list a channel, the slot to fill first in front"
	if p, ok := topo.Platform.Get(); ok && p.ChannelsPerSocket > 0 {
		channels = fmt.Sprintf("%d lists, one a channel, the slot to fill first in front", p.ChannelsPerSocket)
	}
	fmt.Fprintf(b, `
# ---- slots/sources.yaml
schema: 1
sources:
  OUR-MANUAL: {vendor: FILL IN, title: FILL IN}

# ---- slots/our-maps.yaml
# These labels give a number, and the channel behind it is not known:
%s# groups: %s: [[1, 4], [2, 5], [3, 6]]
schema: 1
vendor: %s
maps:
  - {id: our-board, models: [%q], locators: [%s], groups: FILL IN, check: [doc], sources: [OUR-MANUAL], note: "FILL IN: page or table"}
`, commentLines(distinctTexts(labels)), channels, vendorSpelling(sys), sys.Machine.Product.Or(sys.Machine.Board.Or("FILL IN")), strings.Join(distinctTexts(patterns), ", "))
	return true
}

func vendorSpelling(sys *inventory.System) string {
	words := strings.Fields(strings.ToLower(sys.Machine.Vendor.Or("")))
	if len(words) == 0 {
		return "FILL IN"
	}
	return strings.Trim(words[0], ".,")
}

func quotedLabels(locator, bank string) string { return fmt.Sprintf("%q, %q", locator, bank) }

func distinctTexts(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func commentLines(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("#   " + s + "\n")
	}
	return b.String()
}
