package host

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const firmwareAttributesDir = "/sys/class/firmware-attributes"

// FirmwareAttributes is /sys/class/firmware-attributes (Documentation/ABI/testing/sysfs-class-firmware-attributes):
// BIOS settings of desktop and mobile machines, whose drivers are dell-wmi-sysman, thinklmi and hp-bioscfg. Servers
// have none.
type FirmwareAttributes struct {
	Source Source
	// Drivers is Absent if no driver is loaded.
	Drivers fact.Fact[[]FirmwareDriver]
}

// FirmwareDriver is one driver's attributes.
type FirmwareDriver struct {
	// Name is the driver: "dell-wmi-sysman".
	Name string
	// PendingReboot is true if changes wait for a reboot; then a current value may be that of the next boot.
	PendingReboot fact.Fact[bool]
	// Attributes in the order of their names.
	Attributes fact.Fact[[]FirmwareAttribute]
}

// FirmwareAttribute is one setting. Of texts (service tag, asset tag, owner) and lists only the
// names are read, not the values.
type FirmwareAttribute struct {
	Name string
	// Type is "enumeration", "integer" ...
	Type, Display fact.Fact[string]
	// Current can be read only by root on Dell's and Lenovo's machines.
	Current fact.Fact[string]
	// Possible are the possible values, if the driver lists them.
	Possible []string
}

// ReadFirmwareAttributes reads /sys/class/firmware-attributes.
func ReadFirmwareAttributes(root *Root) *FirmwareAttributes {
	r := newReader(root, inventory.SourceFirmwareAttributes)
	f := &FirmwareAttributes{Drivers: r.firmwareDrivers()}
	needed := []stater{f.Drivers}
	var optional []stater
	for d := range inventory.Each(f.Drivers.Value) {
		needed = append(needed, d.Attributes)
		for j := range d.Attributes.Value {
			if a := &d.Attributes.Value[j]; a.hasSettingValue() {
				optional = append(optional, a.Current)
			}
		}
	}
	f.Source = summariseSource("firmware_attributes", needed, optional...)
	return f
}

// IsPresent reports whether there is a driver, or the folder exists but could not be read.
func (f *FirmwareAttributes) IsPresent() bool {
	return f.Drivers.State != fact.Absent && f.Drivers.State != fact.Unread
}

func (r *reader) firmwareDrivers() fact.Fact[[]FirmwareDriver] {
	names := r.listNames(firmwareAttributesDir)
	switch n := len(names.Value); {
	case n == 0 && names.Known():
		return unknownFact[[]FirmwareDriver](r.source, &ReadError{Op: "list", Path: firmwareAttributesDir, State: fact.Absent, Err: fmt.Errorf("no driver")})
	case n > 16:
		return malformedFact[[]FirmwareDriver](r.evidenceAt(firmwareAttributesDir, ""), fmt.Errorf("%d drivers", n))
	}
	return each(names, func(name string) FirmwareDriver {
		dir := firmwareAttributesDir + "/" + name + "/attributes"
		return FirmwareDriver{Name: name, Attributes: r.firmwareAttributes(dir), PendingReboot: r.readFlag(dir + "/pending_reboot")}
	})
}

func (r *reader) firmwareAttributes(dir string) fact.Fact[[]FirmwareAttribute] {
	names := r.listNames(dir)
	if n := len(names.Value); n > 2000 { // the fullest driver seen has under 200
		return malformedFact[[]FirmwareAttribute](r.evidenceAt(dir, ""), fmt.Errorf("%d attributes", n))
	}
	// Files of the driver are not attributes' folders.
	files := []string{"pending_reboot", "reset_bios", "debug_cmd", "save_settings"}
	names.Value = slices.DeleteFunc(names.Value, func(name string) bool { return slices.Contains(files, name) })
	return each(names, func(name string) FirmwareAttribute { return r.firmwareAttribute(dir+"/"+name, name) })
}

func (r *reader) firmwareAttribute(dir, name string) FirmwareAttribute {
	a := FirmwareAttribute{Name: name, Type: r.readText(dir + "/type"), Display: r.readText(dir + "/display_name")}
	if !a.hasSettingValue() {
		return a
	}
	a.Current = r.readText(dir + "/current_value")
	if p := r.readText(dir + "/possible_values"); p.Known() {
		a.Possible = splitWords(p.Value, ";")
	}
	// Some kernels leave Lenovo's list of options in the value: "Auto;[Optional:NPS1,NPS2,NPS4,Auto]" (ThinkStation
	// P620), and other text such as "[Status:ShowOnly]" and "[Excluded from boot order:USB HDD]".
	if value, more, ok := strings.Cut(a.Current.Value, ";["); ok {
		a.Current.Value = value
		if _, list, ok := strings.Cut("["+more, "[Optional:"); ok && len(a.Possible) == 0 {
			list, _, _ = strings.Cut(list, "]")
			a.Possible = splitWords(list, ",")
		}
	}
	return a
}

// hasSettingValue reports whether the attribute has a value that is a setting. Before 5.18 the kernel has no type
// for Lenovo's attributes, which are all enumerations.
func (a *FirmwareAttribute) hasSettingValue() bool {
	return a.Type.Value == "enumeration" || a.Type.Value == "integer" || a.Type.State == fact.Absent
}

func splitWords(list, separator string) []string {
	var out []string
	for word := range strings.SplitSeq(list, separator) {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}
