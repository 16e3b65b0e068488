package host

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const (
	dmiTable   = "/sys/firmware/dmi/tables/DMI"
	dmiEntry   = "/sys/firmware/dmi/tables/smbios_entry_point"
	dmiEntries = "/sys/firmware/dmi/entries"
)

// SMBIOS holds the raw bytes of the SMBIOS table.
type SMBIOS struct {
	Source Source
	// EntryPoint is tables/smbios_entry_point (24 or 31 bytes), Table is tables/DMI.
	EntryPoint, Table fact.Fact[[]byte]
	// Partial holds the bytes of a Table whose State is Truncated.
	Partial []byte
	// Entries are the structures in dmi/entries/TYPE-INSTANCE/raw by position, or by type if one
	// has no position. They are read only if Table is not known.
	Entries fact.Fact[[]SMBIOSEntry]
}

// SMBIOSEntry is one structure with its strings.
type SMBIOSEntry struct {
	// Type and Instance are in the folder's name. Position is the position in the table, -1 if that
	// of any structure is not known.
	Type, Instance, Position int
	Data                     []byte
}

// ReadSMBIOS reads the table below /sys/firmware/dmi
// (Documentation/ABI/testing/sysfs-firmware-dmi-tables, -dmi-entries).
func ReadSMBIOS(root *Root) *SMBIOS {
	r := newReader(root, inventory.SourceSMBIOS)
	s := &SMBIOS{EntryPoint: r.readTable(dmiEntry, LimitAttribute), Table: r.readTable(dmiTable, LimitSMBIOS)}
	needed := []stater{s.Table}
	switch s.Table.State {
	case fact.OK:
		s.Entries = unknownFact[[]SMBIOSEntry](r.source, &ReadError{Op: "read", Path: dmiEntries, State: fact.Unread, Err: ErrSkipped})
		needed = append(needed, s.EntryPoint)
	case fact.Truncated:
		s.Partial, _ = root.ReadLimit(dmiTable, LimitSMBIOS)
		fallthrough
	default:
		if s.Entries = r.dmiEntries(); s.Entries.State == fact.OK {
			needed = append([]stater{s.Entries}, needed...)
		}
	}
	s.Source = summariseSource("smbios", needed)
	return s
}

func (r *reader) readTable(path string, limit int) fact.Fact[[]byte] {
	switch b, err := r.root.appendFile(nil, "read", path, limit); {
	case err != nil:
		return unknownFact[[]byte](r.source, err)
	case len(b) == 0:
		return unknownFact[[]byte](r.source, &ReadError{Op: "read", Path: path, State: fact.Truncated, Err: errors.New("file is empty, a table was expected")})
	default:
		return fact.Known(b, fact.Direct, r.evidenceAt(path, fmt.Sprintf("%d bytes", len(b))))
	}
}

// If one structure fails, the complete list is unknown, because a table without it would be wrong.
func (r *reader) dmiEntries() fact.Fact[[]SMBIOSEntry] {
	names, err := r.root.readDir(dmiEntries)
	if err != nil {
		return unknownFact[[]SMBIOSEntry](r.source, err)
	}
	if len(names) == 0 || len(names) > 8192 {
		return malformedFact[[]SMBIOSEntry](r.evidenceAt(dmiEntries, ""), fmt.Errorf("%d structures", len(names)))
	}
	var out []SMBIOSEntry
	for _, name := range names {
		e := SMBIOSEntry{Position: -1}
		kind, instance, _ := strings.Cut(name, "-")
		var ok bool
		if e.Type, ok = numericSuffix(kind, ""); !ok || e.Type > 255 {
			continue
		}
		if e.Instance, ok = numericSuffix(instance, ""); !ok {
			continue
		}
		raw := r.readTable(dmiEntries+"/"+name+"/raw", 64<<10)
		if raw.State != fact.OK {
			return fact.UnknownFrom[[]SMBIOSEntry](raw)
		}
		e.Data = raw.Value
		if p := r.readNumber(dmiEntries + "/" + name + "/position"); p.State == fact.OK && p.Value >= 0 && p.Value <= 1<<20 {
			e.Position = int(p.Value)
		}
		out = append(out, e)
	}
	if slices.ContainsFunc(out, func(e SMBIOSEntry) bool { return e.Position < 0 }) {
		for i := range out {
			out[i].Position = -1 // half an order is not an order
		}
	}
	slices.SortFunc(out, func(a, b SMBIOSEntry) int { return cmp.Or(a.Position-b.Position, a.Type-b.Type, a.Instance-b.Instance) })
	return fact.Known(out, fact.Direct, r.evidenceAt(dmiEntries, fmt.Sprintf("%d structures", len(out))))
}

// DMIID holds the strings in /sys/class/dmi/id (Documentation/ABI/testing/sysfs-class-dmi). Only
// root can read serial numbers and the UUID. They identify a machine: print them only on request.
type DMIID struct {
	Source                                                           Source
	Vendor, Product, ProductVersion, ProductFamily                   fact.Fact[string]
	BoardVendor, Board                                               fact.Fact[string]
	BIOSVendor, BIOSVersion, BIOSDate                                fact.Fact[string]
	ProductSerial, ProductUUID, BoardSerial, ChassisSerial, AssetTag fact.Fact[string]
}

// ReadDMIID reads /sys/class/dmi/id. Serial numbers that may not be read do not lower the state of the source.
func ReadDMIID(root *Root) *DMIID {
	r := newReader(root, inventory.SourceDMIID)
	d := &DMIID{}
	for _, f := range []struct {
		name string
		into *fact.Fact[string]
	}{
		{"sys_vendor", &d.Vendor}, {"product_name", &d.Product}, {"product_version", &d.ProductVersion},
		{"product_family", &d.ProductFamily}, {"board_vendor", &d.BoardVendor}, {"board_name", &d.Board},
		{"bios_vendor", &d.BIOSVendor}, {"bios_version", &d.BIOSVersion}, {"bios_date", &d.BIOSDate},
		{"product_serial", &d.ProductSerial}, {"product_uuid", &d.ProductUUID}, {"board_serial", &d.BoardSerial},
		{"chassis_serial", &d.ChassisSerial}, {"chassis_asset_tag", &d.AssetTag},
	} {
		*f.into = r.readText("/sys/class/dmi/id/" + f.name)
	}
	d.Source = summariseSource("dmi_id", []stater{d.Vendor, d.Product},
		d.BoardVendor, d.Board, d.BIOSVendor, d.BIOSVersion, d.BIOSDate)
	return d
}

const acpiTables = "/sys/firmware/acpi/tables"

// ACPI lists the ACPI tables that firmware provides. Only their names are read; reading the content needs
// root (Documentation/ABI/testing/sysfs-firmware-acpi).
type ACPI struct {
	Source Source
	// Tables are the names listed, sorted: "APIC", "SRAT", "SSDT1".
	Tables fact.Fact[[]string]
}

// ReadACPI lists /sys/firmware/acpi/tables. An empty list does not mean "no tables", because the
// kernel always shows some: it was masked or not captured.
func ReadACPI(root *Root) *ACPI {
	r := newReader(root, inventory.SourceACPI)
	a := &ACPI{Tables: r.listNames(acpiTables)}
	if a.Tables.State == fact.OK {
		a.Tables.Value = slices.DeleteFunc(a.Tables.Value, func(n string) bool { return n == "data" || n == "dynamic" })
		if len(a.Tables.Value) == 0 {
			e := &ReadError{Op: "list", Path: acpiTables, State: fact.Unread, Err: ErrNotCaptured}
			if root.isConclusive(acpiTables) {
				e = &ReadError{Op: "list", Path: acpiTables, State: fact.Denied, Err: errors.New("the folder is empty: hidden from us")}
			}
			a.Tables = unknownFact[[]string](r.source, e)
		}
	}
	a.Source = summariseSource("acpi", []stater{a.Tables})
	return a
}

// HasTable reports whether firmware provides a table: "SRAT", "SLIT", "HMAT", "PPTT", "APIC", "CEDT". It is
// unknown if the list is.
func (a *ACPI) HasTable(table string) fact.Fact[bool] {
	return fact.Convert(a.Tables, func(names []string) bool { return slices.Contains(names, table) })
}

// maxLeading is how many leading folders an unpacked tree may have: hwloc's archives have one.
// maxSiblings limits the entries of a folder among which a machine is looked for.
const (
	maxLeading  = 2
	maxSiblings = 256
)

// findMachine returns the folder with sys or proc: dir itself or, if there is only one, a folder up to
// maxLeading levels below it.
func findMachine(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", readError("open", dir, err)
	}
	if !info.IsDir() {
		return "", &ReadError{Op: "open", Path: dir, State: fact.Refused, Err: fmt.Errorf("is a file, a folder with sys and proc was expected")}
	}
	switch found := machinesBelow(dir, maxLeading); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &ReadError{Op: "open", Path: dir, State: fact.Absent, Err: fmt.Errorf("no sys or proc folder in it, nor %d levels below", maxLeading)}
	default:
		return "", &ReadError{Op: "open", Path: dir, State: fact.Refused, Err: severalMachines(found)}
	}
}

func severalMachines(found []string) error {
	slices.Sort(found)
	shown := found[:min(len(found), 4)]
	return fmt.Errorf("holds %d machines, one was expected: %s", len(found), strings.Join(shown, ", "))
}

func machinesBelow(dir string, depth int) []string {
	// A link named sys or proc may point anywhere and does not count.
	for _, tree := range []string{"sys", "proc"} {
		if info, err := os.Lstat(filepath.Join(dir, tree)); err == nil && info.IsDir() {
			return []string{dir}
		}
	}
	if depth == 0 {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(maxSiblings)
	var found []string
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, machinesBelow(filepath.Join(dir, e.Name()), depth-1)...)
		}
	}
	return found
}
