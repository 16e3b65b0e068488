package knowledge

import "go.yaml.in/yaml/v3"

// checkCitations: whoever cites a document says whose it is, what it is called
// and where in it.
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
		return // a rule without one says why, or does not load
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
