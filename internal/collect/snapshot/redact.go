package snapshot

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/source/smbios"
)

const (
	dmiTable = "/sys/firmware/dmi/tables/DMI"
	dmiEntry = "/sys/firmware/dmi/tables/smbios_entry_point"
)

type redactor struct {
	*Hash
	// entry is the entry point of the SMBIOS table.
	entry []byte
	// audited reports whether a verdict may depend on a BIOS attribute.
	audited func(name, display string) bool
}

func (r *redactor) hide() smbios.Hide { return smbios.Hide{Text: r.Text, UUID: r.UUID} }

// file redacts one file; it implements host.Redact. No file is dropped.
func (r *redactor) file(path string, data []byte) ([]byte, bool) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case path == dmiTable:
		return smbios.RedactTable(r.entry, data, r.hide()), true
	case strings.HasPrefix(path, "/sys/firmware/dmi/entries/") && name == "raw":
		return smbios.RedactEntry(data, r.hide()), true
	case path == "/proc/cmdline":
		return kerneltext.HideOptions(data, r.hidden), true
	case path == "/proc/cpuinfo":
		return r.cpuinfo(data), true
	case name == "product_uuid":
		return r.UUIDText(data), true
	case strings.HasPrefix(path, "/sys/class/dmi/id/") && (strings.HasSuffix(name, "_serial") || strings.HasSuffix(name, "_asset_tag")):
		return r.Text(data), true
	case strings.HasPrefix(path, "/sys/class/firmware-attributes/") && name != "pending_reboot":
		return r.attribute(path, name, data), true
	}
	return data, true
}

func (r *redactor) cpuinfo(data []byte) []byte {
	if !bytes.Contains(data, []byte("\nSerial\t")) {
		return data
	}
	var out []byte
	for row := range bytes.Lines(data) {
		if key, value, ok := bytes.Cut(row, []byte(":")); ok && string(bytes.TrimSpace(key)) == "Serial" {
			out = append(append(out, key...), ':')
			row = r.Text(value)
		}
		out = append(out, row...)
	}
	return out
}

// attribute hides the values of settings that are not audited: a driver may list the asset tag among them.
func (r *redactor) attribute(path, name string, data []byte) []byte {
	parts := strings.Split(path, "/")
	switch name {
	case "current_value", "possible_values":
		if r.audited(parts[len(parts)-2], "") {
			return data
		}
		value := strings.TrimSpace(string(data))
		if slices.Contains([]string{"Enabled", "Disabled", "Enable", "Disable", "Yes", "No", "On", "Off", "Auto"}, value) {
			return data
		}
		return r.Text(data)
	}
	return data
}

// hidden replaces the value of a kernel option unless it is a common one that identifies nothing.
func (r *redactor) hidden(value []byte) []byte {
	switch string(value) {
	case "0", "1", "on", "off", "y", "n", "yes", "no", "auto", "ro", "rw":
		return value
	}
	if commonValue().Match(value) {
		return value
	}
	return r.Text(value)
}

// commonValue matches values of boot options that do not identify a machine: disks numbered by the kernel,
// consoles, distributions' kernels.
var commonValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/dev/(sd|vd|xvd|hd|nvme|md)[a-z0-9]{0,8}|tty[SA]?[A-Z]*\d{0,3}(,\d{1,7}[neo]?\d?)?|` +
		`(\(hd\d+,[a-z]*\d+\))?(/boot)?/vmlinuz(-\d[\d.]*(-\d[\d.]*)?(-generic|-default|-amd64|\.el\d[\d_]*\.x86_64)?)?)$`)
})
