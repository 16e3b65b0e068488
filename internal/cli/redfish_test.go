package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host"
)

// TestCredentials checks which files are accepted.
func TestCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bmc.yaml")
	for _, c := range []struct {
		text string
		mode os.FileMode
		says string
	}{
		{"username: auditor\npassword: 'a: b # c'\n", 0o600, ""},
		{"username: auditor\npassword: 12345678\n", 0o400, ""},
		{"username: auditor\npassword: x\n", 0o640, "mode 0640 lets users other than its owner read the password, expected 0600"},
		{"username: auditor\npassword: x\n", 0o604, "mode 0604"},
		{"username: auditor\npassword: x\n", 0o620, "mode 0620"},
		{"", 0o600, "no username"},
		{"username: auditor\n", 0o600, "no password"},
		{"username: auditor\npassword:\n", 0o600, "no password"},
		{"username: auditor\npassword: x\nurl: y\n", 0o600, "malformed at line 3"},
		{"username: auditor\npassword: x\n---\npassword: y\n", 0o600, "malformed at line 4"},
		{strings.Repeat("#", maxCredentials+1), 0o600, "longer than"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		require.NoError(t, os.Chmod(file, c.mode))
		user, password, err := readCredentials(file)
		if c.says == "" {
			require.NoError(t, err)
			assert.Equal(t, "auditor", user)
			assert.NotEmpty(t, password)
			continue
		}
		require.Error(t, err, c.text)
		assert.Contains(t, err.Error(), c.says)
	}
	_, _, err := readCredentials(filepath.Dir(file))
	assert.ErrorContains(t, err, "not a regular file")
}

// TestConfigurationBelowHostRoot checks that a container with this node's /sys below --root audits this node, with
// everything that the configuration names for it, and that an unpacked tree, and one that only links to /sys, is
// another machine.
func TestConfigurationBelowHostRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bmc.yaml")
	require.NoError(t, os.WriteFile(file, []byte("username: u\npassword: p\n"), 0o600))
	conf := &config{Redfish: &redfishConfig{URL: "https://bmc.example", Credentials: file}, Baseline: "/b", BIOS: []string{"/x"}, Measured: []string{"/m"}}
	links := t.TempDir()
	require.NoError(t, os.Symlink("/sys", filepath.Join(links, "sys")))
	for root, want := range map[string]bool{"/": host.RunningKernel("/"), links: false, t.TempDir(): false} {
		f := inputFlags{root: root, conf: conf}
		c, err := f.controller()
		require.NoError(t, err)
		files, err := f.biosFiles()
		require.NoError(t, err)
		for what, has := range map[string]bool{"redfish": c != nil, "baseline": f.baselineFile("", "") != "", "bios": len(files) > 0, "measured": len(f.measuredFiles()) > 0} {
			assert.Equal(t, want, has, "%s of --root %s", what, root)
		}
	}
	if !host.RunningKernel("/") {
		t.Log("/sys is not sysfs here: only the refusals were tested")
	}
}

// FuzzCredentials checks that no error contains a part of the password, wherever it is in a malformed file.
func FuzzCredentials(f *testing.F) {
	const password = "correct-horse-battery"
	for _, seed := range [][2]string{{"username: u\npassword: ", "\n"}, {"", ""}, {"password: [", "]"}, {"- ", ""}, {"username: {", "}"},
		{"username: u\npassword: \"", ""}, {"&", " *"}, {"!!int ", ""}, {"password: !!int ", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if _, _, err := parseCredentials("file", []byte(before+password+after)); err != nil && strings.Contains(err.Error(), password) {
			t.Fatal(err)
		}
	})
}
