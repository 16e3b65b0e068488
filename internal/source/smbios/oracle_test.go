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
			for k := range x.Index(j).NumField() {
				fields++
				if ours, theirs := show(x.Index(j).Field(k)), show(y.Index(j).Field(k)); ours != theirs {
					kind := x.Index(j).Type()
					out = append(out, difference{file, handle, kind.Name() + "." + kind.Field(k).Name, ours, theirs})
				}
			}
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

// show prints a Field by status and value; Raw is not compared, as dmidecode prints strings filtered.
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
