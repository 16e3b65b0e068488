package wording

import "strings"

// The ways to make known what an audit could not tell, in the words of the
// flags that take them. Way finds them.
const (
	// WayLive is for what the running kernel shows and a file cannot.
	WayLive = "audit the live machine, or give --root or --snapshot"
	// WayRoot is for what only root may read.
	WayRoot = "run as root"
	// WayBIOS is for what only BIOS setup itself knows.
	WayBIOS = "give --bios FILE or --redfish URL"
	// WayBMC is for what the BMC knows of the modules.
	WayBMC = "give --redfish URL (the BMC)"
	// WayMap is for slots whose channel no table gives.
	WayMap = "give --rules DIR with a slot map (see memaudit rules draft)"
	// WaySMBIOS is for firmware's table if it was not given.
	WaySMBIOS = "give --smbios FILE (sudo dmidecode --dump-bin FILE)"
	// WayComplete is for a part of dmidecode's output.
	WayComplete = "give the complete output of dmidecode"
	// WayCapture is for a capture that holds too little.
	WayCapture = "give a capture that holds more (memaudit snapshot)"
	// WayNone is for what no input would tell.
	WayNone = "cannot be determined from any supported input"
)

// waysByWord tell a way by a word of what would make a fact known. The first that fits counts, the narrower ones first.
var waysByWord = [...]struct{ word, way string }{
	{"--smbios", WaySMBIOS},
	{"complete output of dmidecode", WayComplete},
	{"SMBIOS type 4", "give SMBIOS or /proc/cpuinfo"},
	{"audit the live machine", WayLive},
	{"capture made by root with the msr module", "give a capture made by root with the msr module loaded"},
	{"msr module", "load the msr module (modprobe msr) and run as root"},
	{"run as root", WayRoot},
	{"a capture that holds", WayCapture},
	{"BMC's memory inventory", WayBMC},
	{"BIOS settings", WayBIOS},
	{"slot map", WayMap},
}

// WayToKnow is what to do, in one line, for a fact with this known_by. Equal texts group what one input makes known;
// unknown texts are returned unchanged.
func WayToKnow(knownBy string) string {
	if knownBy == "" {
		return WayNone
	}
	for _, w := range waysByWord {
		if strings.Contains(knownBy, w.word) {
			return w.way
		}
	}
	return knownBy
}

// needsByWay describes what a number of checks need to run.
var needsByWay = map[string]string{
	WayLive:     "need the running machine",
	WayRoot:     "need root",
	WayBIOS:     "need its BIOS settings (--bios FILE or --redfish URL)",
	WayBMC:      "need its BMC (--redfish URL)",
	WayMap:      "need a slot map (memaudit rules draft)",
	WaySMBIOS:   "need its SMBIOS table (--smbios FILE)",
	WayComplete: "need the complete output of dmidecode",
	WayCapture:  "need a fuller capture (memaudit snapshot)",
	WayNone:     "are not possible on this hardware",
}

// Need describes what a check needs to run, by what would make its facts known.
func Need(knownBy string) string {
	if need, ok := needsByWay[WayToKnow(knownBy)]; ok {
		return need
	}
	return "need other input"
}
