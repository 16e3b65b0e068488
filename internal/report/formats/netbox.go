package formats

import (
	"io"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
)

// netBox is what NetBox's REST API takes, one list an endpoint: manufacturers for
// POST /api/dcim/manufacturers/, of those that are not there, module_bays for
// /api/dcim/module-bays/, module_types for /api/dcim/module-types/ and modules for
// /api/dcim/modules/, in this order: each names those before it. Related objects are named by
// their attributes, as the API allows (NetBox: REST API overview, "Related
// Objects"; models DCIM module bay, module type, module).
type netBox struct {
	Schema        string         `json:"schema"`
	Manufacturers []manufacturer `json:"manufacturers"`
	ModuleBays    []moduleBay    `json:"module_bays"`
	ModuleTypes   []moduleType   `json:"module_types"`
	Modules       []moduleInBay  `json:"modules"`
}

// netBoxDevice names a device by its name, else by its serial number; both are
// null unless --host-name or --identifiers asked for them.
type netBoxDevice struct {
	Name   *string `json:"name,omitempty"`
	Serial *string `json:"serial,omitempty"`
}

// manufacturer is one that a module type needs (NetBox: netbox/dcim/models/modules.py,
// prerequisite_models); the slug is its name in addresses.
type manufacturer struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type moduleBay struct {
	Device      *netBoxDevice `json:"device"`
	Name        string        `json:"name"`
	Label       string        `json:"label"`
	Position    string        `json:"position"`
	Description string        `json:"description"`
}

type moduleType struct {
	Manufacturer *netboxName `json:"manufacturer"`
	Model        string      `json:"model"`
	PartNumber   string      `json:"part_number"`
}

type netboxName struct {
	Name string `json:"name"`
}

type bayOfDevice struct {
	Device *netBoxDevice `json:"device"`
	Name   string        `json:"name"`
}

type typeOfMaker struct {
	Manufacturer *netboxName `json:"manufacturer"`
	Model        string      `json:"model"`
}

// moduleInBay has no asset tag: NetBox wants each once in all of it, and firmware
// prints one for many modules.
type moduleInBay struct {
	Device     *netBoxDevice `json:"device"`
	ModuleBay  bayOfDevice   `json:"module_bay"`
	ModuleType typeOfMaker   `json:"module_type"`
	Status     string        `json:"status"`
	Serial     string        `json:"serial"`
}

// Lengths that NetBox's models allow.
const (
	maxBayName, maxBayLabel, maxModel, maxSerial, maxDescription = 64, 64, 100, 50, 200
)

// writeNetBox writes a bay for every slot, and a module for every one that holds
// a module whose maker and part number are known: NetBox has no module without.
func writeNetBox(w io.Writer, inv *report.Inventory) error {
	doc := netBox{Schema: "memaudit.netbox/v1", Manufacturers: []manufacturer{}, ModuleBays: []moduleBay{}, ModuleTypes: []moduleType{}, Modules: []moduleInBay{}}
	device := netBoxDeviceOf(&inv.Machine)
	names := bayNames(inv.Slots)
	seen := map[typeKey]bool{}
	for i := range inv.Slots {
		s := &inv.Slots[i]
		doc.ModuleBays = append(doc.ModuleBays, moduleBay{Device: device, Name: names[i], Label: boundText(report.OrEmpty(s.Locator), maxBayLabel),
			Position: s.Handle, Description: boundText("memory slot, SMBIOS handle "+s.Handle, maxDescription)})
		maker, part := report.OrEmpty(s.Manufacturer), report.OrEmpty(s.PartNumber)
		if s.State != "populated" || maker == "" || part == "" {
			continue
		}
		key := typeKey{boundText(maker, maxModel), boundText(part, maxModel)}
		if by := (manufacturer{key.maker, slug(key.maker)}); !slices.Contains(doc.Manufacturers, by) {
			doc.Manufacturers = append(doc.Manufacturers, by)
		}
		if !seen[key] {
			seen[key] = true
			doc.ModuleTypes = append(doc.ModuleTypes, moduleType{&netboxName{key.maker}, key.part, boundText(part, maxSerial)})
		}
		doc.Modules = append(doc.Modules, moduleInBay{Device: device, ModuleBay: bayOfDevice{device, names[i]},
			ModuleType: typeOfMaker{&netboxName{key.maker}, key.part}, Status: "active", Serial: boundText(report.OrEmpty(s.Serial), maxSerial)})
	}
	return writeIndented(w, "NetBox", &doc)
}

type typeKey struct{ maker, part string }

// slug is a name in small letters, digits and hyphens.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// netBoxDeviceOf is null where nothing that may be said names the machine.
func netBoxDeviceOf(m *report.Machine) *netBoxDevice {
	switch {
	case m.Host != nil:
		return &netBoxDevice{Name: m.Host}
	case m.Identifiers != nil && m.Identifiers.SystemSerial != nil:
		return &netBoxDevice{Serial: m.Identifiers.SystemSerial}
	default:
		return nil
	}
}

// bayNames are the slots' labels, with the bank before them where labels repeat
// and the handle where even that does: a bay's name is its device's own.
func bayNames(slots []report.Slot) []string {
	forms := []func(s *report.Slot) string{
		func(s *report.Slot) string { return report.OrEmpty(s.Locator) },
		func(s *report.Slot) string { return report.OrEmpty(s.BankLocator) + "/" + report.OrEmpty(s.Locator) },
		func(s *report.Slot) string { return report.OrEmpty(s.Locator) + " " + s.Handle },
	}
	for _, form := range forms {
		names, count := make([]string, len(slots)), map[string]int{}
		for i := range slots {
			names[i] = boundText(form(&slots[i]), maxBayName)
			count[names[i]]++
		}
		if len(count) == len(slots) && count[""] == 0 {
			return names
		}
	}
	names := make([]string, len(slots))
	for i := range slots {
		names[i] = slots[i].Handle
	}
	return names
}

// boundText bounds a text in characters, without what cannot be printed.
func boundText(s string, most int) string {
	text := []rune(strings.TrimSpace(printable.Clean(s)))
	return string(text[:min(len(text), most)])
}
