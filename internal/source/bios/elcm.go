package bios

import (
	"maps"
	"slices"
	"strings"
)

// ELCM is a profile of Fujitsu's iRMC (eLCM, embedded lifecycle management) with the settings of BIOS setup.
const ELCM Format = "elcm"

// elcmConfig returns the BIOS part of an eLCM profile (iRMC S4 and later, /rest/v1/Oem/eLCM/ProfileManagement/BiosConfig; the
// form is that of python-scciclient, scciclient/irmc/elcm.py), nil for another document.
func elcmConfig(o object) object {
	return within(o, "Server", "SystemConfig", "BiosConfig")
}

// decodeELCM decodes the groups of a profile; their names are the menus. Keys that begin with @ are the profile's own.
func decodeELCM(config object) (*Export, error) {
	const root = "$.Server.SystemConfig.BiosConfig"
	e := &Export{Format: ELCM, Vendor: Fujitsu}
	var group func(o object, at string, menu []string)
	group = func(o object, at string, menu []string) {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			place := at + pathStep(key)
			if strings.HasPrefix(key, "@") {
				continue
			}
			if inner, ok := o[key].(object); ok {
				group(inner, place, append(slices.Clone(menu), cleanValue(key)))
				continue
			}
			if word, ok := scalarText(o[key]); ok {
				e.add(Attribute{Name: cleanValue(key), Menu: strings.Join(menu, " > "), Value: word, Stated: true, Place: place})
			}
		}
	}
	group(config, root, nil)
	return e, e.errorIfEmpty(root, "a profile without a setting")
}
