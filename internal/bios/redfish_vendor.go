package bios

import (
	"regexp"
	"strings"
	"sync"
)

// hpeRegistry is the name of HPE's registries: the ROM family, a letter and
// two digits, and the version.
var hpeRegistry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^BiosAttributeRegistry[A-Z][0-9]{2}\.v`) })

// vendorOf tells who wrote a Redfish document: by its registry, its OEM part,
// its shape, and last by the names of its attributes.
func (e *Export) vendorOf(body object) string {
	switch {
	case strings.HasPrefix(e.RegistryName, "Cisco"):
		return Cisco
	case hpeRegistry().MatchString(e.RegistryName):
		return HPE
	case strings.Contains(e.Path, "System.Embedded"):
		return Dell
	case strings.Contains(e.Path, "/Systems/Node") && nested(body):
		return Cray
	}
	if oem, ok := body["Oem"].(object); ok {
		for key, vendor := range map[string]string{"Hpe": HPE, "Hp": HPE, "Dell": Dell, "Lenovo": Lenovo, "Supermicro": Supermicro,
			"Cisco": Cisco, "Intel": Intel, "GBTechnology": Gigabyte, "ts_fujitsu": Fujitsu} {
			if _, ok := oem[key]; ok {
				return vendor
			}
		}
	}
	if actions, ok := body["Actions"].(object); ok {
		for name := range actions {
			if strings.HasPrefix(name, "#Zt") {
				return ZT
			}
		}
	}
	return vendorByNames(e.Attributes)
}

// nested reports attributes that are objects with a current value.
func nested(body object) bool {
	attributes, _ := body["Attributes"].(object)
	for _, v := range attributes {
		o, ok := v.(object)
		if !ok {
			return false
		}
		if _, ok := o["current_value"]; !ok {
			return false
		}
	}
	return len(attributes) > 0
}

// Shapes of attribute names.
var (
	// lenovoName: a menu group of ThinkSystem and an underscore.
	lenovoName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(Processors|OperatingModes|Memory|DevicesandIOPorts|Devices_and_IO_Ports|BootModes|Power|SystemRecovery)_[A-Za-z0-9]`)
	})
	// suffixedName: Supermicro's four hexadecimal digits.
	suffixedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_[0-9A-F]{4}$`) })
	// opaqueName: AMI's module and number, as KTIS001 or GBT0001.
	opaqueName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]{2,5}[0-9A-F]{2,4}$`) })
)

// signatures are attribute names that one vendor alone uses.
var signatures = map[string]string{
	"SysProfile": Dell, "LogicalProc": Dell, "SystemModelName": Dell, "AcPwrRcvry": Dell, "ProcCStates": Dell, "MemOpMode": Dell, "ProcTurboMode": Dell,
	"ProcPwrPerf": Dell, "EmbSata": Dell, "SysMemSize": Dell, "NumaNodesPerSocket": Dell,
	"ProcHyperthreading": HPE, "ProcTurbo": HPE, "ProcSMT": HPE, "ProcAMDBoost": HPE, "MinProcIdlePower": HPE, "PowerRegulator": HPE, "AdminPhone": HPE,
	"NumaGroupSizeOpt": HPE, "MaxMemBusFreqMHz": HPE, "AdvancedMemProtection": HPE, "MemPatrolScrubbing": HPE, "PowerProfile": HPE, "ServerAssetTag": HPE,
	"IntelHyperThread": Cisco, "IntelTurboBoostTech": Cisco, "SelectMemoryRAS": Cisco, "CpuEngPerfBias": Cisco, "PwrPerfTuning": Cisco,
	"CbsCmnCpuCpb": Cisco, "CbsCpuSmtCtrl": Cisco, "CiscoAdaptiveMemTraining": Cisco, "NUMAOptimize": Cisco,
}

// vendorByNames counts the names that tell a vendor; the most frequent wins,
// and a tie tells nothing.
func vendorByNames(attributes []Attribute) string {
	votes := map[string]int{}
	opaque := 0
	for i := range attributes {
		name := attributes[i].Name
		switch {
		case signatures[name] != "":
			votes[signatures[name]]++
		case lenovoName().MatchString(name):
			votes[Lenovo]++
		case suffixedName().MatchString(name):
			votes[Supermicro]++
		case strings.HasPrefix(name, "GBT") && opaqueName().MatchString(name):
			votes[Gigabyte]++
			opaque++
		case opaqueName().MatchString(name):
			opaque++
		}
	}
	if opaque > len(attributes)/2 {
		if votes[Gigabyte] > 0 {
			return Gigabyte
		}
		return AMI
	}
	best, most, tie := "", 0, false
	for vendor, n := range votes {
		switch {
		case n > most:
			best, most, tie = vendor, n, false
		case n == most:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}
