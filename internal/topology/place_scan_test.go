package topology

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
)

// repoRoot walks up to go.mod.
func repoRoot(t testing.TB) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, dir, up, "no go.mod above the package")
		dir = up
	}
}

// slotRules is the repository's folder rules.
func slotRules(t testing.TB) fs.FS { return os.DirFS(filepath.Join(repoRoot(t), "rules")) }

// sharedFile is a file of the material beside the repository, or skips.
func sharedFile(t testing.TB, name string) string {
	path := filepath.Join(repoRoot(t), "..", "shared", name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not beside the repository", name)
	}
	return path
}

// eachMember reads every file of a tar.gz.
func eachMember(t testing.TB, path string, use func(name string, data []byte)) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		use(h.Name, data)
	}
}

var placeSignature = regexp.MustCompile(`Family (\d+), Model (\d+), Stepping (\d+)`)

var scanHandle = regexp.MustCompile(`^\s*Handle (0x[0-9A-Fa-f]+), DMI type (\d+)`)

// scan is a throw-away reading of dmidecode text: the fields that placing
// slots needs, nothing more.
func scan(data []byte) *inventory.System {
	sys := &inventory.System{}
	var fields map[string]string
	kind, handle := 0, uint64(0)
	var raw []byte
	flush := func() {
		scanStructure(sys, kind, handle, fields)
		scanHPE(sys, kind, raw)
		raw = nil
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		if m := scanHandle.FindStringSubmatch(text); m != nil {
			flush()
			kind, _ = strconv.Atoi(m[2])
			handle, _ = strconv.ParseUint(m[1], 0, 32)
			fields = map[string]string{}
			continue
		}
		if kind == 202 && scanHex.MatchString(text) {
			b, _ := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
			raw = append(raw, b...)
		}
		key, value, ok := strings.Cut(strings.TrimSpace(text), ":")
		if ok && fields != nil {
			if _, twice := fields[key]; !twice {
				fields[key] = strings.TrimSpace(value)
			}
		}
	}
	flush()
	return sys
}

var scanHex = regexp.MustCompile(`^\t\t([0-9A-F]{2} ?)+$`)

// scanHPE reads processor, controller and channel of an HPE type 202 as
// dmidecode prints it raw (internal/smbios/hpe.go has the layout).
func scanHPE(sys *inventory.System, kind int, raw []byte) {
	if kind != 202 || len(raw) < 0x0F || vendorKey(sys.Machine.Vendor.Or("")) != "hp" {
		return
	}
	for i := range sys.Slots {
		if sys.Slots[i].Handle == uint16(raw[4])|uint16(raw[5])<<8 {
			sys.Slots[i].HPE = &inventory.HPELocation{Processor: int(raw[8]) - 1, Controller: int(raw[0x0D]) - 1, Channel: int(raw[0x0E]) - 1, Index: -1}
		}
	}
}

func said(v string) inventory.Fact[string] {
	switch v {
	case "", "Not Specified", "Unknown", "N/A":
		return inventory.Fact[string]{State: inventory.Unstated}
	}
	return inventory.Known(v, inventory.Indirect, inventory.Evidence{})
}

func scanStructure(sys *inventory.System, kind int, handle uint64, f map[string]string) {
	switch kind {
	case 1:
		sys.Machine.Vendor, sys.Machine.Product = said(f["Manufacturer"]), said(f["Product Name"])
	case 2:
		if !sys.Machine.Board.Known() {
			sys.Machine.BoardVendor, sys.Machine.Board = said(f["Manufacturer"]), said(f["Product Name"])
		}
	case 4:
		if f["Type"] != "Central Processor" {
			return
		}
		s := inventory.Socket{ID: len(sys.Sockets), Handle: int(handle), Brand: said(f["Version"])}
		s.Populated = inventory.Known(strings.HasPrefix(f["Status"], "Populated"), inventory.Indirect, inventory.Evidence{})
		switch text := f["Manufacturer"] + f["Version"] + f["ID"]; {
		case strings.Contains(text, "AMD"):
			s.Vendor = inventory.Known("AuthenticAMD", inventory.Indirect, inventory.Evidence{})
		case strings.Contains(text, "Intel"):
			s.Vendor = inventory.Known("GenuineIntel", inventory.Indirect, inventory.Evidence{})
		case text != "" && !strings.Contains(text, "Not Specified"):
			s.Vendor = inventory.Known("other", inventory.Indirect, inventory.Evidence{})
		}
		if m := placeSignature.FindStringSubmatch(f["Signature"]); m != nil {
			for i, fact := range []*inventory.Fact[int]{&s.Family, &s.Model, &s.Stepping} {
				v, _ := strconv.Atoi(m[i+1])
				*fact = inventory.Known(v, inventory.Indirect, inventory.Evidence{})
			}
		}
		sys.Sockets = append(sys.Sockets, s)
	case 17:
		sys.Slots = append(sys.Slots, scanSlot(f, handle, len(sys.Slots)))
	}
}

func scanSlot(f map[string]string, handle uint64, row int) inventory.Slot {
	s := inventory.Slot{Handle: uint16(handle), Row: row, Locator: said(f["Locator"]), BankLocator: said(f["Bank Locator"]),
		Type: said(f["Type"]), FormFactor: said(f["Form Factor"]), State: inventory.SlotEmpty,
		Technology: inventory.Known(inventory.DRAM, inventory.Indirect, inventory.Evidence{})}
	if array, err := strconv.ParseUint(f["Array Handle"], 0, 16); err == nil {
		s.Array = uint16(array)
	}
	if n, unit, ok := strings.Cut(f["Size"], " "); ok {
		if v, err := strconv.ParseInt(n, 10, 64); err == nil {
			shift := map[string]uint{"kB": 10, "MB": 20, "GB": 30, "TB": 40}[unit]
			s.State, s.SizeBytes = inventory.SlotPopulated, inventory.Known(v<<shift, inventory.Indirect, inventory.Evidence{})
		}
	}
	if s.Type.Or("") == "Flash" || s.Locator.Or("") == "BIOS" || strings.EqualFold(s.Locator.Or(""), "System ROM") {
		s.Technology.Value = inventory.Flash
	}
	return s
}
