package bios

import (
	"regexp"
	"strings"
	"sync"
)

// menuTexts are names that BIOS setup shows, by which a table of them is recognised.
const menuTexts = `Logical Processors?|System Profile|Workload Profile|(Intel(\(R\)|®)? )?Hyper-?Threading( Options| Technology|\[ALL\]|Tech)?|` +
	`(Intel(\(R\)|®)? )?Turbo (Boost|Mode)( Technology)?|Sub[- ]NUMA Cluster(ing)?|SNC|NUMA nodes per socket|SMT( Control| Mode)?|Node Interleaving|C[- ]States?|` +
	`C1E|Power Regulator|CPU C6 report|Package C State|Minimum Processor Idle Power Core C-State|Operating Mode|Core Performance Boost|Global C-?state Control`

// tableTell matches the head of a table of names and values, or a row with a name of BIOS setup.
const tableTell = `(?i)^\|\s*Name\s*\|\s*Value\s*\||^[|*-]?\s*(` + menuTexts + `)\s*[|:=\t]\s*\S`

var (
	tableRow  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[*-]?\s*([^|:=\t]+?)\s*(?:[:=\t]|\s{3,})\s*(.+)$`) })
	tableRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+=| :]+$`) })
)

// decodeTable decodes rows of a name and a value: the table of ironic's command line with the vendor's Redfish attributes,
// or a table with the texts of BIOS setup as in documents.
func decodeTable(lines []textLine) (*Export, error) {
	e := &Export{Format: Redfish}
	for _, l := range lines {
		name, value, ok := tableCells(l.text)
		if !ok || strings.HasPrefix(l.text, "#") {
			continue
		}
		if err := e.addPlain(name, value, false, l.place()); err != nil {
			return nil, err
		}
	}
	if err := e.some(lines, "rows of a name and a value"); err != nil {
		return nil, err
	}
	if e.finishNames(); e.Vendor == "" {
		e.Format, e.Complete = Menu, false
	}
	return e, nil
}

// tableCells splits a row. It skips rules, headings and rows without a value.
func tableCells(text string) (name, value string, ok bool) {
	if tableRule().MatchString(text) {
		return "", "", false
	}
	if strings.HasPrefix(text, "|") {
		cells := strings.Split(strings.Trim(text, "| "), "|")
		if len(cells) < 2 {
			return "", "", false
		}
		name, value = cleanValue(cells[0]), cleanValue(cells[1])
	} else if m := tableRow().FindStringSubmatch(text); m != nil {
		name, value = m[1], cleanValue(m[2])
	}
	name, value = strings.Trim(name, "*`\""), strings.Trim(value, "*`\"")
	return name, value, name != "" && value != "" && !strings.EqualFold(value, "value")
}
