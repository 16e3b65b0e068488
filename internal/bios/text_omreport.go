package bios

import (
	"regexp"
	"strings"
	"sync"
)

// omreportTell is the heading of "omreport chassis biossetup", or the first
// line of a pair as releases before 7.0 print them.
const omreportTell = `^(System )?BIOS Settings$|^Attribute\s+: \S`

var omreportLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][^:;]*?)\s*(?::(?: |$)|;)(.*)$`) })

// systemProfiles are the texts that OpenManage prints for the system profile,
// with the values that everything else of Dell's calls them by.
var systemProfiles = map[string]string{
	"Performance Per Watt (DAPC)": "PerfPerWattOptimizedDapc", "Performance Per Watt Optimized (DAPC)": "PerfPerWattOptimizedDapc",
	"Performance Per Watt (OS)": "PerfPerWattOptimizedOs", "Performance Per Watt Optimized (OS)": "PerfPerWattOptimizedOs",
	"Performance": "PerfOptimized", "Performance Optimized": "PerfOptimized", "Dense Configuration Optimized": "DenseCfgOptimized", "Custom": "Custom",
}

// decodeOmreport reads Dell OpenManage's "omreport chassis biossetup": a name in
// BIOS setup (or, with display=shortnames, an attribute), a colon (a semicolon
// with -fmt ssv), and the text that setup prints for the value. Old releases
// print "Attribute : NAME" and "Setting : TEXT" one below the other.
func decodeOmreport(lines []textLine) (*Export, error) {
	e := &Export{Format: Omreport, Vendor: Dell}
	attribute := ""
	for _, l := range lines {
		m := omreportLine().FindStringSubmatch(l.text)
		if m == nil {
			continue // headings and rules
		}
		name, value := m[1], cleanValue(m[2])
		switch name {
		case "Attribute":
			attribute = value
			continue
		case "Setting":
			name, attribute = attribute, ""
		}
		if name == "" {
			continue
		}
		if err := e.addOmreport(name, value, l); err != nil {
			return nil, err
		}
	}
	return e, e.some(lines, "NAME : VALUE")
}

// addOmreport adds one attribute; a text of the system profile that no document
// translates is not a value.
func (e *Export) addOmreport(name, value string, l textLine) error {
	if strings.EqualFold(name, "System Profile") || name == "SysProfile" {
		code, ok := systemProfiles[value]
		if !ok {
			e.problem("%s: the system profile %q is not known by that text", l.place(), value)
			return nil
		}
		return e.addPlain("SysProfile", code, false, l.place())
	}
	return e.addPlain(name, value, false, l.place())
}
