package collect

import (
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
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
	for i := range c.facts.FirmwareAttributes.Drivers.V {
		d := &c.facts.FirmwareAttributes.Drivers.V[i]
		if len(d.Attributes.V) == 0 {
			continue
		}
		vendor, ok := firmwareVendors[d.Name]
		if !ok {
			vendor = "driver " + d.Name // a vendor without a table
		}
		settled := d.PendingReboot.Known() && !d.PendingReboot.V
		e := &bios.Export{Name: d.Name, Format: bios.FirmwareAttributes, Vendor: vendor, ReadsPending: !settled}
		for j := range d.Attributes.V {
			e.Attributes = append(e.Attributes, firmwareAttribute(&d.Attributes.V[j], settled))
		}
		out = append(out, Export{Source: inventory.SourceFirmwareAttributes, Path: d.Attributes.Path, Export: e})
	}
	return out
}

func firmwareAttribute(a *host.FirmwareAttribute, settled bool) bios.Attribute {
	value, stated := a.Current.Get()
	out := bios.Attribute{Name: a.Name, Display: a.Display.V, Value: value, Stated: stated, Options: a.Possible, Place: a.Current.Path}
	if settled && stated {
		out.Pending, out.HasPending = value, true
	}
	return out
}
