package bios

import (
	"regexp"
	"strings"
	"sync"
)

// omreportTell matches the heading of "omreport chassis biossetup", or the first line of a pair as
// releases before 7.0 print it.
const omreportTell = `^(System )?BIOS Settings$|^Attribute\s+: \S`

var omreportLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][^:;]*?)\s*(?::(?: |$)|;)(.*)$`) })

// systemProfiles maps the texts that OpenManage prints for the system profile to the values that
// Dell's other tools use.
var systemProfiles = map[string]string{
	"Performance Per Watt (DAPC)": "PerfPerWattOptimizedDapc", "Performance Per Watt Optimized (DAPC)": "PerfPerWattOptimizedDapc",
	"Performance Per Watt (OS)": "PerfPerWattOptimizedOs", "Performance Per Watt Optimized (OS)": "PerfPerWattOptimizedOs",
	"Performance": "PerfOptimized", "Performance Optimized": "PerfOptimized", "Dense Configuration Optimized": "DenseCfgOptimized", "Custom": "Custom",
}

// decodeOmreport decodes Dell OpenManage's "omreport chassis biossetup": the name of a setting in
// BIOS setup (with display=shortnames the attribute), a colon (with -fmt ssv a semicolon), and the
// text that setup shows for the value. Old releases print "Attribute : NAME" and "Setting : TEXT"
// on two lines.
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
		if name == "" {
			continue
		}
		if err := e.addOmreport(name, value, l); err != nil {
			return nil, err
		}
	}
	return e, e.some(lines, "NAME : VALUE")
}

// addOmreport appends one attribute. A text of the system profile that is not in systemProfiles is
// a problem and not a value.
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
