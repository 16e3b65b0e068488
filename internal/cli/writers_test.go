package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// siteFiles are a configuration and a folder with a rule pack, each in its own folder.
func siteFiles(t *testing.T) (conf, rules string) {
	t.Helper()
	conf, rules = filepath.Join(t.TempDir(), "memaudit.yaml"), filepath.Join(t.TempDir(), "rules")
	require.NoError(t, os.WriteFile(conf, []byte("interval: 1m\n"), 0o600))
	require.NoError(t, os.Mkdir(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "site.yaml"), nil, 0o600))
	return conf, rules
}

// TestOthersCanChange checks that a configuration or rules that other users can change are an error for root, and a
// warning for another user.
func TestOthersCanChange(t *testing.T) {
	checked := func(t *testing.T, conf, rules, says string) {
		t.Helper()
		status, _, errs := run(nil, "check", "--root", emptyTree(t), "--config", conf, "--rules", rules)
		switch {
		case says == "":
			assert.NotEqual(t, 2, status, errs)
			assert.NotContains(t, errs, "write to it")
		case os.Geteuid() == 0:
			assert.Equal(t, 2, status)
			assert.Contains(t, errs, says)
		default:
			assert.NotEqual(t, 2, status, errs)
			assert.Contains(t, errs, "memaudit: warning: ")
			assert.Contains(t, errs, says)
		}
	}
	for name, c := range map[string]struct {
		change func(conf, rules string) error
		says   string
	}{
		"as it should be":       {func(_, _ string) error { return nil }, ""},
		"configuration":         {func(conf, _ string) error { return os.Chmod(conf, 0o666) }, "memaudit.yaml: all users can write to it (mode 0666)"},
		"its folder":            {func(conf, _ string) error { return os.Chmod(filepath.Dir(conf), 0o777) }, "its folder "},
		"its folder, sticky":    {func(conf, _ string) error { return os.Chmod(filepath.Dir(conf), 0o777|os.ModeSticky) }, ""},
		"own group":             {func(conf, _ string) error { return os.Chmod(conf, 0o660) }, ""},
		"folder of rules":       {func(_, rules string) error { return os.Chmod(rules, 0o777) }, "rules: all users can write to it (mode 0777)"},
		"a file of rules":       {func(_, rules string) error { return os.Chmod(filepath.Join(rules, "site.yaml"), 0o602) }, "site.yaml: all users can write to it (mode 0602)"},
		"a folder above either": {func(conf, _ string) error { return os.Chmod(filepath.Dir(filepath.Dir(conf)), 0o755) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			conf, rules := siteFiles(t)
			require.NoError(t, c.change(conf, rules))
			checked(t, conf, rules, c.says)
		})
	}
}

// TestOtherOwner checks that files of another user, or writable by another group, are refused, unless that user ran
// sudo. Credentials are refused in any case.
func TestOtherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	conf, rules := siteFiles(t)
	check := func() (int, string) {
		status, _, errs := run(nil, "check", "--root", emptyTree(t), "--config", conf, "--rules", rules)
		return status, errs
	}
	require.NoError(t, os.Chown(conf, 1234, 1234))
	status, errs := check()
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "belongs to user 1234")
	_, _, err := readCredentials(conf)
	require.ErrorContains(t, err, "belongs to user 1234, expected root or the user who runs memaudit")

	require.NoError(t, os.Chown(conf, 0, 1234))
	require.NoError(t, os.Chmod(conf, 0o660))
	status, errs = check()
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "group 1234 can write to it (mode 0660)")

	require.NoError(t, os.Chown(conf, 1234, 1234))
	t.Setenv("SUDO_UID", "1234")
	t.Setenv("SUDO_GID", "1234")
	status, errs = check()
	assert.NotEqual(t, 2, status, errs)
}

// TestReadOnlyCannotBeChanged checks that files on a read-only mount are accepted, whatever their mode.
func TestReadOnlyCannotBeChanged(t *testing.T) {
	conf, _ := siteFiles(t)
	folder := filepath.Dir(conf)
	require.NoError(t, os.Chmod(conf, 0o666))
	require.NotEmpty(t, othersCanChange(conf))
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("mounting is not allowed here: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) }()
	require.NoError(t, unix.Mount("", folder, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	assert.Empty(t, othersCanChange(conf))
}
