package snapshot

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

const (
	dmiTable = "/sys/firmware/dmi/tables/DMI"
	dmiEntry = "/sys/firmware/dmi/tables/smbios_entry_point"
)

// redactor hides what the recorded files hold of identifiers.
type redactor struct {
	*Hash
	// entry is the entry point beside the table.
	entry []byte
	// audited reports a BIOS attribute whose value a verdict may rest on.
	audited func(name, display string) bool
}

func (r *redactor) hide() smbios.Hide { return smbios.Hide{Text: r.Text, UUID: r.UUID} }

// file is a host.Redact: every file is kept.
func (r *redactor) file(path string, data []byte) ([]byte, bool) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case path == dmiTable:
		return smbios.RedactTable(r.entry, data, r.hide()), true
	case strings.HasPrefix(path, "/sys/firmware/dmi/entries/") && name == "raw":
		return smbios.RedactEntry(data, r.hide()), true
	case path == "/proc/cmdline":
		return r.cmdline(data), true
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

// cpuinfo hides the serial number that some boards' kernels print.
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

// attribute hides the values of settings that no rule speaks of: a driver may
// hand out an asset tag as one of them.
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

// cmdline hides the values of options that no audit asks for (root=UUID=...,
// ip=..., BOOTIF=...), and words that look like an address or a name.
func (r *redactor) cmdline(line []byte) []byte {
	return kerneltext.HideOptions(line, r.hidden)
}

// hidden replaces a value whatever it is, save for words that say how and not
// who.
func (r *redactor) hidden(value []byte) []byte {
	switch string(value) {
	case "0", "1", "on", "off", "y", "n", "yes", "no", "auto", "ro", "rw":
		return value
	}
	if common().Match(value) {
		return value
	}
	return r.Text(value)
}

// common are values of boot options that name no machine: disks by the order in
// which the kernel found them, consoles, distributions' kernels.
var common = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/dev/(sd|vd|xvd|hd|nvme|md)[a-z0-9]{0,8}|tty[SA]?[A-Z]*\d{0,3}(,\d{1,7}[neo]?\d?)?|` +
		`(\(hd\d+,[a-z]*\d+\))?(/boot)?/vmlinuz(-\d[\d.]*(-\d[\d.]*)?(-generic|-default|-amd64|\.el\d[\d_]*\.x86_64)?)?)$`)
})
