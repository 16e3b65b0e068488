//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const units = root + "/deploy/systemd"

// exposures are the units with the drop-ins that an operator may add, and the maximum exposure of each. The project's
// limit is 4.0.
var exposures = []struct {
	unit    string
	dropIns []string
	most    float64
}{
	{"memaudit.service", nil, 2.0},
	{"memaudit.service", []string{"msr.conf"}, 2.5},
	{"memaudit.service", []string{"log.conf"}, 2.5},
	{"memaudit.service", []string{"bmc.conf", "web.conf"}, 2.0},
	{"memaudit.service", []string{"socket.conf"}, 1.5},
	{"memaudit.service", []string{"bmc.conf", "msr.conf", "web.conf"}, 2.5},
	{"memaudit-textfile.service", nil, 1.5},
}

// analyze runs systemd-analyze, or skips if it is not installed.
func analyze(t *testing.T, args ...string) string {
	t.Helper()
	return must(t, needProgram(t, "systemd-analyze"), append([]string{"--no-pager"}, args...)...)
}

// TestExposure checks that no unit exceeds its limit, with any drop-in.
func TestExposure(t *testing.T) {
	level := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	guide := readFile(t, filepath.Join(units, "README.md"))
	for _, e := range exposures {
		name := strings.Join(append([]string{e.unit}, e.dropIns...), " + ")
		t.Run(name, func(t *testing.T) {
			unit := stageUnit(t, e.unit, e.dropIns...)
			m := level.FindStringSubmatch(analyze(t, "security", "--offline=true", unit))
			require.NotNil(t, m)
			got, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			t.Logf("%s: exposure %s", name, m[1])
			assert.LessOrEqual(t, got, e.most)
			assert.Contains(t, guide, "| `"+strings.ReplaceAll(name, " + ", "` + `")+"` | "+m[1]+" |")
		})
	}
}

// TestUnitsVerify checks that systemd knows every key of the units and drop-ins.
func TestUnitsVerify(t *testing.T) {
	dropIns, err := filepath.Glob(filepath.Join(units, "memaudit.service.d", "*.conf"))
	require.NoError(t, err)
	require.NotEmpty(t, dropIns)
	var names []string
	for _, d := range dropIns {
		names = append(names, filepath.Base(d))
	}
	service := stageUnit(t, "memaudit.service", names...)
	args := []string{"verify", "--man=no", service}
	for _, name := range []string{"memaudit.socket", "memaudit-textfile.service", "memaudit-textfile.timer"} {
		args = append(args, stageUnit(t, name))
	}
	assert.Empty(t, analyze(t, args...))
}

// TestUnitsAllow checks that a unit shows of /etc and /var only what it lists, and no key, password or network.
func TestUnitsAllow(t *testing.T) {
	for _, name := range []string{"memaudit.service", "memaudit-textfile.service"} {
		unit := readFile(t, filepath.Join(units, name))
		assert.Contains(t, unit, "\nTemporaryFileSystem=/etc:ro,mode=0755 /var:ro,mode=0755\n", name)
		shown := regexp.MustCompile(`(?m)^Bind(?:ReadOnly)?Paths=(.*)$`).FindAllStringSubmatch(unit, -1)
		require.NotEmpty(t, shown, name)
		for _, line := range shown {
			for path := range strings.FieldsSeq(line[1]) {
				for _, secret := range []string{"/etc/shadow", "/etc/ssh/x", "/etc/ssl/private/x", "/etc/pki/tls/private/x", "/etc/krb5.keytab", "/etc/NetworkManager/x", "/etc/wireguard/x"} {
					assert.False(t, strings.HasPrefix(secret+"/", strings.TrimPrefix(path, "-")+"/"), "%s shows %s by %s", name, secret, path)
				}
			}
		}
	}
}

// stageUnit copies a unit and selected drop-ins into their own folder, with the built program in place of the
// installed one, because systemd checks that it exists.
func stageUnit(t *testing.T, unit string, dropIns ...string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(from, to string) {
		text := strings.ReplaceAll(readFile(t, filepath.Join(units, from)), "/usr/bin/memaudit", binary(t))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, []byte(text), 0o644))
	}
	for _, d := range dropIns {
		put("memaudit.service.d/"+d, filepath.Join(dir, unit+".d", d))
	}
	if unit == "memaudit.service" && len(dropIns) > 0 {
		put("memaudit.socket", filepath.Join(dir, "memaudit.socket"))
	}
	put(unit, filepath.Join(dir, unit))
	if service, ok := strings.CutSuffix(unit, ".socket"); ok {
		put(service+".service", filepath.Join(dir, service+".service"))
	}
	if service, ok := strings.CutSuffix(unit, ".timer"); ok {
		put(service+".service", filepath.Join(dir, service+".service"))
	}
	return filepath.Join(dir, unit)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}
