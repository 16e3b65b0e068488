package smbios

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// difference is one field with different values in memaudit and dmidecode.
type difference struct {
	file, handle, field, ours, theirs string
}

func (d difference) String() string {
	return strings.Join([]string{d.file, d.handle, d.field, d.ours, d.theirs}, "\t")
}

// compareTables compares the typed views of two tables.
func compareTables(file string, a, b *Table) (out []difference, fields int) {
	if len(a.Structures) != len(b.Structures) {
		out = append(out, difference{file, "-", "structures", fmt.Sprint(len(a.Structures)), fmt.Sprint(len(b.Structures))})
	}
	va, vb := views(a), views(b)
	for i := range va {
		x, y := reflect.ValueOf(va[i]), reflect.ValueOf(vb[i])
		for j := range min(x.Len(), y.Len()) {
			handle := fmt.Sprintf("0x%04X", x.Index(j).FieldByName("Handle").Uint())
			compareStructs(x.Index(j), y.Index(j), x.Index(j).Type().Name(), func(field, ours, theirs string) {
				fields++
				if ours != theirs {
					out = append(out, difference{file, handle, field, ours, theirs})
				}
			})
		}
	}
	return out, fields
}

// views returns the slices of all typed views.
func views(t *Table) []any {
	bios, _ := t.BIOS()
	system, _ := t.System()
	return []any{
		[]BIOS{bios}, []System{system}, t.Boards(), t.Chassis(), t.Processors(), t.MemoryArrays(),
		devicesOf(t), t.ArrayMappings(), t.DeviceMappings(), t.HPEDIMMLocations(),
	}
}

func compareStructs(a, b reflect.Value, path string, report func(field, ours, theirs string)) {
	for i := range a.NumField() {
		f := a.Type().Field(i)
		report(path+"."+f.Name, show(a.Field(i)), show(b.Field(i)))
	}
}

// show prints a Field by status and value; Raw is not compared, as
// dmidecode prints strings filtered.
func show(v reflect.Value) string {
	if v.Kind() == reflect.Struct && v.FieldByName("Status").IsValid() {
		return fmt.Sprintf("%v %v", v.FieldByName("Status"), v.FieldByName("Value"))
	}
	return fmt.Sprint(v)
}

// runDmidecode prints a dump with the installed dmidecode, or skips.
func runDmidecode(t *testing.T, dump []byte, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("dmidecode")
	if err != nil {
		t.Skip("dmidecode is not installed")
	}
	file := filepath.Join(t.TempDir(), "dump.bin")
	require.NoError(t, os.WriteFile(file, dump, 0o600))
	var out bytes.Buffer
	cmd := exec.Command(path, append([]string{"--from-dump", file}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // its words are in the output
	return out.String()
}

// atAddress32 gives a dump the table address dmidecode looks at.
func atAddress32(data []byte) []byte {
	data = bytes.Clone(data)
	var delta byte
	switch entryPointKind(data) {
	case EntryPoint32:
		for i := 0x18; i < 0x1C; i++ {
			delta += data[i]
			data[i] = 0
		}
		data[0x18] = 0x20
		data[0x15] += delta - 0x20
	case EntryPoint64, EntryPointLegacy, NoEntryPoint:
	}
	return data
}

// compareLines compares dmidecode's output with our values printed in its format. The text is read here without the
// parser under test.
func compareLines(file string, t *Table, text string) (out []difference, fields int) {
	printed := naiveLines(text)
	for _, block := range render(t) {
		lines, ok := printed[block.id]
		if !ok {
			continue // dmidecode lost the structure; compareTables counts them
		}
		for key, theirs := range lines {
			ours, ok := block.lines[key]
			if !ok {
				continue
			}
			fields++
			if ours != theirs {
				out = append(out, difference{file, block.id, "line " + key, ours, theirs})
			}
		}
		for key, ours := range block.lines {
			if _, ok := lines[key]; !ok && ours != "" {
				out = append(out, difference{file, block.id, "line " + key, ours, ""})
			}
		}
	}
	return out, fields
}

// naiveLines maps "0x0011/17/n" to the attributes of that block, n counting equal handles.
func naiveLines(text string) map[string]map[string]string {
	blocks, seen := map[string]map[string]string{}, map[string]int{}
	for _, block := range strings.Split(text, "\n\n") {
		rest, ok := strings.CutPrefix(block, "Handle ")
		if !ok {
			continue
		}
		var handle, typ, length int
		if n, _ := fmt.Sscanf(rest, "0x%X, DMI type %d, %d bytes", &handle, &typ, &length); n != 3 {
			continue
		}
		id := blockID(handle, typ, seen)
		blocks[id] = map[string]string{}
		for _, l := range strings.Split(block, "\n") {
			if len(l) > 1 && l[0] == '\t' && l[1] != '\t' {
				k, v, _ := strings.Cut(l[1:], ":")
				if v = strings.Trim(v, " "); v == "" {
					v = "Not Specified" // a string of spaces
				}
				blocks[id][k] = v
			}
		}
	}
	return blocks
}

func blockID(handle, typ int, seen map[string]int) string {
	id := fmt.Sprintf("0x%04X/%d", handle, typ)
	seen[id]++
	return fmt.Sprintf("%s/%d", id, seen[id])
}

type block struct {
	id    string
	lines map[string]string
}

// render prints types 4, 16, 17, 19 and 20. An empty line is one that dmidecode does not print.
func render(t *Table) (out []block) {
	seen := map[string]int{}
	add := func(handle uint16, typ int, lines map[string]string) {
		out = append(out, block{blockID(int(handle), typ, seen), lines})
	}
	for _, p := range t.Processors() {
		add(p.Handle, 4, renderProcessor(p, t.Version))
	}
	for _, a := range t.MemoryArrays() {
		add(a.Handle, 16, map[string]string{
			"Location": word(a.Location), "Use": word(a.Use), "Error Correction Type": word(a.ECC),
			"Maximum Capacity":  bytesOf(a.MaxCapacity),
			"Number Of Devices": number(a.Devices, ""),
		})
	}
	for _, d := range devicesOf(t) {
		add(d.Handle, 17, renderDevice(d))
	}
	for _, m := range t.ArrayMappings() {
		lines := renderRange(m.Start, m.End, m.Size)
		lines["Physical Array Handle"] = hex4(m.Array)
		add(m.Handle, 19, lines)
	}
	for _, m := range t.DeviceMappings() {
		lines := renderRange(m.Start, m.End, m.Size)
		lines["Physical Device Handle"] = hex4(m.Device)
		lines["Interleave Position"], lines["Interleaved Data Depth"] = notZero(m.InterleavePosition), notZero(m.InterleaveDepth)
		add(m.Handle, 20, lines)
	}
	return out
}

func renderProcessor(p Processor, v Version) map[string]string {
	lines := map[string]string{
		"Socket Designation": text(p.Designation), "Type": word(p.Type), "Family": word(p.FamilyName),
		"Manufacturer": text(p.Manufacturer), "Version": text(p.Version), "Upgrade": word(p.Upgrade),
		"Status":          "Unpopulated",
		"L1 Cache Handle": cacheHandle(p.L1, "L1", v), "L2 Cache Handle": cacheHandle(p.L2, "L2", v),
		"L3 Cache Handle": cacheHandle(p.L3, "L3", v),
		"Core Count":      notUnknown(p.CoreCount), "Core Enabled": notUnknown(p.CoresEnabled),
		"Thread Count": notUnknown(p.ThreadCount),
	}
	if p.Populated.Value {
		lines["Status"] = "Populated, " + word(p.State)
	}
	id := p.ID.Value
	lines["ID"] = fmt.Sprintf("%02X %02X %02X %02X %02X %02X %02X %02X", byte(id), byte(id>>8), byte(id>>16),
		byte(id>>24), byte(id>>32), byte(id>>40), byte(id>>48), byte(id>>56))
	if c := p.CPUID; c.Known() {
		lines["Signature"] = fmt.Sprintf("Family %d, Model %d, Stepping %d", c.Value.Family, c.Value.Model, c.Value.Stepping)
		// dmidecode prints the type of Intel's processors before it.
		if strings.Contains(p.Manufacturer.Value, "Intel") {
			lines["Signature"] = fmt.Sprintf("Type %d, ", id>>12&3) + lines["Signature"]
		}
	}
	return lines
}

func renderDevice(d MemoryDevice) map[string]string {
	lines := map[string]string{
		"Array Handle": hex4(d.Array),
		"Total Width":  number(d.TotalWidth, " bits"), "Data Width": number(d.DataWidth, " bits"),
		"Size": moduleSize(d), "Form Factor": word(d.FormFactor), "Locator": text(d.Locator),
		"Bank Locator": text(d.BankLocator), "Type": word(d.Type), "Type Detail": d.Detail.Value.String(),
		"Speed": number(d.Speed, " MT/s"), "Manufacturer": text(d.Manufacturer), "Serial Number": text(d.Serial),
		"Asset Tag": text(d.AssetTag), "Part Number": text(d.PartNumber), "Rank": number(d.Rank, ""),
		"Configured Memory Speed": number(d.ConfiguredSpeed, " MT/s"), "Minimum Voltage": volts(d.MinVoltage),
		"Maximum Voltage": volts(d.MaxVoltage), "Configured Voltage": volts(d.ConfiguredVoltage),
		"Memory Technology": word(d.Technology),
	}
	switch {
	case d.Set.Known() && d.Set.Value == 0:
		lines["Set"] = "None"
	default:
		lines["Set"] = number(d.Set, "")
	}
	return lines
}

func renderRange(start, end Field[uint64], size Field[int64]) map[string]string {
	width, unit := 11, ""
	if end.Value>>42 != 0 || start.Value&0x3FF != 0 {
		width, unit = 16, "k"
	}
	lines := map[string]string{
		"Starting Address": fmt.Sprintf("0x%0*X%s", width, start.Value, unit),
		"Ending Address":   fmt.Sprintf("0x%0*X%s", width, end.Value, unit),
		"Range Size":       bytesOf(size),
	}
	if size.Status == Malformed {
		lines["Range Size"] = "Invalid"
	}
	return lines
}

// lineOf prints unknown values as dmidecode does.
func lineOf(s Status, value, unstated, bad string) string {
	switch s {
	case Known:
		return value
	case Unstated:
		return unstated
	case Malformed:
		return bad
	case Missing:
		return ""
	}
	return ""
}

func word(f Field[string]) string { return lineOf(f.Status, f.Value, "Unknown", "<OUT OF SPEC>") }

// text prints a string without the spaces around it.
func text(t Field[string]) string { return lineOf(t.Status, t.Value, "Not Specified", "<BAD INDEX>") }

func number(f Field[int], unit string) string {
	return lineOf(f.Status, fmt.Sprintf("%d%s", f.Value, unit), "Unknown", "<OUT OF SPEC>")
}

func notUnknown(f Field[int]) string { return lineOf(f.Status, fmt.Sprint(f.Value), "", "") }

func notZero(f Field[int]) string {
	if f.Known() && f.Value == 0 {
		return ""
	}
	return number(f, "")
}

func hex4(f Field[uint16]) string {
	return lineOf(f.Status, fmt.Sprintf("0x%04X", f.Value), fmt.Sprintf("0x%04X", f.Value), "")
}

func cacheHandle(f Field[uint16], level string, v Version) string {
	none := "Not Provided"
	if !v.AtLeast(2, 3) {
		none = "No " + level + " Cache"
	}
	return lineOf(f.Status, fmt.Sprintf("0x%04X", f.Value), none, "")
}

// bytesOf prints a size in the largest unit, or the next smaller one if that has a fraction.
func bytesOf(f Field[int64]) string {
	n, unit := f.Value, 0
	for n>>10 >= 1<<10 || n >= 1<<10 && n&0x3FF == 0 {
		n >>= 10
		unit++
	}
	return lineOf(f.Status, fmt.Sprintf("%d %s", n, [...]string{"bytes", "kB", "MB", "GB", "TB", "PB"}[unit]), "Unknown", "")
}

func moduleSize(d MemoryDevice) string {
	if d.Installed.Known() && !d.Installed.Value {
		return "No Module Installed"
	}
	return bytesOf(d.Size)
}

func volts(f Field[int]) string {
	v := fmt.Sprintf("%g V", float64(f.Value)/1000)
	if f.Value%100 == 0 {
		v = fmt.Sprintf("%.1f V", float64(f.Value)/1000)
	}
	return lineOf(f.Status, v, "Unknown", "")
}
