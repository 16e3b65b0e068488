package generate

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

func platformPage(t *testing.T, root string) madeFiles {
	k := rulesOf(root)
	ids, err := platform.IDs(k)
	require.NoError(t, err)
	packs, faults := rulepack.LoadDir(k, "profiles")
	require.Empty(t, faults)
	profiles := profilesOf(packs)
	var b strings.Builder
	b.WriteString(platformsHead)
	describe := platform.Describer(k)
	for _, id := range ids {
		p, err := describe(id)
		require.NoError(t, err)
		depth := "-"
		if p.MaxDPC > 0 {
			depth = strconv.Itoa(p.MaxDPC)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", id, p.Name, channelsColumn(p), depth, checksColumn(p),
			cmp.Or(makersColumn(p), "-"), cmp.Or(strings.Join(profiles[id], ", "), "-"))
	}
	b.WriteString(makersHead + mappedModels(t, k) + soldModels(t, k, packs, describe))
	return madeFiles{"docs/platforms.md": []byte(b.String())}
}

const platformsHead = `# Supported platforms

Made by ` + "`go generate ./...`" + ` from rules/platforms, rules/profiles and rules/slots. ` + "`memaudit explain ID`" + ` prints what is known of a
platform, how it is recognised and the documents behind it.

- **checks**: ` + "`channels`" + `: a channel without memory is a warning; ` + "`channels (info)`" + `: the same, but no document confirms the number, so nothing is above
  info; ` + "`count`" + `: modules are counted and compared between processors, as the number of channels is not known; ` + "`speed`" + `: the platform's own speeds by
  DIMMs per channel (the processor's maximum is checked everywhere); ` + "`grade`" + `: interleaving is documented, so populations have a class and a share of bandwidth.
- **makers**: server makers whose population documents were read for the platform. Another maker's machine gets the same checks, and the report says that
  the document is another maker's.
- **profiles**: files of rules/profiles that have BIOS settings for it.

| id | platform | channels per CPU | DIMMs per channel | checks | makers | profiles |
| --- | --- | --- | --- | --- | --- | --- |
`

const makersHead = `
## Slot maps by maker

Number of models whose slot labels are mapped to channels by a table. Labels that name the channel need none.

| maker | models |
| --- | --- |
`

func channelsColumn(p *platform.Info) string {
	if p.ChannelsPerSystem > 0 {
		return strconv.Itoa(p.ChannelsPerSystem) + " of the chipset"
	}
	var out []string
	for _, n := range channelNumbers(p) {
		out = append(out, strconv.Itoa(n))
	}
	if p.NoDIMMs {
		return "no slots"
	}
	return cmp.Or(strings.Join(out, " or "), "-")
}

func channelNumbers(p *platform.Info) []int {
	var out []int
	if p.ChannelsPerSocket > 0 {
		out = append(out, p.ChannelsPerSocket)
	}
	for i := range p.Parts {
		if n := p.Parts[i].ChannelsPerSocket; n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func checksColumn(p *platform.Info) string {
	var out []string
	switch {
	case p.NoDIMMs:
		return "none: the memory is part of the board or the package"
	case len(channelNumbers(p)) == 0 && p.ChannelsPerSystem == 0:
		out = append(out, "count")
	case !p.Verified || slices.Contains(p.Unverified, "channels_per_socket"):
		out = append(out, "channels (info)")
	default:
		out = append(out, "channels")
	}
	if len(p.Speeds) > 0 || slices.ContainsFunc(p.Parts, func(i platform.Variant) bool { return len(i.Speeds) > 0 }) {
		out = append(out, "speed")
	}
	if p.Policy != "" {
		out = append(out, "grade")
	}
	return strings.Join(out, ", ")
}

func makersColumn(p *platform.Info) string {
	short := map[string]string{"HP": "HPE", "Dell EMC": "Dell", "Lenovo Press": "Lenovo", "IBM Redbooks": "IBM", "Fujitsu Technology Solutions": "Fujitsu"}
	var out []string
	for i := range p.Documents {
		if d := &p.Documents[i]; d.Authority == platform.FromVendor {
			out = append(out, cmp.Or(short[d.Vendor], d.Vendor))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

func profilesOf(packs []*rulepack.Pack) map[string][]string {
	out := map[string][]string{}
	for _, p := range packs {
		var ids []string
		for _, q := range p.Profiles {
			if q.For != nil {
				ids = append(ids, q.For.Platforms...)
			}
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			out[id] = append(out[id], strings.TrimSuffix(path.Base(p.File), ".yaml"))
		}
	}
	return out
}

type slotMap struct {
	Models, Check []string
	Unknown       string
}

// slotMaps reads the maps of a file of rules/slots, without those of which no channel is known.
func slotMaps(t *testing.T, k fs.FS, name string) []slotMap {
	t.Helper()
	raw, err := fs.ReadFile(k, "slots/"+name+".yaml")
	require.NoError(t, err)
	var file struct{ Maps []slotMap }
	require.NoError(t, yaml.Unmarshal(raw, &file), name)
	return slices.DeleteFunc(file.Maps, func(m slotMap) bool { return m.Unknown != "" })
}

func mappedModels(t *testing.T, k fs.FS) string {
	var b strings.Builder
	for _, f := range []struct{ file, maker string }{
		{"dell", "Dell"}, {"hpe", "HP, HPE"}, {"lenovo", "IBM, Lenovo"}, {"oracle", "Oracle, Sun"}, {"other", "others (the map names the vendor)"}, {"oem", "Dell boards under other names"},
	} {
		n := 0
		for _, m := range slotMaps(t, k, f.file) {
			n += len(m.Models)
		}
		fmt.Fprintf(&b, "| %s | %d |\n", f.maker, n)
	}
	return b.String()
}

const soldHead = `
## Models sold now

What there is for each, so that a buyer and a contributor see what is missing. Map: which channel a slot is on, ` + "`document`" + ` by its own document or
controllers, ` + "`first`" + ` if that is so for the first slots of the channels, ` + "`count`" + ` if there is one slot a channel, ` + "`analogy`" + ` by another model's (nothing
above info), ` + "`labels`" + ` if they name the channel. Slots: which ones its maker fills, from its ` + "`own`" + `
manual or a ` + "`sister`" + ` model's. Document: what to fill, of this ` + "`model`" + `, its maker's for the ` + "`generation`" + `, a ` + "`sister`" + `'s, or the ` + "`CPU vendor`" + `'s. Profiles: BIOS settings.

| model | platform | map | slots | document | profiles |
| --- | --- | --- | --- | --- | --- |
`

func soldModels(t *testing.T, k fs.FS, packs []*rulepack.Pack, describe func(string) (*platform.Info, error)) string {
	raw, err := fs.ReadFile(k, "platforms/sold.tsv")
	require.NoError(t, err)
	maps := mapsByModel(t, k)
	var b strings.Builder
	b.WriteString(soldHead)
	for line := range strings.Lines(string(raw)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || len(c) != 3 {
			continue
		}
		m := inventory.Machine{Product: fact.Known(c[0], fact.Direct, fact.Evidence{}), Vendor: fact.Known(c[1], fact.Direct, fact.Evidence{})}
		p, err := describe(c[2])
		require.NoError(t, err)
		slots := "-"
		if sets := place.ReadSets(k, &m); sets != nil {
			slots = map[bool]string{true: "sister", false: "own"}[sets.Analogous]
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", c[0], c[2], mapOf(maps, c[0], c[1]), slots, documentFor(p, place.NamesOf(k, &m)), cmp.Or(profilesFor(packs, c), "-"))
	}
	return b.String()
}

func mapsByModel(t *testing.T, k fs.FS) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"dell", "hpe", "lenovo"} {
		for _, m := range slotMaps(t, k, name) {
			how := "document"
			for _, word := range [...][2]string{{"first", "first"}, {"count", "count"}, {"infer", "analogy"}} {
				if slices.Contains(m.Check, word[0]) {
					how = word[1]
					break
				}
			}
			for _, model := range m.Models {
				out[model] = cmp.Or(out[model], how)
			}
		}
	}
	return out
}

func mapOf(maps map[string]string, product, vendor string) string {
	if vendor == "Supermicro" || strings.HasPrefix(vendor, "Cisco") {
		return "labels"
	}
	for model, how := range maps {
		if product == model || strings.HasSuffix(product, " "+model) {
			return how
		}
	}
	return "-"
}

func documentFor(p *platform.Info, names place.Names) string {
	best := len(documentWords) - 1
	for i := range p.Documents {
		d := &p.Documents[i]
		if !slices.Contains(d.Topics, "channels") {
			continue
		}
		switch {
		case d.Authority == platform.FromCPUVendor:
			best = min(best, len(documentWords)-2)
		case d.Authority == platform.FromVendor && slices.Contains(names.Makers, platform.VendorWord(d.Vendor)):
			best = min(best, audit.RankOfModels(d, names.Models))
		}
	}
	return documentWords[best]
}

var documentWords = []string{"model", "generation", "sister", "CPU vendor", "-"}

func profilesFor(packs []*rulepack.Pack, c []string) string {
	var out []string
	for _, p := range packs {
		for _, q := range p.Profiles {
			m := q.For
			if m == nil || len(m.Vendors) == 0 || !slices.Contains(m.Platforms, c[2]) || !slices.ContainsFunc(m.Vendors, func(v string) bool { return strings.HasPrefix(c[1], v) }) ||
				len(m.Products) > 0 && !slices.ContainsFunc(m.Products, func(n string) bool { return strings.Contains(c[0], n) }) {
				continue
			}
			out = append(out, strings.TrimSuffix(path.Base(p.File), ".yaml"))
			break
		}
	}
	return strings.Join(out, ", ")
}
