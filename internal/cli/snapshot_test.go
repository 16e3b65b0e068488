package cli

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// capture takes a snapshot and returns its file.
func capture(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.tar.gz")
	status, _, errs := run(stdin, append([]string{"snapshot", "-o", file}, args...)...)
	require.Zero(t, status, errs)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	return file
}

// sameAudit compares the output for a capture with that for its machine, word for word except for the names of
// exports, which a capture does not keep.
func sameAudit(t *testing.T, file string, stdin []byte, args ...string) {
	t.Helper()
	for _, command := range [][]string{{"check", "--format", "json", "--profile", "balanced"}, {"inventory", "--format", "json"}} {
		status, want, errs := run(stdin, append(command, args...)...)
		require.Empty(t, errs)
		for i, flag := range args {
			if flag == "--bios" {
				want = strings.ReplaceAll(want, args[i+1], "bios-1"+filepath.Ext(args[i+1]))
			}
		}
		again, got, errs := run(nil, append(command, "--snapshot", file)...)
		require.Empty(t, errs)
		assert.Equal(t, status, again)
		assert.Equal(t, want, got, command[0])
	}
}

// TestSnapshotMachines checks that the audit of a capture equals that of the machine, for every machine of the
// project.
func TestSnapshotMachines(t *testing.T) {
	t.Parallel()
	machines := corpustest.Sample(machinetest.Sample(t), 3)
	require.GreaterOrEqual(t, len(machines), 2)
	for _, m := range machines {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, m.Name)
			sameAudit(t, capture(t, nil, "--root", root), nil, "--root", root)
		})
	}
}

// TestSnapshotOfSnapshot checks that a capture can be captured.
func TestSnapshotOfSnapshot(t *testing.T) {
	t.Parallel()
	first := capture(t, nil, "--root", tree(t, "dell-r610-unbalanced"))
	second := capture(t, nil, "--snapshot", first)
	sameAudit(t, second, nil, "--snapshot", first)
}

// TestSnapshotInputs checks that inputs other than the trees are in the capture.
func TestSnapshotInputs(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	table := filepath.Join(t.TempDir(), "dump")
	m := machinetest.Named(t, "dell-r610-unbalanced")
	require.NoError(t, os.WriteFile(table, m.Table.Dump(), 0o600))
	text := filepath.Join("..", "..", "testdata", "smbios", "made-2.6.dmidecode.txt")
	settings := export(t, exportText)
	for _, args := range [][]string{
		{"--smbios", table}, {"--smbios", text}, {"--root", root, "--smbios", table},
		{"--root", root, "--bios", settings}, {"--smbios", table, "--bios", settings},
	} {
		file := capture(t, nil, args...)
		sameAudit(t, file, nil, args...)
		for _, data := range members(t, file) {
			assert.NotContains(t, string(data), "4711")
			assert.NotContains(t, string(data), "hunter2")
		}
	}
	// Inputs given to the audit of the capture take precedence.
	file := capture(t, nil, "--root", root, "--smbios", table)
	_, want, _ := run(nil, "inventory", "--smbios", text, "--root", root, "--format", "json")
	_, got, _ := run(nil, "inventory", "--smbios", text, "--snapshot", file, "--format", "json")
	assert.Equal(t, want, got)
}

// members unpacks a capture.
func members(t *testing.T, file string) map[string][]byte {
	t.Helper()
	in, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = in.Close() }()
	zip, err := gzip.NewReader(in)
	require.NoError(t, err)
	out := map[string][]byte{}
	archive := tar.NewReader(zip)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out[h.Name], err = io.ReadAll(archive)
		require.NoError(t, err)
	}
}

// secretive is a machine whose every identifier is known to the test.
func secretive() (tree hosttest.Files, secrets []string) {
	n := 0
	secret := func() string {
		n++
		s := fmt.Sprintf("SECRET%04d", n)
		secrets = append(secrets, s)
		return s
	}
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", Version: "1.0", Date: "01/02/2020"})
	serial := secret()
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1", Serial: serial})
	b.Board(smbiostest.Board{Manufacturer: "Example Inc.", Product: "Board", Serial: secret()})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Example Inc.", Serial: serial, AssetTag: secret()})
	a := b.Array(smbiostest.Array{Devices: 2, ECC: 6})
	for i := range 2 {
		b.MemoryDevice(smbiostest.DIMM{Array: a, Locator: fmt.Sprintf("DIMM_A%d", i+1), Bytes: 32 << 30, Part: "PART-1", Serial: secret(), AssetTag: secret()})
	}
	b.Add(11, []byte{2}, "OEM "+secret(), secret())
	b.Add(200, []byte(secret()+"xx"), secret())
	b.Add(42, append([]byte{0x40, 11}, secret()+"x"...))
	b.End()
	tree = hosttest.Machine{Sockets: 1, CoresPerSocket: 2}.Files().With(hosttest.Files{
		"sys/firmware/dmi/tables/DMI":                  string(b.Table()),
		"sys/firmware/dmi/tables/smbios_entry_point":   string(b.EntryPoint()),
		"sys/devices/virtual/dmi/id/product_serial":    serial + "\n",
		"sys/devices/virtual/dmi/id/chassis_asset_tag": secret() + "\n",
		"sys/devices/virtual/dmi/id/product_uuid":      "5ec4e700-1111-2222-3333-444455556666\n",
		"sys/devices/virtual/dmi/id/sys_vendor":        "Example Inc.\n",
		"proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=" + secret() + " ip=10.1.2.3::" + secret() + ":node17:eth0 BOOTIF=01-" + secret() +
			" numa_balancing=disable \"hostname=" + secret() + "\" " + secret() + "@host nosmt -- init=" + secret() + " " + secret() + "\n",
	})
	secrets = append(secrets, "5ec4e700", "10.1.2.3", "node17")
	return tree, secrets
}

// TestSnapshotRedacts checks that no identifier is in a capture, that equal ones stay equal in it, and that two
// captures cannot be linked to one machine.
func TestSnapshotRedacts(t *testing.T) {
	t.Parallel()
	tree, secrets := secretive()
	dir := tree.Write(t)
	first, second := members(t, capture(t, nil, "--root", dir)), members(t, capture(t, nil, "--root", dir))
	for name, data := range first {
		for _, s := range secrets {
			assert.NotContains(t, strings.ToLower(string(data)), strings.ToLower(s), name)
		}
		if before, ok := tree[strings.Replace(name, "sys/class/", "sys/devices/virtual/", 1)]; ok {
			assert.Len(t, data, len(before), name)
		}
	}
	const serial = "sys/class/dmi/id/product_serial"
	own := strings.TrimSpace(string(first[serial]))
	assert.Equal(t, 2, strings.Count(string(first["sys/firmware/dmi/tables/DMI"]), own), "the system's and the chassis's serial number are one")
	assert.NotEqual(t, first[serial], second[serial])
	assert.Contains(t, string(first["proc/cmdline"]), "numa_balancing=disable")
	assert.Contains(t, string(first["proc/cmdline"]), "nosmt")
	assert.Contains(t, string(first["sys/firmware/dmi/tables/DMI"]), "PART-1")

	plain := members(t, capture(t, nil, "--root", dir, "--identifiers"))
	assert.Equal(t, tree["proc/cmdline"], string(plain["proc/cmdline"]))
	assert.Equal(t, tree["sys/firmware/dmi/tables/DMI"], string(plain["sys/firmware/dmi/tables/DMI"]))
	sameAudit(t, capture(t, nil, "--root", dir, "--identifiers"), nil, "--root", dir)
}

// TestSnapshotOutput checks refused paths, and standard output.
func TestSnapshotOutput(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	file := capture(t, nil, "--root", root)
	status, _, errs := run(nil, "snapshot", "--root", root, "-o", file)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "exists")
	must(t, "snapshot", "--root", root, "-o", file, "--force")
	for args, want := range map[string]int{"--root /nowhere": 3, "--bios /nowhere --root " + root: 3, "--smbios /nowhere": 3, "--root x --snapshot y": 2} {
		missing := filepath.Join(t.TempDir(), "none.tar.gz")
		status, _, errs = run(nil, append([]string{"snapshot", "-o", missing}, strings.Fields(args)...)...)
		assert.Equal(t, want, status, "%s: %s", args, errs)
		assert.NoFileExists(t, missing)
	}
	again, err := host.OpenCapture("stdout", strings.NewReader(must(t, "snapshot", "--root", root, "-o", "-")))
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
