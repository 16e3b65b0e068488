package differential

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uroot "github.com/u-root/u-root/pkg/smbios"

	"memaudit.example/memaudit/internal/source/smbios"
)

const unknown = "-"

// TestDecoder reads every dump of the corpus with memaudit's decoder and with
// u-root's: each memory device and each processor, field by field.
func TestDecoder(t *testing.T) {
	dumps, err := filepath.Glob(filepath.Join(shared(t, "corpus/smbios-bin"), "*.bin"))
	require.NoError(t, err)
	var found [][4]string
	fields, read := 0, 0
	for _, name := range dumps {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		file := strings.TrimSuffix(filepath.Base(name), ".bin")
		ours, err := smbios.Parse(data)
		require.NoError(t, err)
		theirs, err := decode(data, ours)
		if err != nil {
			found = append(found, [4]string{file, "table", "read", err.Error()})
			continue
		}
		read++
		for what, pair := range fieldsOf(t, file, ours, theirs) {
			fields++
			if pair[0] != pair[1] {
				found = append(found, [4]string{file, what, pair[0], pair[1]})
			}
		}
	}
	t.Logf("%d of %d dumps read by both, %d fields compared, %d differ", read, len(dumps), fields, len(found))
	assert.Greater(t, fields, 4500)
	held(t, "decoder.tsv", found)
}

// decode gives u-root the entry point and the structures up to the end marker, where it does not stop by itself.
func decode(data []byte, ours *smbios.Table) (*uroot.Info, error) {
	if len(data) < 0x20 {
		return nil, fmt.Errorf("no entry point")
	}
	entry, table := data[:0x18], data[0x20:]
	if string(data[:4]) == "_SM_" {
		entry = data[:0x1F]
	}
	if last := len(ours.Structures); last > 0 {
		s := &ours.Structures[last-1]
		end := s.Offset + int(s.Length)
		for end+1 < len(table) && (table[end] != 0 || table[end+1] != 0) {
			end++
		}
		table = table[:min(end+2, len(table))]
	}
	return uroot.ParseInfo(entry, table)
}

// fieldsOf pairs the values of both, as words.
func fieldsOf(t *testing.T, file string, ours *smbios.Table, theirs *uroot.Info) map[string][2]string {
	t.Helper()
	out := map[string][2]string{}
	devices, err := theirs.GetMemoryDevices()
	require.NoError(t, err, file)
	var own []smbios.MemoryDevice
	for d := range ours.EachMemoryDevice() {
		own = append(own, *d)
	}
	out["memory devices"] = [2]string{fmt.Sprint(len(own)), fmt.Sprint(len(devices))}
	for i := range min(len(own), len(devices)) {
		device(out, fmt.Sprintf("device %d ", i), &own[i], devices[i])
	}
	processors, err := theirs.GetProcessorInfo()
	require.NoError(t, err, file)
	sockets := ours.Processors()
	out["processors"] = [2]string{fmt.Sprint(len(sockets)), fmt.Sprint(len(processors))}
	for i := range min(len(sockets), len(processors)) {
		processor(out, fmt.Sprintf("processor %d ", i), &sockets[i], processors[i])
	}
	return out
}

// device pairs what both read of a slot, and of its module if there is one.
func device(out map[string][2]string, at string, a *smbios.MemoryDevice, b *uroot.MemoryDevice) {
	out[at+"handle"] = [2]string{fmt.Sprint(a.Handle), fmt.Sprint(b.Handle)}
	out[at+"array"] = [2]string{number(a.Array), word(uint64(b.PhysicalMemoryArrayHandle), 0xFFFF)}
	out[at+"total width"] = [2]string{number(a.TotalWidth), word(uint64(b.TotalWidth), 0, 0xFFFF)}
	out[at+"data width"] = [2]string{number(a.DataWidth), word(uint64(b.DataWidth), 0, 0xFFFF)}
	size := fmt.Sprint(b.GetSizeBytes())
	if b.Size == 0xFFFF {
		size = unknown
	}
	out[at+"size"] = [2]string{number(a.Size), size}
	out[at+"form factor"] = [2]string{number(a.FormFactor), said(b.FormFactor.String())}
	out[at+"type"] = [2]string{number(a.Type), said(b.Type.String())}
	out[at+"locator"] = [2]string{a.Locator.Or(unknown), text(b.DeviceLocator)}
	out[at+"bank"] = [2]string{a.BankLocator.Or(unknown), text(b.BankLocator)}
	if a.Installed.Known() && !a.Installed.Value {
		return
	}
	length := b.Len()
	out[at+"speed"] = [2]string{number(a.Speed), word(uint64(b.Speed), 0, 0xFFFF)}
	out[at+"manufacturer"] = [2]string{a.Manufacturer.Or(unknown), text(b.Manufacturer)}
	out[at+"part"] = [2]string{a.PartNumber.Or(unknown), text(b.PartNumber)}
	out[at+"rank"] = [2]string{number(a.Rank), word(uint64(b.Attributes&0x0F), 0)}
	out[at+"configured speed"] = [2]string{number(a.ConfiguredSpeed), word(uint64(b.ConfiguredSpeed), 0, 0xFFFF)}
	out[at+"configured voltage"] = [2]string{number(a.ConfiguredVoltage), word(uint64(b.ConfiguredVoltage), 0)}
	if length > 0x28 {
		out[at+"technology"] = [2]string{number(a.Technology), said(b.Technology.String())}
	}
}

func processor(out map[string][2]string, at string, a *smbios.Processor, b *uroot.ProcessorInfo) {
	out[at+"handle"] = [2]string{fmt.Sprint(a.Handle), fmt.Sprint(b.Handle)}
	out[at+"designation"] = [2]string{a.Designation.Or(unknown), text(b.SocketDesignation)}
	populated := fmt.Sprint(b.Status&0x40 != 0)
	out[at+"populated"] = [2]string{number(a.Populated), populated}
	if !a.Populated.Or(false) {
		return
	}
	out[at+"manufacturer"] = [2]string{a.Manufacturer.Or(unknown), text(b.Manufacturer)}
	out[at+"version"] = [2]string{a.Version.Or(unknown), text(b.Version)}
	out[at+"id"] = [2]string{number(a.ID), word(b.ID, 0)}
	if b.Len() > 0x25 {
		out[at+"cores"] = [2]string{number(a.CoreCount), word(uint64(b.GetCoreCount()), 0)}
		out[at+"threads"] = [2]string{number(a.ThreadCount), word(uint64(b.GetThreadCount()), 0)}
	}
}

// number prints a field, and "-" for one that is not known.
func number[T any](f smbios.Field[T]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprint(v)
	}
	return unknown
}

// word prints a number, and "-" for values that mean unknown in the specification.
func word(v uint64, none ...uint64) string {
	for _, n := range none {
		if v == n {
			return unknown
		}
	}
	return fmt.Sprint(v)
}

// said returns the text of an enumeration value.
func said(s string) string {
	if s == "Unknown" || s == "" || strings.HasPrefix(s, "0x") || s == "<OUT OF SPEC>" {
		return unknown
	}
	return s
}

// text is a string as memaudit cleans it.
func text(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || s == "Not Specified" {
		return unknown
	}
	return s
}

// shared is a folder of material outside the repository; the test is skipped without it.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs ../shared/%s next to the repository", name)
	}
	return path
}

// held compares the differences found with a list that may only shrink: four columns (file, what, memaudit's
// value, the other's), then the reason, given once for a field of all files if the first columns are "*".
func held(t *testing.T, list string, found [][4]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", list))
	require.NoError(t, err)
	var known [][]string
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(line, "\t")
		require.Len(t, cols, 5, "%s: line %d", list, i+1)
		require.NotEmpty(t, cols[4], "%s: line %d has no reason", list, i+1)
		known = append(known, cols)
	}
	used := make([]bool, len(known))
	var fresh []string
	for _, d := range found {
		at := slices.IndexFunc(known, func(k []string) bool {
			for i, v := range d {
				if k[i] != "*" && k[i] != v {
					return false
				}
			}
			return true
		})
		if at < 0 {
			fresh = append(fresh, strings.Join(d[:], "\t"))
			continue
		}
		used[at] = true
	}
	slices.Sort(fresh)
	assert.Empty(t, fresh, "%d differences that %s does not list:\n%s", len(fresh), list, strings.Join(fresh[:min(len(fresh), 60)], "\n"))
	for i, u := range used {
		assert.True(t, u, "listed difference does not occur any more: %s", strings.Join(known[i], " | "))
	}
}
