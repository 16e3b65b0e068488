package hpeprofiles

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// File returns the name of the pack's file in rules/profiles.
func (p *Pack) File() string { return p.ID + ".yaml" }

// Generate makes the pack's file from the tables of a folder and the vendor's
// table of attributes.
func (p *Pack) Generate(dir string, vendor *settings.Table) (string, error) {
	var tables []*Table
	for _, system := range p.Systems {
		t, err := ReadTable(filepath.Join(dir, "hpe-"+strings.ToLower(system)+".tsv"))
		if err != nil {
			return "", err
		}
		tables = append(tables, t)
	}
	if err := demandAgreement(tables); err != nil {
		return "", fmt.Errorf("%s: %w", p.ID, err)
	}
	var b strings.Builder
	p.head(&b, tables)
	for i := range Workloads {
		list, err := wantedRows(tables, vendor, i)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.ID, err)
		}
		for j := range list {
			list[j].note = cmp.Or(list[j].note, p.Notes[list[j].id])
		}
		p.profile(&b, i, list)
	}
	return b.String(), nil
}

// demandAgreement demands that tables of one pack write the same wherever they have an
// attribute in common.
func demandAgreement(tables []*Table) error {
	first := map[string]Row{}
	for _, t := range tables {
		for _, r := range t.Rows {
			o, seen := first[r.Attribute]
			if seen && strings.Join(o.Cells, "\t") != strings.Join(r.Cells, "\t") {
				return fmt.Errorf("%s: its profiles write %s otherwise than those of %s", t.Registry, r.Attribute, tables[0].Registry)
			}
			first[r.Attribute] = r
		}
	}
	return nil
}

// head writes what the profiles share: the document, its scope, the machines.
func (p *Pack) head(b *strings.Builder, tables []*Table) {
	var registries, named, titles, families, years []string
	for _, t := range tables {
		registries = append(registries, fmt.Sprintf("%s (%s, ROM %s)", t.Registry, t.Product, t.ROM))
		titles = append(titles, fmt.Sprintf("%s %s of %s, ROM %s", t.System(), t.Version(), strings.TrimPrefix(t.Product, "HPE "), t.ROM))
		named = append(named, strings.TrimPrefix(t.Product, "HPE "))
		families = append(families, t.System())
		years = append(years, t.Year())
	}
	fmt.Fprintf(b, `# Made by go generate from testdata/profiles: edit those tables or internal/tools/hpeprofiles.
# What HPE's workload profiles write, by the BIOS attribute registries
#   %s
# A registry covers its own system only. %s:
# there no finding goes above info.
document:
  cite: &registry {vendor: HPE, title: "BIOS attribute registry %s", year: %s, place: "Dependencies, MapFromAttribute WorkloadProfile", url: %q}
  scope: &scope %q
  named: &named [%s]
  firmware: &firmware [%s]
`, strings.Join(registries, "\n#   "), capital(p.Evidence), strings.Join(titles, "; "), slices.Max(years), registryURL(p.Systems[0]),
		"a workload profile writes these options and leaves all others as they were, so that the name of the profile proves nothing; "+p.Evidence,
		strings.Join(named, ", "), strings.Join(families, ", "))
	fmt.Fprintf(b, "for: {vendors: [HP, Hewlett], products: [%s], platforms: [%s]}\nprofiles:\n",
		strings.Join(p.Products, ", "), strings.Join(p.Platforms, ", "))
}

func (p *Pack) profile(b *strings.Builder, workload int, list []wantedSetting) {
	q := profiles[workload]
	fmt.Fprintf(b, "  - id: %s/%s\n", p.ID, q.id)
	if len(q.intents) > 0 {
		fmt.Fprintf(b, "    intent: [%s]\n", strings.Join(q.intents, ", "))
	}
	fmt.Fprintf(b, "    title: %q\n    named: *named\n    firmware: *firmware\n    face: configured\n    preset: %q\n", "workload profile "+q.name+", "+p.Name, Workloads[workload])
	if p.Applies != "" {
		fmt.Fprintf(b, "    applies: '%s'\n", p.Applies)
	}
	b.WriteString("    citation: *registry\n    scope: *scope\n    settings:\n")
	for i := range list {
		fmt.Fprintf(b, "      %s\n", list[i].yaml())
	}
}

// registryURL returns the address of the published registries of a ROM family.
func registryURL(system string) string {
	if system == "A43" {
		return "https://github.com/Cray-HPE/csm-redfish-interface-emulator"
	}
	return "https://github.com/HewlettPackard/ilo-redfish-emulator"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
