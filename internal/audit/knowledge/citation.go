package knowledge

import (
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// checkCitations checks that every citation has vendor, title and place.
func checkCitations(name string, first *yaml.Node) []Fault {
	c := &checker{file: name}
	top := pairs(first)
	for _, key := range []string{"rules", "profiles"} {
		for _, entry := range itemsOf(top[key]) {
			c.citation(pairs(entry))
		}
	}
	return c.faults
}

func (c *checker) citation(entry map[string]*yaml.Node) {
	citation := entry["citation"]
	if citation == nil {
		return // a rule without one gives the reason, or does not load
	}
	id := ""
	if entry["id"] != nil {
		id = entry["id"].Value
	}
	have := pairs(citation)
	for _, key := range []string{"vendor", "title", "place"} {
		if have[key] == nil || have[key].Value == "" {
			c.fault(citation, id, "the citation has no %s", key)
		}
	}
}

// checkPlatforms reports unknown platforms: a rule or profile for one never applies.
func checkPlatforms(k fs.FS, name string, first *yaml.Node) []Fault {
	c := &checker{file: name}
	top := pairs(first)
	entries := []map[string]*yaml.Node{top}
	for _, key := range []string{"rules", "profiles"} {
		for _, entry := range itemsOf(top[key]) {
			entries = append(entries, pairs(entry))
		}
	}
	seen := map[*yaml.Node]bool{}
	for _, entry := range entries {
		for _, p := range itemsOf(pairs(orEmpty(entry["for"]))["platforms"]) {
			if seen[p] {
				continue // of an anchor that several entries share
			}
			seen[p] = true
			if _, err := fs.Stat(k, "platforms/"+p.Value+".yaml"); err != nil {
				c.fault(p, "", "platform %q is not known, expected the id of a file of platforms/", p.Value)
			}
		}
	}
	return c.faults
}
