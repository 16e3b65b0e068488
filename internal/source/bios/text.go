package bios

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
)

type textLine struct {
	n    int
	text string
}

func (l textLine) originOfLine() string { return lineOrigin(l.n) }

// racadmNames are attributes by which an excerpt of racadm's output without its key line is recognised.
const racadmNames = `SysProfile|LogicalProc|ProcCStates|ProcC1E|ProcTurboMode|ProcPwrPerf|NodeInterleave|MemFrequency|SubNumaCluster|NumaNodesPerSocket`

// Patterns of racadm's lines.
var (
	racadmKey  = lazy.Pattern(`^\[Key=([^#\]]+)(?:#([^\]]*))?\]$`)
	racadmLine = lazy.Pattern(`^(#?)([A-Za-z][A-Za-z0-9_. -]*)=(.*)$`)
	racadmPath = lazy.Pattern(`^(?:racadm (?:.* )?)?(set )?(#?)BIOS\.([A-Za-z]+)\.([A-Za-z0-9]+)(?:=|\s+)(.*)$`)
	racadmWait = lazy.Pattern(`^(.*?)\s*\(Pending Value=(.*)\)$`)
)

// decodeRacadm decodes "racadm get BIOS.Group": a key line, then lines Name=Value. A pending value follows in brackets;
// a leading # marks an attribute that cannot be changed at present. Lines with the complete path BIOS.Group.Name=Value
// are read too, and those of a script of "racadm set" as what is to be set. Other lines of a transcript are ignored.
func decodeRacadm(lines []textLine) (*Export, error) {
	e := &Export{Format: Racadm, Vendor: Dell}
	group, other := "", false
	groups := map[string]bool{}
	for _, l := range lines {
		if m := racadmPath().FindStringSubmatch(l.text); m != nil {
			a := Attribute{Name: m[4], Menu: m[3], ReadOnly: m[2] != "", Place: l.originOfLine()}
			if strings.Contains(l.text, "set BIOS.") {
				e.PendingOnly = true
				a.Pending, a.HasPending = unquote(m[5]), true
			} else {
				a.Value, a.Stated = m[5], true
			}
			e.add(a)
			continue
		}
		if m := racadmKey().FindStringSubmatch(l.text); m != nil {
			group, other = m[2], !strings.HasPrefix(m[1], "BIOS.")
			groups[group] = !other
			continue
		}
		m := racadmLine().FindStringSubmatch(l.text)
		if m == nil || other {
			continue
		}
		a := Attribute{Name: m[2], Menu: group, Value: m[3], Stated: true, ReadOnly: m[1] != "", Place: l.originOfLine()}
		if wait := racadmWait().FindStringSubmatch(m[3]); wait != nil {
			a.Value, a.Pending, a.HasPending = wait[1], wait[2], true
		}
		e.add(a)
	}
	if err := e.errorIfNoLine(lines, "Name=Value below a [Key=BIOS...] line"); err != nil {
		return nil, err
	}
	e.Product, e.Firmware = e.statedValue("SystemModelName"), e.statedValue("SystemBiosVersion")
	e.Complete = groups["ProcSettings"] && groups["MemSettings"] && groups["SysProfileSettings"] && len(e.Attributes) >= 40
	return e, nil
}

func (e *Export) errorIfNoLine(lines []textLine, want string) error {
	return e.errorIfEmpty(lines[len(lines)-1].originOfLine(), "the file ends without a setting, expected %s", want)
}

// syscfgNames are options of Dell's syscfg by which its output is recognised (DELL-11G, Appendix B).
const syscfgNames = `profile|logicproc|nodeinterleave|turbomode|cstates|c1e|virtualization|memoptmode|snoopfilter`

var syscfgLine = lazy.Pattern(`^(?:--)?([a-z][a-z0-9_-]*)=(.*)$`)

// decodeSyscfg decodes the output of syscfg of Dell's Deployment Toolkit: "syscfg --logicproc"
// prints logicproc=disable. After a change syscfg prints the new value at once, although it takes
// effect at the next boot (DELL-11G, Appendix B).
func decodeSyscfg(lines []textLine) (*Export, error) {
	e := &Export{Format: DellSyscfg, Vendor: Dell, ReadsPending: true}
	for _, l := range lines {
		if strings.HasPrefix(l.text, "[") || strings.HasPrefix(l.text, ";") || strings.HasPrefix(l.text, "#") {
			continue
		}
		m := syscfgLine().FindStringSubmatch(l.text)
		if m == nil {
			e.recordProblem("%s: not option=value", l.originOfLine())
			continue
		}
		e.addPlain(m[1], m[2], l.originOfLine())
	}
	return e, e.errorIfNoLine(lines, "option=value")
}

// ilorestNames are attributes that only HPE has, by which a printed excerpt is recognised. Dell has
// a WorkloadProfile too, with other values.
const ilorestNames = `(?:ProcHyperthreading|ProcTurbo|ProcSMT|ProcAMDBoost|MinProcIdlePower|MinProcIdlePkgState|PowerRegulator|NumaGroupSizeOpt|MaxMemBusFreqMHz|` +
	`AdvancedMemProtection|MemPatrolScrubbing|EnergyPerfBias|SubNumaClustering|CollabPowerControl|PowerProfile)=|` +
	`WorkloadProfile="?(?:General|Virtualization-|LowLatency|MissionCritical|Transactional|HighPerformance|DecisionSupport|Graphic|I/OThroughput|Custom)|` +
	`AttributeRegistry=BiosAttributeRegistry[A-Z]`

var ilorestLine = lazy.Pattern(`^([A-Za-z][A-Za-z0-9_]*)=(.*)$`)

// decodeILORest decodes the output of "ilorest get --select Bios.": lines Name=Value, the properties of the resource, and
// the attributes indented below "Attributes=".
func decodeILORest(lines []textLine) (*Export, error) {
	e := &Export{Format: ILORest, Vendor: HPE}
	for _, l := range lines {
		m := ilorestLine().FindStringSubmatch(l.text)
		if m == nil || strings.HasPrefix(m[1], "@") {
			continue // a message of the tool
		}
		switch name, value := m[1], unquote(m[2]); {
		case name == "AttributeRegistry":
			e.RegistryName = value
		case value == "" && name == "Attributes", name == "Id", name == "Name", name == "Description":
		default:
			e.addPlain(name, value, l.originOfLine())
		}
	}
	e.Complete = len(e.Attributes) >= 100 // "ilorest get" with single names prints fewer
	return e, e.errorIfNoLine(lines, "Name=Value")
}

// omreportTell matches the heading of "omreport chassis biossetup", or the first line of a pair as
// releases before 7.0 print it.
const omreportTell = `^(System )?BIOS Settings$|^Attribute\s+: \S`

var omreportLine = lazy.Pattern(`^([A-Za-z][^:;]*?)\s*(?::(?: |$)|;)(.*)$`)

// systemProfiles maps the texts that OpenManage prints for the system profile to the values that
// Dell's other tools use.
var systemProfiles = map[string]string{
	"Performance Per Watt (DAPC)": "PerfPerWattOptimizedDapc", "Performance Per Watt Optimized (DAPC)": "PerfPerWattOptimizedDapc",
	"Performance Per Watt (OS)": "PerfPerWattOptimizedOs", "Performance Per Watt Optimized (OS)": "PerfPerWattOptimizedOs",
	"Performance": "PerfOptimized", "Performance Optimized": "PerfOptimized", "Dense Configuration Optimized": "DenseCfgOptimized", "Custom": "Custom",
}

// decodeOmreport decodes Dell OpenManage's "omreport chassis biossetup": the name of a setting in BIOS setup (with
// display=shortnames the attribute), a colon (with -fmt ssv a semicolon), and the text that setup shows for the value.
// Old releases print "Attribute : NAME" and "Setting : TEXT" on two lines.
func decodeOmreport(lines []textLine) (*Export, error) {
	e := &Export{Format: Omreport, Vendor: Dell}
	attribute := ""
	for _, l := range lines {
		m := omreportLine().FindStringSubmatch(l.text)
		if m == nil {
			continue // a heading or a line of dashes
		}
		name, value := m[1], cleanValue(m[2])
		switch name {
		case "Attribute":
			attribute = value
			continue
		case "Setting":
			name, attribute = attribute, ""
		}
		if strings.EqualFold(name, "System Profile") || name == "SysProfile" {
			code, ok := systemProfiles[value]
			if !ok {
				e.recordProblem("%s: the system profile %q is not known by that text", l.originOfLine(), value)
				continue
			}
			name, value = "SysProfile", code
		}
		if name != "" {
			e.addPlain(name, value, l.originOfLine())
		}
	}
	return e, e.errorIfNoLine(lines, "NAME : VALUE")
}

// menuTexts are names that BIOS setup shows, by which a table of them is recognised.
const menuTexts = `Logical Processors?|System Profile|Workload Profile|(Intel(\(R\)|®)? )?Hyper-?Threading( Options| Technology|\[ALL\]|Tech)?|` +
	`(Intel(\(R\)|®)? )?Turbo (Boost|Mode)( Technology)?|Sub[- ]NUMA Cluster(ing)?|SNC|NUMA nodes per socket|SMT( Control| Mode)?|Node Interleaving|C[- ]States?|` +
	`NUMA Optimization|Hemisphere Mode|Memory Interleave|C1E|Power Regulator|CPU C6 report|Package C State|Minimum Processor Idle Power Core C-State|Operating Mode|Core Performance Boost|Global C-?state Control`

// tableHead matches the head of a table whose columns are named, whatever stands before them (AMD's guides).
const tableHead = `^\|((?:[^|]*\|)*)\s*(?:Name|Parameter)\s*\|\s*Value\s*\|`

// tableTell matches the head of a table of names and values, or a row with a name of BIOS setup.
const tableTell = `(?i)` + tableHead + `|^[|*-]?\s*(?:.*(?:->|→|>)\s*)?["*` + "`" + `]*(` + menuTexts + `)["*` + "`" + `]*\s*[|:=\t]\s*\S|^[|│║]?\s*(` + menuTexts + `)(\s\[[A-Za-z]+\])?[\s.]{2,}\[`

var (
	tableRow = lazy.Pattern(`^[*-]?\s*([^|:=\t]+?)\s*(?:[:=\t]|\s{3,})\s*(.+)$`)
	// consoleRow is a row of BIOS setup as a console shows it: the name, the value in brackets, and help beside it.
	consoleRow   = lazy.Pattern(`^[|│║]?\s*([^|│║]*[^|│║\s.])[\s.]{2,}\[([^\[\]]+)\]\s*(?:[|│║].*)?$`)
	tableRule    = lazy.Pattern(`^[-+=| :]+$`)
	tableHeading = lazy.Pattern(`(?i)` + tableHead)
)

// decodeTable decodes rows of a name and a value: the table of ironic's command line with the vendor's Redfish attributes,
// or a table with the texts of BIOS setup as in documents.
func decodeTable(lines []textLine) (*Export, error) {
	e := &Export{Format: Redfish}
	first := 0
	for _, l := range lines {
		if m := tableHeading().FindStringSubmatch(l.text); m != nil {
			first = strings.Count(m[1], "|")
		}
		name, value, ok := tableCells(l.text, first)
		if !ok || strings.HasPrefix(l.text, "#") {
			continue
		}
		e.addPlain(name, value, l.originOfLine())
	}
	if err := e.errorIfNoLine(lines, "rows of a name and a value"); err != nil {
		return nil, err
	}
	if e.deriveIdentity(object{}); e.Vendor == "" {
		e.Format, e.Complete = Menu, false
	}
	return e, nil
}

func menuEnd(name string) int {
	end := 0
	for _, arrow := range []string{"->", "→", " > "} {
		if at := strings.LastIndex(name, arrow); at >= 0 {
			end = max(end, at+len(arrow))
		}
	}
	return end
}

// tableCells returns the name and the value of a row; the name is in this column of a table with bars.
func tableCells(text string, column int) (name, value string, ok bool) {
	if tableRule().MatchString(text) {
		return "", "", false
	}
	if m := consoleRow().FindStringSubmatch(text); m != nil {
		return m[1], cleanValue(m[2]), true
	}
	if strings.HasPrefix(text, "|") {
		cells := strings.Split(strings.Trim(text, "| "), "|")
		if len(cells) < column+2 {
			return "", "", false
		}
		name, value = cleanValue(cells[column]), cleanValue(cells[column+1])
	} else if m := tableRow().FindStringSubmatch(text); m != nil {
		name, value = m[1], cleanValue(m[2])
	}
	name, value = strings.Trim(name, "*`\""), strings.Trim(value, "*`\",")
	name = strings.TrimSpace(name[menuEnd(name):])
	return name, value, name != "" && value != "" && value != "{" && !strings.EqualFold(value, "value")
}

// Patterns of lines in which tools wrap a name and its value: badfish (redhat-performance/badfish, its logger: the host in
// brackets if there are several, the time in its log file, colours on a terminal), what Dell's Redfish scripts save and
// print (dell/iDRAC-Redfish-Scripting, GetSetBiosAttributesREDFISH.py), an object as Python prints it, and headings of Markdown
// (mlcommons/inference_results, power settings of a submission).
var (
	colours     = lazy.Pattern(`\x1b\[[0-9;]*m`)
	badfishLine = lazy.Pattern(`^(?:\d\S* \S+ *: )?(?:\[([^]\s]+)\] )?- INFO +- (.*)$`)
	dellLine    = lazy.Pattern(`^(?:Attribute Name: (\S+)\s+Attribute Value: |Current value for attribute "([^"]+)": )(.*)$`)
	heading     = lazy.Pattern(`^#{2,6} +([^:=]+: +\S.*)$`)
	pythonLine  = lazy.Pattern(`^[({]*(?:'Attributes': \{)?'([^']+)'[:,] (?:'([^']*)'|([^'{}]*?))[)},]*$`)
)

// printedSettings returns the lines as NAME: VALUE. Settings of several hosts are several machines'.
func printedSettings(lines []textLine) ([]textLine, error) {
	out, host := slices.Clone(lines), ""
	for i := range out {
		text := colours().ReplaceAllString(out[i].text, "")
		if m := badfishLine().FindStringSubmatch(text); m != nil {
			if host = cmp.Or(host, m[1]); m[1] != host {
				return nil, severalMachinesError(lines[i].originOfLine(), m[1], host)
			}
			text = m[2]
		} else if m := dellLine().FindStringSubmatch(text); m != nil {
			text = m[1] + m[2] + ": " + unquote(m[3])
		} else if m := heading().FindStringSubmatch(text); m != nil {
			text = m[1]
		} else if m := pythonLine().FindStringSubmatch(text); m != nil {
			text = m[1] + ": " + m[2] + m[3]
		}
		out[i].text = text
	}
	return out, nil
}

// propertyRecords returns lists of one attribute's properties, "AttributeName: ProcC1E" and below it "CurrentValue: Enabled", as
// objects; other lines begin no list.
func propertyRecords(lines []textLine) (out []any) {
	var last object
	for _, l := range lines {
		key, value, ok := strings.Cut(strings.TrimPrefix(l.text, "- "), ":")
		key = strings.ToLower(strings.TrimSpace(key))
		if name, _, _ := nameAndValue(object{key: value}); ok && name != "" {
			last = object{}
			out = append(out, last)
		}
		if ok && last != nil {
			last[key] = unquote(strings.TrimSpace(value))
		}
	}
	return out
}

// tableRows returns the rows of a CSV table with a heading (ironic's -f csv, PowerShell's Export-Csv) as objects by the heading's
// words, none for other text. Rows that do not fit the heading are problems.
func tableRows(lines []textLine) (out []any, problems []string) {
	var b strings.Builder
	for _, l := range lines {
		if !strings.HasPrefix(l.text, "#TYPE ") { // of Windows PowerShell
			b.WriteString(l.text + "\n")
		}
	}
	for _, comma := range ",;" {
		r := csv.NewReader(strings.NewReader(b.String()))
		r.Comma, r.FieldsPerRecord = comma, -1
		table, err := r.ReadAll()
		if err != nil || len(table) == 0 || len(table[0]) < 2 {
			continue
		}
		for n, row := range table[1:] {
			if len(row) != len(table[0]) {
				problems = append(problems, fmt.Sprintf("row[%d] has %d cells, expected %d as in the heading: it is left out", n, len(row), len(table[0])))
				continue
			}
			o := object{}
			for i, cell := range row {
				o[strings.ReplaceAll(table[0][i], " ", "")] = cell
			}
			out = append(out, o)
		}
		return out, problems
	}
	return nil, nil
}

var hostColumn = lazy.Pattern(`(?i)^(inventory_?)?(host|node|server|machine|system|idrac|ilo|bmc|xcc|cimc|ip)[_-]?(name|ip|address)?$`)

func hostOfRow(row object) string {
	var names []string
	for key, v := range row {
		if text, _ := v.(string); text != "" && hostColumn().MatchString(key) {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// decodeWideTable decodes a CSV table with a column for each setting and a row for each machine. It is nil for other tables.
func decodeWideTable(rows []any) (*Export, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	e := &Export{Format: Redfish}
	row, _ := rows[0].(object)
	for _, name := range slices.Sorted(maps.Keys(row)) {
		if value, _ := row[name].(string); value != "" && !hostColumn().MatchString(name) {
			e.addPlain(name, value, "row[0]")
		}
	}
	if e.deriveIdentity(object{}); e.Vendor == "" {
		return nil, nil
	}
	if len(rows) > 1 {
		next, _ := rows[1].(object)
		return nil, severalMachinesError("row[1]", cmp.Or(hostOfRow(next), "row 2"), cmp.Or(hostOfRow(row), "row 1"))
	}
	return e, e.failed
}
