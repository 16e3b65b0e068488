package host

const dmiDir = "/sys/class/dmi/id/"

// DMIID holds the strings in /sys/class/dmi/id (Documentation/ABI/testing/sysfs-class-dmi). Only
// root can read serial numbers and the UUID. They identify a machine: print them only on request.
type DMIID struct {
	Source                                                           Source
	Vendor, Product, ProductVersion, ProductFamily                   Value[string]
	BoardVendor, Board                                               Value[string]
	BIOSVendor, BIOSVersion, BIOSDate                                Value[string]
	ProductSerial, ProductUUID, BoardSerial, ChassisSerial, AssetTag Value[string]
}

// ReadDMIID reads /sys/class/dmi/id. Serial numbers that may not be read do not lower the state of
// the source.
func ReadDMIID(root *Root) *DMIID {
	r := newReader(root)
	d := &DMIID{}
	for _, f := range d.files() {
		*f.into = r.text(dmiDir + f.name)
	}
	d.Source = sourceOf("dmi_id", []outcomer{d.Vendor, d.Product},
		d.BoardVendor, d.Board, d.BIOSVendor, d.BIOSVersion, d.BIOSDate)
	return d
}

type dmiFile struct {
	name string
	into *Value[string]
}

func (d *DMIID) files() []dmiFile {
	return []dmiFile{
		{"sys_vendor", &d.Vendor}, {"product_name", &d.Product}, {"product_version", &d.ProductVersion},
		{"product_family", &d.ProductFamily}, {"board_vendor", &d.BoardVendor}, {"board_name", &d.Board},
		{"bios_vendor", &d.BIOSVendor}, {"bios_version", &d.BIOSVersion}, {"bios_date", &d.BIOSDate},
		{"product_serial", &d.ProductSerial}, {"product_uuid", &d.ProductUUID}, {"board_serial", &d.BoardSerial},
		{"chassis_serial", &d.ChassisSerial}, {"chassis_asset_tag", &d.AssetTag},
	}
}
