package smbios

import (
	_ "embed" // the names are data beside the code
	"strconv"
	"strings"
	"sync"
)

//go:embed names.tsv
var namesFile string

type wordList struct {
	names map[int]string
	// codes is the first code of each name.
	codes map[string]int
	// current is the name for one that an earlier version of dmidecode prints.
	current map[string]string
}

// wordLists are the lists of names.tsv.
var wordLists = sync.OnceValue(func() map[string]*wordList {
	lists := map[string]*wordList{}
	var list *wordList
	for line := range strings.Lines(namesFile) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if title, ok := strings.CutPrefix(cells[0], "["); ok {
			list = &wordList{map[int]string{}, map[string]int{}, map[string]string{}}
			lists[strings.TrimSuffix(title, "]")] = list
		}
		code, err := strconv.ParseInt(cells[0], 0, 32)
		if err != nil {
			continue
		}
		name := cells[1]
		list.names[int(code)] = name
		if _, several := list.codes[name]; !several {
			list.codes[name] = int(code)
		}
		for _, earlier := range cells[2:] {
			list.current[earlier] = name
		}
	}
	return lists
})

// namedCode returns the name of a code: "Unknown" is Unstated, a code without a name Malformed.
func namedCode(list string, code int) Field[string] {
	switch name := wordLists()[list].names[code]; name {
	case "":
		return withStatus[string](Malformed)
	case "Unknown":
		return withStatus[string](Unstated)
	default:
		return knownField(name)
	}
}

// printedName returns a printed name in its current spelling.
func printedName(list, name string) Field[string] {
	if st := textStatus(name); st != Known {
		return withStatus[string](st)
	}
	if current, ok := wordLists()[list].current[name]; ok {
		return knownField(current)
	}
	return knownField(name)
}
