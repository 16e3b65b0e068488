package collect

import (
	"errors"
	"fmt"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/smbios"
)

// readFirmware decodes what the kernel provides of the SMBIOS table (all of it, its beginning, or single structures), unless a
// file was given, and records its problems.
func (c *collector) readFirmware() {
	if c.table == nil && c.facts != nil && !c.given {
		switch s := c.facts.SMBIOS; {
		case s.Table.Known():
			c.table = smbios.Decode(s.EntryPoint.Value, s.Table.Value)
		case s.Entries.Known():
			raws := make([][]byte, 0, len(s.Entries.Value))
			for _, e := range s.Entries.Value {
				raws = append(raws, e.Data)
			}
			c.table = smbios.DecodeEntries(raws)
		case len(s.Partial) > 0:
			c.table = smbios.Decode(s.EntryPoint.Value, s.Partial)
		}
	}
	f := &c.sys.Firmware
	if c.table == nil || len(c.table.Structures) == 0 {
		f.SMBIOS = c.noTableReason()
		f.Version = fact.UnknownFrom[string](f.SMBIOS)
		return
	}
	at := fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Raw: fmt.Sprintf("%d structures", len(c.table.Structures))}
	f.SMBIOS = fact.Known(true, fact.Direct, at)
	f.Version = fact.Unknown[string](fact.Absent, "a bare table does not state the SMBIOS version", "", at)
	if v := c.table.Version; v.Known() {
		at.Raw = fmt.Sprintf("%d.%d", v.Major, v.Minor)
		f.Version = fact.Known(at.Raw, fact.Direct, at)
	}
	f.FromFile = c.given
	for _, p := range c.table.Problems {
		f.Problems = append(f.Problems, inventory.Problem{Code: p.Code, Text: p.Text, Harmless: p.Harmless})
		if f.Lost == nil && losesStructures(&p) && !memoryComplete(c.table, &p) {
			f.Lost = &inventory.Problem{Code: p.Code, Text: p.Text}
		}
		if f.Short == nil && p.Code == smbios.CodeDevices {
			f.Short = &inventory.Problem{Code: p.Code, Text: p.Text}
		}
	}
}

func losesStructures(p *smbios.Problem) bool {
	cut := []string{smbios.CodeTruncated, smbios.CodeCount, smbios.CodeNoEndMarker,
		smbios.CodeZeroLength, smbios.CodeGarbage, smbios.CodeEarlyEnd}
	ofTable := p.Code == smbios.CodeLength && p.Handle < 0 // not of a structure
	return !p.Harmless && (ofTable || slices.Contains(cut, p.Code))
}

// memoryComplete reports whether a problem is located after all structures about processors and memory:
// every array lists as many devices as it announces, and a structure of an unrelated type follows before the problem.
// Between two arrays or two processors may lie inactive structures (type 126, for the DIMMs of a missing processor), a
// vendor's own types, the obsolete memory types 5 and 6, and caches (7).
func memoryComplete(t *smbios.Table, p *smbios.Problem) bool {
	if p.Code == smbios.CodeEarlyEnd {
		return false // processors or memory follow the marker
	}
	beyond := -1
	for i := range t.Structures {
		switch typ := t.Structures[i].Type; {
		case typ == 4 || typ >= 16 && typ <= 20:
			beyond = -1
		case beyond < 0 && (typ < 5 || typ > 7) && (typ < 126 || typ == 127):
			beyond = i
		}
	}
	// In a table shorter than announced, the end is missing, whatever the offset of the problem.
	placed := p.Offset >= 0 && p.Code != smbios.CodeLength && p.Code != smbios.CodeCount
	if beyond < 0 || placed && t.Structures[beyond].Offset > p.Offset {
		return false
	}
	listed := map[uint16]int{}
	for d := range t.EachMemoryDevice() {
		listed[d.Array.Or(0)]++
	}
	arrays := t.MemoryArrays()
	for i := range arrays {
		if n, ok := arrays[i].Devices.Get(); !ok || n == 0 || listed[arrays[i].Handle] < n {
			return false
		}
	}
	return len(arrays) > 0 && (t.Count(4) > 0 || t.Count(127) > 0)
}

func (c *collector) noTableReason() fact.Fact[bool] {
	for _, f := range []*Failure{c.failed, c.rootFailed} {
		if f != nil && (f == c.failed || !c.given) {
			return fact.Unknown[bool](f.State, f.Detail, "")
		}
	}
	if c.table != nil && c.table.Err != nil {
		return fact.Unknown[bool](refusedTable(c.table.Err), c.table.Err.Error(), "")
	}
	if c.given || c.facts == nil {
		return fact.Unknown[bool](fact.Malformed, "the file holds no SMBIOS structure", "")
	}
	v := c.facts.SMBIOS.Table
	at := v.From
	if arch := c.facts.CPU.Architecture; inventory.NoFirmwareTables(arch.Value) {
		return fact.Unknown[bool](fact.Absent, "machines of the architecture "+arch.Value+" have no SMBIOS table", "", arch.From)
	}
	switch v.State {
	case fact.Absent:
		return fact.Unknown[bool](fact.Absent, "no SMBIOS table visible", "", at)
	case fact.Unread:
		return fact.Unknown[bool](fact.Unread, "the input holds no SMBIOS table",
			fact.SMBIOSFile, at)
	case fact.OK:
		return fact.Unknown[bool](fact.Malformed, "the SMBIOS table holds no structure", "", at)
	default:
		return fact.UnknownFrom[bool](v)
	}
}

func refusedTable(err error) fact.State {
	if errors.Is(err, smbios.ErrTooLarge) {
		return fact.Refused
	}
	return fact.Malformed
}

func (c *collector) addSources() {
	switch {
	case c.failed != nil:
		c.sys.Sources = append(c.sys.Sources, c.failed.failedSource(inventory.SourceSMBIOS))
	case c.given:
		c.sys.Sources = append(c.sys.Sources, tableSource(c.table))
	}
	if c.rootFailed != nil {
		for _, name := range kernelSources {
			if name != inventory.SourceSMBIOS || !c.given {
				c.sys.Sources = append(c.sys.Sources, c.rootFailed.failedSource(name))
			}
		}
	}
	if c.facts == nil {
		return
	}
	for _, s := range c.facts.Sources() {
		if s.Name == inventory.SourceSMBIOS {
			if c.given {
				continue
			}
			if c.table != nil && (s.State == fact.SourceOK || len(c.table.Structures) == 0) {
				c.sys.Sources = append(c.sys.Sources, tableSource(c.table))
				continue
			}
		}
		c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: s.Name, State: s.State, Detail: nullable.String(s.Detail)})
	}
}

var kernelSources = [...]string{inventory.SourceSMBIOS, inventory.SourceDMIID, inventory.SourceCPU, inventory.SourceNUMA,
	inventory.SourceMemory, inventory.SourceCPUIdle, inventory.SourceCPUFreq, inventory.SourceEDAC, inventory.SourceACPI, inventory.SourceCmdline, inventory.SourceMSR}

func (f *Failure) failedSource(name string) inventory.Source {
	state := fact.SourceState(f.State.String())
	if !slices.Contains(state.Values(), state) || state == fact.SourceOK {
		state = fact.SourceRefused
	}
	return inventory.Source{Name: name, State: state, Detail: nullable.String(f.Detail)}
}

// tableSource is partial if a problem affects what an audit reads.
func tableSource(t *smbios.Table) inventory.Source {
	s := inventory.Source{Name: inventory.SourceSMBIOS, State: fact.SourceOK}
	if t.Err != nil {
		s.State, s.Detail = refusedTable(t.Err).Source(), nullable.String(t.Err.Error())
		return s
	}
	if len(t.Structures) == 0 {
		s.State, s.Detail = fact.SourceMalformed, "no structure"
		return s
	}
	for _, p := range t.Problems {
		if !p.Harmless {
			s.State, s.Detail = fact.SourcePartial, nullable.String(p.Text)
			return s
		}
	}
	return s
}

func memoryArrays(t *smbios.Table) []inventory.Array {
	var out []inventory.Array
	for _, a := range t.MemoryArrays() {
		if use, ok := a.Use.Get(); ok && use != systemMemory {
			continue
		}
		s := structureOf(16, a.Handle, t)
		out = append(out, inventory.Array{Handle: a.Handle,
			ECC:      wordFact(s, "Error Correction Type", a.ECC),
			Devices:  fieldFact(s, "Number Of Devices", a.Devices, fact.Direct),
			MaxBytes: fieldFact(s, "Maximum Capacity", a.MaxCapacity, fact.Indirect)})
	}
	return out
}

// addHPELocations adds the position of each slot from HPE's own structures (type 202).
func (c *collector) addHPELocations() {
	locations := c.table.HPEDIMMLocations()
	for i := range c.sys.Slots {
		for _, l := range locations {
			if device, ok := l.Device.Get(); ok && inventory.Handle(device) == c.sys.Slots[i].Handle {
				processor, controller, channel := l.Processor.Or(0), l.Controller.Or(0), l.Channel.Or(0) // from 1, 0 is unknown
				at := structureOf(202, l.Handle, c.table).fieldEvidence("processor, controller, channel",
					fmt.Sprintf("%d, %d, %d", processor, controller, channel))
				c.sys.Slots[i].HPE = &inventory.Location{Processor: processor - 1, Controller: controller - 1, Channel: channel - 1,
					Index: l.IndexInChannel.Or(-1), Evidence: at}
			}
		}
	}
}

// firmwareVendors maps the drivers of /sys/class/firmware-attributes to the vendors of their
// machines. HP Inc. is not HPE, and no table has its attributes.
var firmwareVendors = map[string]string{"dell-wmi-sysman": bios.Dell, "thinklmi": bios.Lenovo}

// firmwareAttributes returns the BIOS settings that the kernel shows, one export for each driver. If
// changes wait for a reboot, the driver does not state whether a value is the current or the pending
// one.
func (c *collector) firmwareAttributes() []Export {
	if c.facts == nil || c.facts.FirmwareAttributes == nil {
		return nil
	}
	var out []Export
	for d := range inventory.Pointers(c.facts.FirmwareAttributes.Drivers.Value) {
		if len(d.Attributes.Value) == 0 {
			continue
		}
		vendor, ok := firmwareVendors[d.Name]
		if !ok {
			vendor = "driver " + d.Name // a vendor without a table
		}
		settled := d.PendingReboot.Known() && !d.PendingReboot.Value
		e := &bios.Export{Name: d.Name, Format: bios.FirmwareAttributes, Vendor: vendor, ReadsPending: !settled}
		for a := range inventory.Pointers(d.Attributes.Value) {
			value, stated := a.Current.Get()
			own := bios.Attribute{Name: a.Name, Display: a.Display.Value, Value: value, Stated: stated, Options: a.Possible, Place: a.Current.From.Path}
			if settled && stated {
				own.Pending, own.HasPending = value, true
			}
			e.Attributes = append(e.Attributes, own)
		}
		out = append(out, Export{Source: inventory.SourceFirmwareAttributes, Path: d.Attributes.From.Path, Export: e})
	}
	return out
}
