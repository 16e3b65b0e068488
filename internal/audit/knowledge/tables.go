package knowledge

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// tables are the tab-separated lists, by the end of their path, each with the function that checks a row.
var tables = map[string]func() func(cells []string) string{
	slotSets:        func() func([]string) string { return (&setRows{blocks: map[string]bool{}}).fault },
	slotOrder:       func() func([]string) string { return (&orderRows{names: map[string]bool{}}).fault },
	platformSources: func() func([]string) string { return (&documentRows{keys: map[string]bool{}}).fault },
}

// platformSources lists the documents of platforms: key, vendor, title, year, place, address, author and
// topics, tab-separated.
const platformSources = "platforms/sources.tsv"

// slotSets lists the vendors' recommended sets of slots.
const slotSets = "slots/sets.tsv"

// slotOrder lists the order in which the slots of a channel are filled, by label.
const slotOrder = "slots/order.tsv"

func tableOf(name string) string {
	for table := range tables {
		if name == table || strings.HasSuffix(name, "/"+table) {
			return table
		}
	}
	return ""
}

// IsTable reports whether a file of that name is a tab-separated list that is checked.
func IsTable(name string) bool { return tableOf(name) != "" }

func checkTable(name string, data []byte) datafile.Complaints {
	var out datafile.Complaints
	fault := tables[tableOf(name)]()
	at := 0
	for line := range strings.Lines(string(data)) {
		at++
		if strings.HasPrefix(line, "#") {
			continue
		}
		if text := fault(strings.Split(strings.TrimSuffix(line, "\n"), "\t")); text != "" {
			out = append(out, datafile.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
	}
	return out
}

type documentRows struct{ keys map[string]bool }

// authorities of a document, as in platform.Document.
var authorities = []string{"maker", "processor", "third", "collection", "unread"}

func (d *documentRows) fault(c []string) string {
	if len(c) != 9 && len(c) != 8 && len(c) != 6 {
		return fmt.Sprintf("%d fields, expected 9: key, vendor, title, year, place, url, authority, says, models (a site's may end after url or says)", len(c))
	}
	known := d.keys[c[0]]
	d.keys[c[0]] = true
	_, err := strconv.Atoi(c[3])
	switch {
	case c[0] == "" || c[1] == "" || c[2] == "":
		return "key, vendor or title is empty"
	case known:
		return fmt.Sprintf("key %s is listed twice", c[0])
	case c[3] != "" && err != nil:
		return fmt.Sprintf("%s: year %q, expected a number or nothing", c[0], c[3])
	case len(c) == 6:
		return ""
	case !slices.Contains(authorities, c[6]):
		return fmt.Sprintf("%s: authority %q, expected one of %s", c[0], c[6], strings.Join(authorities, ", "))
	case len(c) == 9 && c[8] == "" && c[7] != "" && (c[6] == platform.FromVendor || c[6] == platform.Unread):
		return fmt.Sprintf("%s: models is empty, expected the products that the document covers, or - if that is not known", c[0])
	}
	for topic := range strings.FieldsSeq(c[7]) {
		if !slices.Contains(verdict.Topics, topic) {
			return fmt.Sprintf("%s: says %q, expected words of %s", c[0], topic, strings.Join(verdict.Topics, ", "))
		}
	}
	return ""
}

// orderRows are the rows of slots/order.tsv; names are the boards that have one.
type orderRows struct{ names map[string]bool }

func (o *orderRows) fault(c []string) string {
	if len(c) != 3 && len(c) != 4 {
		return fmt.Sprintf("%d fields, expected 3: boards, labels of one channel, document (and its address)", len(c))
	}
	for name := range strings.SplitSeq(c[0], ";") {
		switch {
		case name == "":
			return "a board without a name"
		case o.names[name]:
			return fmt.Sprintf("%s is listed twice", name)
		}
		o.names[name] = true
	}
	labels := strings.Split(c[1], ",")
	for i, label := range labels {
		n := len(label) - 1
		if n < 1 || label[:n] != labels[0][:max(len(labels[0])-1, 0)] || slices.Contains(labels[:i], label) {
			return fmt.Sprintf("%s: labels %q, expected those of one channel, which differ in their last sign", c[0], c[1])
		}
	}
	switch {
	case len(labels) == 1:
		return fmt.Sprintf("%s: one label, expected the labels of a channel in the order in which they are filled", c[0])
	case !strings.Contains(c[2], ", "):
		return fmt.Sprintf("%s: document %q, expected vendor, title and place", c[0], c[2])
	}
	return ""
}

// setRows are the rows of slots/sets.tsv: heads of blocks, and the rows below each.
type setRows struct {
	blocks map[string]bool
	// block is the current one's id, slot the pattern of its slots; counts are the numbers of DIMMs with a row.
	block    string
	products []string
	slot     *regexp.Regexp
	counts   map[int]bool
}

// grades of a row, and mode, for sets of lockstep, mirroring and sparing.
var grades = []string{"balanced", "near-balanced", "supported", "listed", "unbalanced", "not-recommended", notAllowed, place.Conditional, "mode"}

const notAllowed = "not-allowed"

// numberings are the ways of counting further CPUs' slots, and the form of a slot in each: a number, a letter
// and a digit (A1 or 1A), or a board and a number on it (2/8).
var numberings = sync.OnceValue(func() []numbering {
	return []numbering{
		{regexp.MustCompile(`^$|^\+[1-9]\d*$|^[1-9]\d*-n$`), regexp.MustCompile(`^(25[0-5]|2[0-4]\d|1?\d?\d)$`)},
		{regexp.MustCompile(`^letters$`), regexp.MustCompile(`^([A-P][1-9]|[1-9][A-P])$`)},
		{regexp.MustCompile(`^letters from 0$`), regexp.MustCompile(`^([A-P]\d|\d[A-P])$`)},
		{regexp.MustCompile(`^[1-9] boards$`), regexp.MustCompile(`^[1-9]/[1-9]\d?$`)},
	}
})

type numbering struct{ counted, slot *regexp.Regexp }

func (s *setRows) fault(c []string) string {
	switch c[0] {
	case "set":
		return s.headFault(c)
	case "document":
		if len(c) != 3 || c[1] == "" || !strings.HasPrefix(c[2], "http") {
			return "expected document, the beginning of its name in the rows, and its address"
		}
		return ""
	}
	modules, err := strconv.Atoi(c[0])
	switch {
	case s.block == "":
		return fmt.Sprintf("%q before the first block: expected set, a tab and the block's id", c[0])
	case len(c) != 6 && len(c) != 4:
		return fmt.Sprintf("%s: %d fields, expected 6: modules, sets, grade, document, printed or order, the products whose manual it is (a site's may end after document)", s.block, len(c))
	case err != nil || modules < 1:
		return fmt.Sprintf("%s: %q modules, expected a number from one", s.block, c[0])
	case !slices.Contains(grades, c[2]):
		return fmt.Sprintf("%s: grade %q, expected one of %s", s.block, c[2], strings.Join(grades, ", "))
	case strings.TrimSpace(c[3]) == "":
		return fmt.Sprintf("%s: the document of %d modules is missing", s.block, modules)
	case len(c) == 6 && !slices.Contains([]string{"printed", "order", "-"}, c[4]):
		return fmt.Sprintf("%s: %q, expected printed, order or -", s.block, c[4])
	case len(c) == 6 && c[5] != "-" && slices.ContainsFunc(strings.Split(c[5], ";"), func(p string) bool { return !slices.Contains(s.products, p) }):
		return fmt.Sprintf("%s: manual of %q, expected products of the block or -", s.block, c[5])
	case (c[1] == "-") != (c[2] == notAllowed || c[2] == place.Conditional):
		return fmt.Sprintf("%s: sets %q and grade %q, - goes with %s", s.block, c[1], c[2], notAllowed)
	case c[2] != "mode" && s.counts[modules]:
		return fmt.Sprintf("%s: %s: two rows", s.block, humanize.Plural(modules, "module"))
	}
	s.counts[modules] = s.counts[modules] || c[2] != "mode"
	return s.slotSetFault(c[1], modules)
}

func (s *setRows) headFault(c []string) string {
	if len(c) != 4 && len(c) != 5 {
		return fmt.Sprintf("%d fields, expected set, id, products, products with the same numbering and perhaps how the slots of further processors are counted", len(c))
	}
	known := s.blocks[c[1]]
	s.blocks[c[1]] = true
	counted := ""
	if len(c) == 5 {
		counted = c[4]
	}
	way := slices.IndexFunc(numberings(), func(n numbering) bool { return n.counted.MatchString(counted) })
	s.products = strings.Split(c[2]+";"+c[3], ";")
	s.block, s.slot, s.counts = c[1], numberings()[max(way, 0)].slot, map[int]bool{}
	switch {
	case c[1] == "":
		return "a block without an id"
	case known:
		return fmt.Sprintf("block %s is listed twice", c[1])
	case c[2]+c[3] == "":
		return fmt.Sprintf("%s: no product", c[1])
	case way < 0 || len(c) == 5 && counted == "":
		return fmt.Sprintf("%s: counted %q, expected such as +12, 33-n, letters, letters from 0 or 2 boards", c[1], counted)
	}
	return ""
}

func (s *setRows) slotSetFault(text string, modules int) string {
	if text == "-" {
		return ""
	}
	for set := range strings.FieldsSeq(text) {
		slots := strings.Split(set, ",")
		for _, slot := range slots {
			if !s.slot.MatchString(slot) {
				return fmt.Sprintf("%s: %d modules in %s: %q is not a slot", s.block, modules, set, slot)
			}
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(slots)))
		if len(slots) != modules || len(distinct) != modules {
			return fmt.Sprintf("%s: %d modules in %s: expected %d different slots", s.block, modules, set, modules)
		}
	}
	return ""
}

const columns = "#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source"

// longest limits a row, because the table is searched by bisection.
const longest = 512

func checkProcessors(name string, data []byte) datafile.Complaints {
	var out datafile.Complaints
	last, at := "", 0
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		at++
		if at == 1 {
			if scan.Text() != columns {
				return datafile.Complaints{datafile.OfFile(name, "expected the columns "+columns)}
			}
			continue
		}
		if text := processorFault(scan.Text(), last); text != "" {
			out = append(out, datafile.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
		last, _, _ = strings.Cut(scan.Text(), ",")
	}
	if at == 0 {
		out = append(out, datafile.OfFile(name, "an empty file, expected the columns "+columns))
	}
	return out
}

func processorFault(row, last string) string {
	cells, want := strings.Split(row, ","), strings.Count(columns, ",")+1
	switch {
	case len(cells) != want || strings.Contains(row, `"`):
		return fmt.Sprintf("%d cells, expected %d without quotes", len(cells), want)
	case len(row) >= longest:
		return fmt.Sprintf("%d characters, expected fewer than %d", len(row), longest)
	case cells[0] != strings.ToLower(cells[0]) || cells[0] == "":
		return fmt.Sprintf("key %q, expected the name in small letters", cells[0])
	case cells[0] <= last:
		return fmt.Sprintf("key %q after %q: rows are in the order of their keys, each key once", cells[0], last)
	case cells[len(cells)-1] == "":
		return cells[0] + ": the source is missing"
	}
	for _, i := range []int{4, 5, 8, 9, 10} {
		if n, err := strconv.Atoi(cells[i]); cells[i] != "" && (err != nil || n <= 0) {
			return fmt.Sprintf("%s: %s is %q, expected a number or nothing", cells[0], strings.Split(columns, ",")[i], cells[i])
		}
	}
	return ""
}
