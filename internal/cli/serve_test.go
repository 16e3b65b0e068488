package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestServeUsage checks that errors are reported before anything listens.
func TestServeUsage(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--interval", "10ms"}, "--interval: 10ms, expected at least 1s"},
		{[]string{"--interval", "often"}, "invalid argument"},
		{[]string{"--log.level", "loud"}, "expected one of debug, info, warn, error"},
		{[]string{"--log.format", "xml"}, "expected one of logfmt, json"},
		{[]string{"--smbios", "-"}, "standard input (-) can be read once only"},
		{[]string{"--web.telemetry-path", "metrics"}, "expected a path such as /metrics"},
		{[]string{"--web.telemetry-path", "/report"}, "expected a path such as /metrics"},
		{[]string{"--web.config.file", "/nowhere"}, "--web.config.file /nowhere"},
		{[]string{"--config", "/nowhere"}, "no such file"},
		{[]string{"--profile", "fast"}, "expected an intent or a profile id"},
		{[]string{"--redfish", "https://bmc"}, "no credentials"},
		{[]string{"--snapshot", "x"}, "both name a machine"},
		{[]string{"--root", "other"}, "given twice, expected one machine"},
		{[]string{"now"}, `unexpected argument "now", expected flags only`},
	} {
		status, _, errs := run(nil, append([]string{"serve", "--root", root}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Contains(t, errs, c.says)
	}
	status, _, errs := run(nil, "serve", "--root", root, "--web.listen-address", "256.0.0.1:1")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "listen on 256.0.0.1:1")
}

// newAuditor is a daemon's auditor over one machine.
func newAuditor(t *testing.T, root, conf string) *auditor {
	t.Helper()
	p, _, _ := newProgram(nil)
	f := &serveFlags{}
	f.input.root, f.config, f.input.asker = root, conf, newAsker(p.Now)
	a := &auditor{p: p, f: f}
	require.NoError(t, a.load())
	return a
}

// TestAuditor checks that an invalid configuration leaves the previous one in use, is reported at every audit, and is
// used as soon as it is valid.
func TestAuditor(t *testing.T) {
	t.Parallel()
	conf := filepath.Join(t.TempDir(), "memaudit.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(conf, []byte(text), 0o600)) }
	write("profile: max-performance\ninterval: 90s\n")
	root := t.TempDir()
	m := machinetest.R610("r610", "", []string{"A1", "A2", "A3", "B1", "B2", "B3"}, 1)
	m.Tree().WriteTo(t, root)
	a := newAuditor(t, root, conf)
	out := a.audit(t.Context(), false)
	require.NoError(t, out.Err)
	assert.Equal(t, 90*time.Second, out.Interval)
	assert.Equal(t, "dell-11g/max-performance", out.Report.Profile.ID)

	write("profil: hpc\n")
	for _, reload := range []bool{true, false} {
		out = a.audit(t.Context(), reload)
		require.ErrorIs(t, out.Err, errReload)
		require.ErrorContains(t, out.Err, "profil")
		assert.Equal(t, "dell-11g/max-performance", out.Report.Profile.ID)
		assert.Equal(t, 90*time.Second, out.Interval)
	}
	write("profile: balanced\n")
	out = a.audit(t.Context(), false)
	require.NoError(t, out.Err)
	assert.Equal(t, defaultInterval, out.Interval)
	assert.NotEqual(t, "dell-11g/max-performance", out.Report.Profile.ID)

	require.NoError(t, os.RemoveAll(filepath.Join(root, "sys")))
	require.NoError(t, os.RemoveAll(filepath.Join(root, "proc")))
	require.ErrorContains(t, a.audit(context.Background(), false).Err, "no sys or proc folder")
	require.NoError(t, os.RemoveAll(root))
	out = a.audit(context.Background(), false)
	require.Error(t, out.Err)
}

// TestOneSourceFails checks that a lost module is reported while an export is missing, the controller's credentials
// are unreadable and the configuration is invalid; each of the three is reported.
func TestOneSourceFails(t *testing.T) {
	t.Parallel()
	dir, root := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { require.NoError(t, os.WriteFile(at(name), []byte(text), 0o600)) }
	write("memaudit.yaml", "interval: 90s\n")
	write("bmc.yaml", "username: u\npassword: p\n")
	write("bios.txt", "[x]\n")
	installed := func(slots ...string) {
		m := machinetest.R610("r610", "", slots, 1)
		require.NoError(t, os.RemoveAll(root))
		require.NoError(t, os.Mkdir(root, 0o755))
		m.Tree().WriteTo(t, root)
	}
	installed("A1", "A2", "A3", "B1", "B2", "B3")
	a := newAuditor(t, root, at("memaudit.yaml"))
	before := a.audit(t.Context(), false)
	require.NoError(t, before.Err)
	assert.Empty(t, before.Report.Failed)

	installed("A1", "A2", "A3", "B1", "B2")
	a.f.input.bios = []string{at("gone.json")}
	a.f.input.redfish = redfishFlags{url: "https://bmc.example", credentials: at("none.yaml")}
	write("memaudit.yaml", "intervall: 90s\n")
	after := a.audit(t.Context(), true)
	require.ErrorIs(t, after.Err, errReload)
	for _, says := range []string{"gone.json", "none.yaml", "intervall"} {
		require.ErrorContains(t, after.Err, says)
	}
	require.NotNil(t, after.Report)
	assert.NotEmpty(t, after.Report.Failed)
	populated := func(r *report.Report) (n int) {
		for i := range r.Inventory.Slots {
			if r.Inventory.Slots[i].State == "populated" {
				n++
			}
		}
		return n
	}
	assert.Equal(t, []int{6, 5}, []int{populated(before.Report), populated(after.Report)})
	state := map[string]string{}
	for _, s := range after.Report.Inventory.Sources {
		state[s.Name] = string(s.State)
	}
	// The table now lists a module less than the kernel of the tree sees.
	assert.Equal(t, []string{"partial", "absent", "absent"}, []string{state["smbios"], state["bios"], state["redfish"]})
}

// TestReadable checks that the sandbox leaves readable what audits read, and no more.
func TestReadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{"rules/deep", "conf", "tls", "web"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("web/web.yml"), []byte("tls_server_config: {cert_file: a.crt, key_file: "+at("tls/a.key")+"}\n"), 0o600))
	require.NoError(t, os.WriteFile(at("conf/memaudit.yaml"), nil, 0o600))
	rule, err := os.ReadFile(filepath.Join("..", "..", "rules", "general", "numa.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("rules/deep/numa.yaml"), rule, 0o600))
	p, _, _ := newProgram(nil)
	f := &serveFlags{}
	f.input.root, f.config, f.rules, f.web.ConfigFile, f.input.bios = at("root"), at("conf/memaudit.yaml"), []string{at("rules")}, at("web/web.yml"), []string{at("bios/x.json")}
	f.input.asker = newAsker(p.Now)
	a := &auditor{p: p, f: f}
	require.NoError(t, a.load())
	assert.Equal(t, []string{at("conf"), at("rules"), at("rules/deep")}, a.watched())
	assert.Equal(t, []string{at("bios"), at("conf"), at("root"), at("rules"), at("rules/deep"), at("tls"), at("web")}, a.readable())
	assert.False(t, a.asksNetwork())
}

// TestRunbook checks that every alert, built-in rule, site rule and setting has its part in the page that alerts link to.
func TestRunbook(t *testing.T) {
	t.Parallel()
	p, _, _ := newProgram(nil)
	site := t.TempDir()
	rule, err := os.ReadFile(filepath.Join("..", "..", "rules", "README.md"))
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(rule), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	require.NoError(t, os.WriteFile(filepath.Join(site, "site.yaml"), []byte(example), 0o600))
	page, err := p.runbook(&checkFlags{rules: []string{site}})
	require.NoError(t, err)
	packs, err := rulepack.LoadCompiled(p.Rules)
	require.NoError(t, err)
	ids := append(settings.IDs(), "memory.site.capacity")
	for i := range ids[:len(ids)-1] {
		ids[i] = "setting." + ids[i]
	}
	for _, r := range rulepack.Describe(packs) {
		ids = append(ids, r.ID)
	}
	texts, err := os.ReadFile(filepath.Join("..", "..", "deploy", "prometheus", "memaudit.alerts.yml"))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(texts), -1) {
		ids = append(ids, m[1])
	}
	require.Greater(t, len(ids), 150)
	for _, id := range ids {
		_, part, found := strings.Cut(string(page), "<h2 id=\""+id+"\">")
		part, _, _ = strings.Cut(part, "<h2 ")
		assert.True(t, found && (strings.Contains(part, "<p>") || strings.Contains(part, "<li>")), id)
	}
	assert.NotContains(t, string(page), "```")
}
