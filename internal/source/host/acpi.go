package host

import (
	"errors"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
)

const acpiTables = "/sys/firmware/acpi/tables"

// ACPI says which ACPI tables firmware provided. Only their names are read; reading the content
// needs root (Documentation/ABI/testing/sysfs-firmware-acpi).
type ACPI struct {
	Source Source
	// Tables are the names listed, sorted: "APIC", "SRAT", "SSDT1".
	Tables Value[[]string]
}

// ReadACPI lists /sys/firmware/acpi/tables. An empty list does not mean "no tables", because the
// kernel always shows some: it was masked or not captured.
func ReadACPI(root *Root) *ACPI {
	r := newReader(root)
	a := &ACPI{Tables: r.names(acpiTables)}
	if a.Tables.State == fact.OK {
		a.Tables.V = tableNames(a.Tables.V)
		if len(a.Tables.V) == 0 {
			e := &ReadError{Op: "list", Path: acpiTables, State: fact.Unread, Err: ErrNotCaptured}
			if root.certain(acpiTables) {
				e = &ReadError{Op: "list", Path: acpiTables, State: fact.Denied, Err: errors.New("the folder is empty: hidden from us")}
			}
			a.Tables = unknown[[]string](e)
		}
	}
	a.Source = sourceOf("acpi", []outcomer{a.Tables})
	return a
}

// tableNames removes the names of folders that are not tables.
func tableNames(names []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == "data" || n == "dynamic" })
}

// Has tells whether firmware provided a table: "SRAT", "SLIT", "HMAT", "PPTT", "APIC", "CEDT". It
// is unknown if the list is.
func (a *ACPI) Has(table string) Value[bool] {
	return derive(a.Tables, func(names []string) bool { return slices.Contains(names, table) })
}
