package bios

import (
	"regexp"
	"strings"
	"sync"
)

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

// decodeILORest decodes the output of "ilorest get --select Bios.": lines Name=Value, the
// attributes indented below "Attributes=", beside the properties of the resource itself.
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
