package knowledge

import (
	"io/fs"
	"strings"
)

// platformSources names where documents of platforms are listed: key, vendor,
// title, year, place, address, whose word it is and what it says, tab-separated.
const platformSources = "platforms/sources.tsv"

// SiteFolder is where knowledge that a site's files were joined to keeps those
// that stand beside a built-in file of the same name.
const SiteFolder = "site/"

// listedDocuments are the rows of the list of platforms' documents, none without the list.
func listedDocuments(k fs.FS) map[string][]string {
	listed := map[string][]string{}
	if raw, err := fs.ReadFile(k, platformSources); err == nil {
		for row := range strings.Lines(string(raw)) {
			cells := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
			listed[cells[0]] = cells
		}
	}
	return listed
}

// keysOf are the keys of one mapping of a file of the knowledge.
func keysOf(k fs.FS, file, key string) map[string]bool {
	out := map[string]bool{}
	for name := range pairs(orEmpty(mappingOfFile(k, file)[key])) {
		out[name] = true
	}
	return out
}

// ruleIDsOf are the ids of the rules of a file of the knowledge.
func ruleIDsOf(k fs.FS, file string) map[string]bool {
	out := map[string]bool{}
	for _, rule := range itemsOf(mappingOfFile(k, file)["rules"]) {
		if id := pairs(rule)["id"]; id != nil {
			out[id.Value] = true
		}
	}
	return out
}
