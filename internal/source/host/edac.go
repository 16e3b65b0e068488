package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const (
	edacDir = "/sys/devices/system/edac/mc"
	// maxListed limits one listing; the largest machines have 64 controllers.
	maxListed = 1024
)

// EDAC is what the drivers of the memory controllers show (Documentation/admin-guide/ras.rst).
type EDAC struct {
	Source Source
	// Controllers are mc0, mc1 and so on, in numeric order. It is Absent if no driver registered one,
	// which does not mean that there is no ECC.
	Controllers fact.Fact[[]Controller]
}

// Controller is one memory controller, which is not the same as a socket.
type Controller struct {
	inventory.Controller
	// ScrubRate is sdram_scrub_rate in bytes/s.
	ScrubRate fact.Fact[int64]
	// Entries are the controller's DIMMs, or the reason why they could not be listed.
	Entries fact.Fact[[]inventory.ControllerDIMM]
}

// ReadEDAC reads /sys/devices/system/edac/mc.
func ReadEDAC(root *Root) *EDAC {
	r := newReader(root, inventory.SourceEDAC)
	e := &EDAC{Controllers: r.controllers()}
	needed := []stater{e.Controllers}
	var optional []stater
	for c := range inventory.Pointers(e.Controllers.Value) {
		needed = append(needed, c.Name, c.Entries)
		for d := range inventory.Pointers(c.Entries.Value) {
			optional = append(optional, d.SizeBytes, d.Label, d.Mode, d.Corrected, d.Uncorrected)
		}
	}
	e.Source = summariseSource("edac", needed, optional...)
	return e
}

func (r *reader) controllers() fact.Fact[[]Controller] {
	found := r.listNumbered(edacDir, "mc")
	switch {
	case found.State != fact.OK:
		return fact.UnknownFrom[[]Controller](found)
	case len(found.Value) == 0 && !r.root.isConclusive(edacDir):
		return unknownFact[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Unread, Err: ErrNotCaptured})
	case len(found.Value) == 0:
		return unknownFact[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Absent, Err: errors.New("no driver registered a controller")})
	case len(found.Value) > maxListed:
		return malformedFact[[]Controller](r.evidenceAt(edacDir, ""), fmt.Errorf("%d controllers", len(found.Value)))
	}
	return each(found, func(n int) Controller {
		dir := numberedPath(edacDir+"/mc", n, "")
		entries := r.edacEntries(dir)
		return Controller{Entries: entries, ScrubRate: notNegative(r.readNumber(dir + "/sdram_scrub_rate")),
			Controller: inventory.Controller{Index: n, Name: r.readText(dir + "/mc_name"), DIMMs: entries.Value,
				CountedSeconds:    notNegative(r.readNumber(dir + "/seconds_since_reset")),
				Corrected:         notNegative(r.readNumber(dir + "/ce_count")),
				Uncorrected:       notNegative(r.readNumber(dir + "/ue_count")),
				CorrectedNoInfo:   notNegative(r.readNumber(dir + "/ce_noinfo_count")),
				UncorrectedNoInfo: notNegative(r.readNumber(dir + "/ue_noinfo_count"))}}
	})
}

// edacEntries reads the folders of the newest layout that exists; csrows only if there are no dimmN and rankN.
func (r *reader) edacEntries(dir string) fact.Fact[[]inventory.ControllerDIMM] {
	for _, kind := range []string{"dimm", "rank", "csrow"} {
		found := r.listNumbered(dir, kind)
		if found.State != fact.OK {
			return fact.UnknownFrom[[]inventory.ControllerDIMM](found)
		}
		if len(found.Value) > maxListed {
			return malformedFact[[]inventory.ControllerDIMM](r.evidenceAt(dir, ""), fmt.Errorf("%d entries", len(found.Value)))
		}
		if len(found.Value) == 0 {
			continue
		}
		return each(found, func(n int) inventory.ControllerDIMM { return r.edacEntry(dir, kind, n) })
	}
	return fact.Known([]inventory.ControllerDIMM{}, fact.Direct, r.evidenceAt(dir, ""))
}

func (r *reader) edacEntry(dir, kind string, n int) inventory.ControllerDIMM {
	d := numberedPath(dir+"/"+kind, n, "")
	var out inventory.ControllerDIMM
	if kind == "csrow" {
		several := unknownFact[int64](r.source, &ReadError{Op: "read", Path: d + "/ce_count", State: fact.Unread, Err: errors.New("a csrow's counters are those of several modules")})
		out = inventory.ControllerDIMM{Label: r.readText(d + "/ch0_dimm_label"), Location: fact.Known(fmt.Sprintf("csrow %d", n), fact.Direct, r.evidenceAt(d, "")),
			SizeBytes: r.readMegabytes(d + "/size_mb"), Mode: r.readText(d + "/edac_mode"), Corrected: several, Uncorrected: several}
	} else {
		out = inventory.ControllerDIMM{Label: r.readText(d + "/dimm_label"), Location: r.readText(d + "/dimm_location"),
			SizeBytes: r.readMegabytes(d + "/size"), Mode: r.readText(d + "/dimm_edac_mode"),
			Corrected: notNegative(r.readNumber(d + "/dimm_ce_count")), Uncorrected: notNegative(r.readNumber(d + "/dimm_ue_count"))}
	}
	out.Mode.Certainty = min(out.Mode.Certainty, fact.Indirect)
	return out
}

func (r *reader) readMegabytes(path string) fact.Fact[int64] {
	v := r.readNumber(path)
	if v.State == fact.OK && (v.Value < 0 || v.Value > 1<<40) {
		return malformedFact[int64](r.evidenceAt(path, v.From.Raw), fmt.Errorf("%d MB", v.Value))
	}
	return fact.Convert(v, func(mb int64) int64 { return mb << 20 })
}

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
	for d := range inventory.Pointers(f.Drivers.Value) {
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
