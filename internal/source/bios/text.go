package bios

import (
	"regexp"
	"strings"
	"sync"
)

// textLine is one line of a text export with its number.
type textLine struct {
	n    int
	text string
}

func (l textLine) place() string { return lineOrigin(l.n) }

// racadmNames are attributes by which an excerpt of racadm's output without its key line is
// recognised.
const racadmNames = `SysProfile|LogicalProc|ProcCStates|ProcC1E|ProcTurboMode|ProcPwrPerf|NodeInterleave|MemFrequency|SubNumaCluster|NumaNodesPerSocket`

// Patterns of racadm's lines.
var (
	racadmKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[Key=([^#\]]+)(?:#([^\]]*))?\]$`) })
	racadmLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#?)([A-Za-z][A-Za-z0-9_. -]*)=(.*)$`) })
	racadmPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:racadm (?:.* )?)?(set )?(#?)BIOS\.([A-Za-z]+)\.([A-Za-z0-9]+)(?:=|\s+)(.*)$`)
	})
	racadmWait = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)\s*\(Pending Value=(.*)\)$`) })
)

// decodeRacadm decodes "racadm get BIOS.Group": a key line, then lines Name=Value. A pending value
// follows in brackets; a leading # marks an attribute that cannot be changed at present. Lines with
// the complete path BIOS.Group.Name=Value are read too, and those of a script of "racadm set" as what
// is to be set. Other lines of a transcript are ignored.
func decodeRacadm(lines []textLine) (*Export, error) {
	e := &Export{Format: Racadm, Vendor: Dell}
	group, other := "", false
	groups := map[string]bool{}
	for _, l := range lines {
		if m := racadmPath().FindStringSubmatch(l.text); m != nil {
			a := Attribute{Name: m[4], Menu: m[3], ReadOnly: m[2] != "", Place: l.place()}
			if strings.Contains(l.text, "set BIOS.") {
				e.PendingOnly = true
				a.Pending, a.HasPending = unquote(m[5]), true
			} else {
				a.Value, a.Stated = m[5], true
			}
			if err := e.add(a); err != nil {
				return nil, err
			}
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
		a := Attribute{Name: m[2], Menu: group, Value: m[3], Stated: true, ReadOnly: m[1] != "", Place: l.place()}
		if wait := racadmWait().FindStringSubmatch(m[3]); wait != nil {
			a.Value, a.Pending, a.HasPending = wait[1], wait[2], true
		}
		if err := e.add(a); err != nil {
			return nil, err
		}
	}
	if err := e.some(lines, "Name=Value below a [Key=BIOS...] line"); err != nil {
		return nil, err
	}
	e.Product, e.Firmware = e.stated("SystemModelName"), e.stated("SystemBiosVersion")
	e.Complete = groups["ProcSettings"] && groups["MemSettings"] && groups["SysProfileSettings"] && len(e.Attributes) >= 40
	return e, nil
}

// some returns an error if no attribute was found.
func (e *Export) some(lines []textLine, want string) error {
	if len(e.Attributes) > 0 {
		return nil
	}
	last := lines[len(lines)-1]
	return malformed(last.place(), "the file ends without a setting, expected %s", want)
}

// syscfgNames are options of Dell's syscfg by which its output is recognised (DELL-11G, Appendix
// B).
const syscfgNames = `profile|logicproc|nodeinterleave|turbomode|cstates|c1e|virtualization|memoptmode|snoopfilter`

var syscfgLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:--)?([a-z][a-z0-9_-]*)=(.*)$`) })

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
			e.problem("%s: not option=value", l.place())
			continue
		}
		if err := e.addPlain(m[1], m[2], false, l.place()); err != nil {
			return nil, err
		}
	}
	return e, e.some(lines, "option=value")
}

// ilorestNames are attributes that only HPE has, by which a printed excerpt is recognised. Dell has
// a WorkloadProfile too, with other values.
const ilorestNames = `(?:ProcHyperthreading|ProcTurbo|ProcSMT|ProcAMDBoost|MinProcIdlePower|MinProcIdlePkgState|PowerRegulator|NumaGroupSizeOpt|MaxMemBusFreqMHz|` +
	`AdvancedMemProtection|MemPatrolScrubbing|EnergyPerfBias|SubNumaClustering|CollabPowerControl|PowerProfile)=|` +
	`WorkloadProfile="?(?:General|Virtualization-|LowLatency|MissionCritical|Transactional|HighPerformance|DecisionSupport|Graphic|I/OThroughput|Custom)|` +
	`AttributeRegistry=BiosAttributeRegistry[A-Z]`

var ilorestLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)=(.*)$`) })

// wholeBIOS is the least number of attributes in a complete list of an HPE machine. "ilorest get"
// with single names prints fewer.
const wholeBIOS = 100

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
			if err := e.addPlain(name, value, false, l.place()); err != nil {
				return nil, err
			}
		}
	}
	e.Complete = len(e.Attributes) >= wholeBIOS
	return e, e.some(lines, "Name=Value")
}
