package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// platformPage generates the table of supported platforms, with their documents and checks.
func platformPage(root string) (madeFiles, error) {
	k := rulesOf(root)
	ids, err := platform.IDs(k)
	if err != nil {
		return nil, err
	}
	profiles, err := profilesOf(k)
	if err != nil {
		return nil, err
	}
	maps, err := mappedModels(k)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(platformsHead)
	describe := platform.Describer(k)
	for _, id := range ids {
		p, err := describe(id)
		if err != nil {
			return nil, err
		}
		depth := "-"
		if p.MaxDPC > 0 {
			depth = strconv.Itoa(p.MaxDPC)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", id, p.Name, channelsColumn(p), depth, checksColumn(p),
			cmp.Or(makersColumn(p), "-"), cmp.Or(strings.Join(profiles[id], ", "), "-"))
	}
	b.WriteString(makersHead)
	for _, m := range maps {
		fmt.Fprintf(&b, "| %s | %d |\n", m.maker, m.models)
	}
	return madeFiles{"docs/platforms.md": []byte(b.String())}, nil
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

// channelsColumn lists the numbers of channels of the platform and its parts.
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

// checksColumn returns the checks of a platform besides those for every machine.
func checksColumn(p *platform.Info) string {
	var out []string
	switch {
	case p.NoDIMMs:
		return "none: the memory is part of the board or the package"
	case len(channelNumbers(p)) == 0 && p.ChannelsPerSystem == 0:
		out = append(out, "count")
	case !p.Verified || p.Unverified["channels_per_socket"]:
		out = append(out, "channels (info)")
	default:
		out = append(out, "channels")
	}
	if len(p.Speeds) > 0 || slices.ContainsFunc(p.Parts, func(i platform.PartInfo) bool { return len(i.Speeds) > 0 }) {
		out = append(out, "speed")
	}
	if p.Policy != "" {
		out = append(out, "grade")
	}
	return strings.Join(out, ", ")
}

// makersColumn returns the server vendors of a platform's documents.
func makersColumn(p *platform.Info) string {
	short := map[string]string{"HP": "HPE", "Dell EMC": "Dell", "Lenovo Press": "Lenovo", "IBM Redbooks": "IBM", "Fujitsu Technology Solutions": "Fujitsu", "Oracle": "Oracle"}
	var out []string
	for i := range p.Documents {
		if d := &p.Documents[i]; d.Authority == platform.FromVendor {
			name := d.Vendor
			if s := short[name]; s != "" {
				name = s
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

// profilesOf lists the files of profiles by platform.
func profilesOf(k fs.FS) (map[string][]string, error) {
	packs, faults := rulepack.LoadDir(k, "profiles")
	if len(faults) > 0 {
		return nil, faults
	}
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
	return out, nil
}

type makerMaps struct {
	maker  string
	models int
}

// mappedModels counts the models with a slot map by the file that has them.
func mappedModels(k fs.FS) ([]makerMaps, error) {
	var out []makerMaps
	for _, f := range []struct{ file, maker string }{
		{"dell", "Dell"}, {"hpe", "HP, HPE"}, {"lenovo", "IBM, Lenovo"}, {"oracle", "Oracle, Sun"}, {"other", "others (the map names the vendor)"}, {"oem", "Dell boards under other names"},
	} {
		var file struct {
			Maps []struct {
				Models  []string `yaml:"models"`
				Unknown string   `yaml:"unknown"`
			} `yaml:"maps"`
		}
		name := "slots/" + f.file + ".yaml"
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(raw, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		n := 0
		for _, m := range file.Maps {
			if m.Unknown == "" {
				n += len(m.Models)
			}
		}
		out = append(out, makerMaps{f.maker, n})
	}
	return out, nil
}
