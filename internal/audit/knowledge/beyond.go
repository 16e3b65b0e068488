package knowledge

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/settings"
)

// platform checks known citations, patterns that compile, speeds that fall with depth and have a cell for every
// depth, and that both documents exist.
func (c *checker) platform(s *Schemas, docs []*yaml.Node) {
	first := rulepack.Pairs(docs[0])
	if len(docs) != 2 || first["id"] == nil || rulepack.Pairs(docs[1])["recognise"] == nil {
		c.fault(docs[0], "", "%s, expected two: the platform, then --- and how it is recognised", humanize.Plural(len(docs), "document"))
		return
	}
	c.documents(s.documents(), first)
	c.speeds(first["speeds"], first["max_dpc"], false)
	c.speeds(first["also_normal"], first["max_dpc"], true)
	c.controllers(first)
	c.lockstep(first["lockstep_channels"], first["channels_per_socket"])
	for kind := range rulepack.Pairs(first["speeds"]) {
		c.module(first["speeds"], kind)
	}
	c.fewer(first["max_dpc_of"], first["speeds"], first["max_dpc"])
	for _, part := range itemsOf(first["parts"]) {
		p := rulepack.Pairs(part)
		depth := p["max_dpc"]
		if depth == nil {
			depth = first["max_dpc"]
		}
		c.speeds(p["speeds"], depth, false)
		c.pattern(p["brand"])
	}
	rows := itemsOf(rulepack.Pairs(docs[1])["recognise"])
	if len(rows) == 0 {
		c.fault(docs[1], "recognise", "empty: no machine would be recognised as this platform")
	}
	for _, row := range rows {
		r := rulepack.Pairs(row)
		c.recognised(r)
		c.pattern(r["brand"])
		c.pattern(r["product"])
		if r["family"] == nil && r["brand"] == nil && r["product"] == nil {
			c.fault(row, "recognise", "needs family and model, a brand or a product")
		}
	}
}

// controllers checks that all memory controllers have the same number of channels.
func (c *checker) controllers(first map[string]*yaml.Node) {
	channels, controllers := 0, 0
	for key, n := range map[string]*int{"channels_per_socket": &channels, "controllers": &controllers} {
		if first[key] == nil || first[key].Decode(n) != nil {
			return
		}
	}
	if controllers > 0 && channels%controllers != 0 {
		c.fault(first["controllers"], "controllers", "%d, expected a divisor of channels_per_socket, which is %d", controllers, channels)
	}
}

// recognised checks brand patterns: a vendor string that no CPU reports never matches.
func (c *checker) recognised(row map[string]*yaml.Node) {
	if v := row["vendor"]; v != nil {
		if printed := map[string]string{"Intel": "GenuineIntel", "AMD": "AuthenticAMD"}[v.Value]; printed != "" {
			c.fault(v, "recognise", "vendor %q, expected %s: the processor's own word", v.Value, printed)
		}
	}
	if b := row["brand"]; b != nil && plainMark().MatchString(b.Value) {
		c.fault(b, "recognise", `brand %q, expected \(R\) and \(TM\): without \ they are groups of the expression`, b.Value)
	}
}

// plainMark matches a trade mark in an expression without its backslash.
var plainMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(^|[^\\])\((R|TM)\)`) })

// documents checks that every key of a platform is a known document, that boards and measured layouts name one
// of the platform's, and that the citation agrees with the list. A site's document may be in the citation only.
func (c *checker) documents(listed map[string][]string, first map[string]*yaml.Node) {
	cited := ""
	if citation := rulepack.Pairs(first["citation"]); citation["key"] != nil {
		cited = citation["key"].Value
		c.sameDocument(first["citation"], citation, listed[cited])
	}
	own := map[string]bool{}
	for _, s := range itemsOf(first["sources"]) {
		own[s.Value] = true
		c.listed(s, "sources", listed, cited)
	}
	for _, s := range itemsOf(first["guides"]) {
		c.listed(s, "guides", listed, cited)
	}
	for _, list := range []string{"boards", "measured"} {
		for _, entry := range itemsOf(first[list]) {
			if s := rulepack.Pairs(entry)["source"]; s != nil && !own[s.Value] {
				c.fault(s, list, "source %s is not one of the platform's sources", s.Value)
			}
		}
	}
}

// listed reports a key that is not in the list; a site may use its own citation's.
func (c *checker) listed(s *yaml.Node, field string, listed map[string][]string, cited string) {
	switch {
	case listed[s.Value] != nil || s.Value == cited && !c.shipped:
	case c.shipped:
		c.fault(s, field, "%s is not in rules/%s", s.Value, platformSources)
	default:
		c.fault(s, field, "%s is not in rules/%s, nor the citation's key", s.Value, platformSources)
	}
}

// sameDocument compares a citation with the list's row for its key, if there is one.
func (c *checker) sameDocument(at *yaml.Node, citation map[string]*yaml.Node, row []string) {
	if row == nil {
		return
	}
	for i, name := range []string{"vendor", "title", "year", "place", "url"} {
		said, want := "", ""
		if n := citation[name]; n != nil {
			said = n.Value
		}
		if i+1 < len(row) {
			want = row[i+1]
		}
		if said != want {
			c.fault(at, "citation", "the %s of %s is %q, in rules/%s %q", name, row[0], said, platformSources, want)
		}
	}
}

// lockstep checks that a channel of a pair exists on the CPU and is in no other pair.
func (c *checker) lockstep(list, channels *yaml.Node) {
	count := 0
	if channels != nil {
		count, _ = strconv.Atoi(channels.Value)
	}
	seen := map[int]bool{}
	for _, pair := range itemsOf(list) {
		for _, cell := range itemsOf(pair) {
			channel, _ := strconv.Atoi(cell.Value)
			if channel >= count {
				c.fault(cell, "lockstep_channels", "channel %d, but channels_per_socket is %d", channel, count)
			}
			if seen[channel] {
				c.fault(cell, "lockstep_channels", "channel %d is listed twice", channel)
			}
			seen[channel] = true
		}
	}
}

// moduleKind matches a kind of modules with its own speeds.
var moduleKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(rdimm|lrdimm|udimm|mrdimm)(-(\dr)+)?(-\d\.\d+v)?$`)
})

func (c *checker) module(table *yaml.Node, kind string) {
	if !moduleKind().MatchString(kind) {
		c.fault(table, "speeds", "unknown kind %s, expected rdimm, lrdimm, udimm or mrdimm, with ranks and voltage where they matter (rdimm-2r-1.35v)", kind)
	}
}

// fewer checks max_dpc_of: each entry needs a row in speeds and must be lower than the channel's slots.
func (c *checker) fewer(table, speeds, depth *yaml.Node) {
	deep := 0
	if depth != nil {
		deep, _ = strconv.Atoi(depth.Value)
	}
	for kind, most := range rulepack.Pairs(table) {
		if rulepack.Pairs(speeds)[kind] == nil {
			c.fault(table, "max_dpc_of", "%s has no row in speeds", kind)
		}
		if n, _ := strconv.Atoi(most.Value); n >= deep {
			c.fault(most, "max_dpc_of."+kind, "%d, expected fewer than max_dpc, %d", n, deep)
		}
	}
}

// speeds checks that a row has a cell for every depth (0 if not supported or not documented) and does not rise
// with depth, and that a rate has its printed name. A table of single boards may be short: a board may have
// fewer slots.
func (c *checker) speeds(table, depth *yaml.Node, short bool) {
	if table == nil {
		return
	}
	deep := 0
	if depth != nil {
		deep, _ = strconv.Atoi(depth.Value)
	}
	for kind, row := range rulepack.Pairs(table) {
		if cells := len(row.Content); deep > 0 && cells > deep || deep > 0 && cells < deep && !short {
			c.fault(row, "speeds."+kind, "%d cells, but max_dpc is %d", cells, deep)
		}
		last := 0
		for _, cell := range row.Content {
			mts, _ := strconv.Atoi(rulepack.Resolve(cell).Value)
			if mts != 0 && last != 0 && mts > last {
				c.fault(cell, "speeds."+kind, "%d after %d: the speed rises with depth", mts, last)
			}
			if named := ddr.Nominal(mts); named != mts {
				c.fault(cell, "speeds."+kind, "%d MT/s is printed as %d", mts, named)
			}
			if mts != 0 {
				last = mts
			}
		}
	}
}

func (c *checker) pattern(n *yaml.Node) {
	if n == nil {
		return
	}
	if _, err := regexp.Compile(n.Value); err != nil {
		c.fault(n, "", "%v", err)
	}
}

// slotMaps checks known citations and patterns, unique slots, and groups that agree.
func (c *checker) slotMaps(s *Schemas, doc *yaml.Node, data []byte) {
	sources, locators := maps.Clone(s.sources()), s.locators()
	top := rulepack.Pairs(doc)
	for key := range rulepack.Pairs(top["sources"]) {
		sources[key] = true
	}
	for _, entry := range itemsOf(top["maps"]) {
		m := rulepack.Pairs(entry)
		id := m["id"].Value
		if !bytes.Contains(data, []byte("\n  - {id: "+id+",")) {
			c.fault(entry, id, "a map is one line that begins with two spaces and - {id: %s,", id)
		}
		for _, s := range itemsOf(m["sources"]) {
			if len(sources) > 0 && !sources[s.Value] {
				c.fault(s, id, "source %s is not in sources.yaml beside the maps", s.Value)
			}
		}
		for _, l := range itemsOf(m["locators"]) {
			if len(locators) > 0 && !locators[l.Value] {
				c.fault(l, id, "%s is not a pattern of locators.yaml", l.Value)
			}
		}
		c.groups(entry, m, id)
	}
}

// groups checks that a map's channels do not contradict each other.
func (c *checker) groups(entry *yaml.Node, m map[string]*yaml.Node, id string) {
	if m["unknown"] == nil && m["groups"] == nil {
		c.fault(entry, id, "needs groups, or unknown with the reason")
	}
	channels := len(itemsOf(m["groups"]))
	for _, key := range []string{"second", "controllers"} {
		if n := m[key]; n != nil && len(n.Content) != channels {
			c.fault(n, id, "%s has %d channels, groups %d", key, len(n.Content), channels)
		}
	}
	for _, key := range []string{"groups", "second"} {
		var seen []string
		for _, channel := range itemsOf(m[key]) {
			for _, slot := range itemsOf(channel) {
				if slices.Contains(seen, slot.Value) {
					c.fault(slot, id, "slot %s is listed twice in %s", slot.Value, key)
				}
				seen = append(seen, slot.Value)
			}
		}
	}
}

// fieldPattern matches a field of a locator pattern.
var fieldPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^}]*)(\}?)`) })

// constant matches a field with a number that the label does not print.
var constant = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`=\d$`) })

// fields are the names that a pattern may capture.
var fields = []string{"cpu", "p", "node", "ctl", "chan", "slot", "bslot", "num", "board", "_", "x", "C", "L", "S", "B"}

// locators checks that ids are unique and that patterns name known fields.
func (c *checker) locators(doc *yaml.Node) {
	seen := map[string]bool{}
	for _, rule := range itemsOf(rulepack.Pairs(doc)["rules"]) {
		r := rulepack.Pairs(rule)
		id := r["id"].Value
		if seen[id] {
			c.fault(r["id"], id, "this id is used twice")
		}
		seen[id] = true
		for _, p := range slices.Concat(itemsOf(r["locator"]), itemsOf(r["bank"])) {
			for _, m := range fieldPattern().FindAllStringSubmatch(p.Value, -1) {
				switch name := constant().ReplaceAllString(strings.TrimSuffix(m[1], ":1"), ""); {
				case m[2] == "":
					c.fault(p, id, "%q: a { without its }", p.Value)
				case !slices.Contains(fields, name):
					c.fault(p, id, "%q: unknown field {%s}, expected one of %s", p.Value, name, strings.Join(fields, ", "))
				}
			}
		}
	}
}

// settings checks that every entry's source is listed in the file, every id is in the vocabulary and every
// value is one of its words.
func (c *checker) settings(doc *yaml.Node) {
	top := rulepack.Pairs(doc)
	sources := rulepack.Pairs(top["sources"])
	known := func(entry *yaml.Node, what string) {
		if s := rulepack.Pairs(entry)["source"]; s != nil && sources[s.Value] == nil {
			c.fault(s, what, "source %s is not listed under sources", s.Value)
		}
	}
	for id, list := range rulepack.Pairs(top["settings"]) {
		what := "settings." + id
		setting, ok := settings.Lookup(id)
		if !ok {
			c.fault(list, what, "is not in rules/settings/vocabulary.tsv")
		}
		for _, entry := range itemsOf(list) {
			known(entry, what)
			e := rulepack.Pairs(entry)
			if e["attribute"] == nil && e["menu"] == nil {
				c.fault(entry, what, "needs an attribute or a menu path")
			}
			if ok {
				c.words(entry, what, setting)
			}
		}
	}
	for _, entry := range itemsOf(top["masters"]) {
		known(entry, "masters")
		c.presetEntry(entry)
	}
	for _, key := range []string{"commands", "generations"} {
		for _, entry := range itemsOf(top[key]) {
			known(entry, key)
		}
	}
}

// words checks that the meanings of an attribute's values are words of the setting.
func (c *checker) words(entry *yaml.Node, what string, setting settings.Setting) {
	values := rulepack.Pairs(rulepack.Pairs(entry)["values"])
	if len(values) == 0 && setting.Kind != settings.VendorName {
		c.fault(entry, what, "needs values: the vendor's word and one of %s", strings.Join(setting.Expected(), ", "))
	}
	for vendor, word := range values {
		if word.Value != settings.Next && !setting.Accepts(word.Value) {
			c.fault(word, what, "%s is %q, expected one of %s", vendor, word.Value, strings.Join(setting.Expected(), ", "))
		}
	}
}

// presetEntry checks that a preset names settings of the vocabulary, and that its values imply words of settings
// that it locks.
func (c *checker) presetEntry(entry *yaml.Node) {
	m := rulepack.Pairs(entry)
	locked := map[string]bool{}
	for _, id := range append(itemsOf(m["locks"]), m["setting"]) {
		locked[id.Value] = true
		if _, ok := settings.Lookup(id.Value); !ok {
			c.fault(id, "masters", "%s is not in rules/settings/vocabulary.tsv", id.Value)
		}
	}
	for preset, words := range rulepack.Pairs(m["means"]) {
		for id, word := range rulepack.Pairs(words) {
			switch setting, _ := settings.Lookup(id); {
			case !locked[id]:
				c.fault(word, "masters", "%s means a word of %s, which it does not lock", preset, id)
			case !setting.Accepts(word.Value):
				c.fault(word, "masters", "%s makes %s %q, expected one of %s", preset, id, word.Value, strings.Join(setting.Expected(), ", "))
			}
		}
	}
}

// parts checks that ids are unique, sources are listed, and patterns compile and have the groups that tables
// use.
func (c *checker) parts(doc *yaml.Node) {
	top := rulepack.Pairs(doc)
	sources, seen := rulepack.Pairs(top["sources"]), map[string]bool{}
	for _, entry := range itemsOf(top["parts"]) {
		p := rulepack.Pairs(entry)
		id := p["id"].Value
		if seen[id] {
			c.fault(p["id"], id, "this id is used twice")
		}
		seen[id] = true
		for _, s := range itemsOf(p["sources"]) {
			if sources[s.Value] == nil {
				c.fault(s, id, "source %s is not listed under sources", s.Value)
			}
		}
		re, err := regexp.Compile(p["match"].Value)
		if err != nil {
			c.fault(p["match"], id, "%v", err)
			continue
		}
		for _, table := range itemsOf(p["tables"]) {
			for _, group := range itemsOf(rulepack.Pairs(table)["by"]) {
				if re.SubexpIndex(group.Value) < 0 {
					c.fault(group, id, "match has no group %s", group.Value)
				}
			}
		}
	}
}

// columns of the table of processors.
const columns = "#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source"

// longest limits a row, because the table is searched by bisection.
const longest = 512

// checkProcessors checks a table of processors: the columns, sorted unique keys, numbers in number columns, a
// source in every row.
func checkProcessors(name string, data []byte) rulepack.Complaints {
	var out rulepack.Complaints
	last, at := "", 0
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		at++
		if at == 1 {
			if scan.Text() != columns {
				return rulepack.Complaints{{File: name, Line: 1, Column: 1, Text: "expected the columns " + columns}}
			}
			continue
		}
		if text := processorFault(scan.Text(), last); text != "" {
			out = append(out, rulepack.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
		last, _, _ = strings.Cut(scan.Text(), ",")
	}
	if at == 0 {
		out = append(out, rulepack.Complaint{File: name, Line: 1, Column: 1, Text: "an empty file, expected the columns " + columns})
	}
	return out
}

// processorFault returns what is wrong with one row.
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
