package bios

import (
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/settings"
)

// hpeRegistry matches the names of HPE's registries: iLO 4's, and those of a ROM family of a letter and two digits.
var hpeRegistry = lazy.Pattern(`^HpBiosAttributeRegistry|^BiosAttributeRegistry[A-Z][0-9]{2}\.v`)

// findVendor finds the vendor of a Redfish document by the registry, the path, the OEM objects and the actions of the
// document, or else by the names of its attributes. OEM objects of several vendors identify none.
func (e *Export) findVendor(body object) (vendor string, guessed bool) {
	switch {
	case strings.HasPrefix(e.RegistryName, "Cisco"):
		return Cisco, false
	case hpeRegistry().MatchString(e.RegistryName):
		return HPE, false
	case strings.Contains(e.Path, "System.Embedded"):
		return Dell, false
	case strings.Contains(e.Path, "/Systems/Node") && hasNestedValues(body):
		return Cray, false
	}
	found := map[string]bool{}
	for key, vendor := range map[string]string{"Hpe": HPE, "Hp": HPE, "Dell": Dell, "Lenovo": Lenovo, "Supermicro": Supermicro,
		"Cisco": Cisco, "Intel": Intel, "GBTechnology": Gigabyte, "ts_fujitsu": Fujitsu} {
		if _, ok := within(body, "Oem")[key]; ok {
			found[vendor] = true
		}
	}
	for vendor := range found {
		if len(found) == 1 {
			return vendor, false
		}
		return vendorByNames(e.Attributes)
	}
	for name := range within(body, "Actions") {
		if strings.HasPrefix(name, "#Zt") {
			return ZT, false
		}
	}
	return vendorByNames(e.Attributes)
}

func hasNestedValues(body object) bool {
	attributes := within(body, "Attributes")
	for name := range attributes {
		if _, ok := within(attributes, name)["current_value"]; !ok {
			return false
		}
	}
	return len(attributes) > 0
}

// Patterns of attribute names that identify a vendor.
var (
	// lenovoName: a menu group of Lenovo ThinkSystem and an underscore.
	lenovoName = lazy.Pattern(`^(Processors|OperatingModes|Memory|DevicesandIOPorts|Devices_and_IO_Ports|BootModes|Power|SystemRecovery)_[A-Za-z0-9]`)
	// suffixedName: the four hexadecimal digits at the end of Supermicro's names.
	suffixedName = lazy.Pattern(`_[0-9A-F]{4}$`)
	// opaqueName: AMI's names of a module and a number, such as KTIS001 or GBT0001.
	opaqueName = lazy.Pattern(`^[A-Z]{2,5}[0-9A-F]{2,4}$`)
)

// vendorByNames counts the attribute names that identify a vendor: those that only its table in rules/settings has, and
// those of its form. The most frequent vendor wins; a tie returns "". If
// more than half of the names are AMI's opaque ones, the vendor is Gigabyte if one starts with GBT, otherwise AMI.
//
// Names of reference code win only if there are at least two of them, more than of the other's, and fewer than two names
// of any vendor. guessed is true if fewer than two names identify the vendor, and always for AMI.
func vendorByNames(attributes []Attribute) (vendor string, guessed bool) {
	votes, opaque := countNames(attributes)
	if opaque > len(attributes)/2 {
		if votes[Gigabyte] > 0 {
			return Gigabyte, votes[Gigabyte] < 2
		}
		return AMI, true
	}
	reference, names := IntelReference, votes[IntelReference]
	switch amd := votes[AMDReference]; {
	case amd > names:
		reference, names = AMDReference, amd
	case amd == names:
		names = 0
	}
	delete(votes, IntelReference)
	delete(votes, AMDReference)
	best, most, tie := "", 0, false
	for vendor, n := range votes {
		switch {
		case n > most:
			best, most, tie = vendor, n, false
		case n == most:
			tie = true
		}
	}
	switch {
	case names >= 2 && most < 2:
		return reference, false
	case tie || best == "":
		return "", true
	}
	return best, most < 2
}

func countNames(attributes []Attribute) (votes map[string]int, opaque int) {
	votes = map[string]int{}
	for i := range attributes {
		name := attributes[i].Name
		switch vendor := settings.VendorOf(name); {
		case vendor != "":
			votes[vendor]++
		case strings.HasPrefix(name, "Cbs"):
			votes[AMDReference]++
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
	return votes, opaque
}
