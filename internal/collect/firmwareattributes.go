package collect

import (
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
)

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
	for i := range c.facts.FirmwareAttributes.Drivers.Value {
		d := &c.facts.FirmwareAttributes.Drivers.Value[i]
		if len(d.Attributes.Value) == 0 {
			continue
		}
		vendor, ok := firmwareVendors[d.Name]
		if !ok {
			vendor = "driver " + d.Name // a vendor without a table
		}
		settled := d.PendingReboot.Known() && !d.PendingReboot.Value
		e := &bios.Export{Name: d.Name, Format: bios.FirmwareAttributes, Vendor: vendor, ReadsPending: !settled}
		for j := range d.Attributes.Value {
			e.Attributes = append(e.Attributes, firmwareAttribute(&d.Attributes.Value[j], settled))
		}
		out = append(out, Export{Source: inventory.SourceFirmwareAttributes, Path: d.Attributes.From.Path, Export: e})
	}
	return out
}

func firmwareAttribute(a *host.FirmwareAttribute, settled bool) bios.Attribute {
	value, stated := a.Current.Get()
	out := bios.Attribute{Name: a.Name, Display: a.Display.Value, Value: value, Stated: stated, Options: a.Possible, Place: a.Current.From.Path}
	if settled && stated {
		out.Pending, out.HasPending = value, true
	}
	return out
}
