package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
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
	require.NoError(t, a.loadRules())
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
	out := a.auditMachine(t.Context(), false)
	require.NoError(t, out.Err)
	assert.Equal(t, 90*time.Second, out.Interval)
	assert.Equal(t, "dell-11g/max-performance", out.Report.Profile.ID)

	write("profil: hpc\n")
	for _, reload := range []bool{true, false} {
		out = a.auditMachine(t.Context(), reload)
		require.ErrorIs(t, out.Err, errReload)
		require.ErrorContains(t, out.Err, "profil")
		assert.Equal(t, "dell-11g/max-performance", out.Report.Profile.ID)
		assert.Equal(t, 90*time.Second, out.Interval)
	}
	write("profile: balanced\n")
	out = a.auditMachine(t.Context(), false)
	require.NoError(t, out.Err)
	assert.Equal(t, defaultInterval, out.Interval)
	assert.NotEqual(t, "dell-11g/max-performance", out.Report.Profile.ID)

	require.NoError(t, os.RemoveAll(filepath.Join(root, "sys")))
	require.NoError(t, os.RemoveAll(filepath.Join(root, "proc")))
	require.ErrorContains(t, a.auditMachine(context.Background(), false).Err, "no sys or proc folder")
	require.NoError(t, os.RemoveAll(root))
	out = a.auditMachine(context.Background(), false)
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
	before := a.auditMachine(t.Context(), false)
	require.NoError(t, before.Err)
	assert.Empty(t, before.Report.Failed)

	installed("A1", "A2", "A3", "B1", "B2")
	a.f.input.bios = []string{at("gone.json")}
	a.f.input.redfish = redfishFlags{url: "https://bmc.example", credentials: at("none.yaml")}
	write("memaudit.yaml", "intervall: 90s\n")
	after := a.auditMachine(t.Context(), true)
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
	rule := contentOf(t, filepath.Join("..", "..", "rules", "general", "numa.yaml"))
	require.NoError(t, os.WriteFile(at("rules/deep/numa.yaml"), rule, 0o600))
	p, _, _ := newProgram(nil)
	f := &serveFlags{}
	f.input.root, f.config, f.rules, f.web.ConfigFile, f.input.bios = at("root"), at("conf/memaudit.yaml"), []string{at("rules")}, at("web/web.yml"), []string{at("bios/x.json")}
	f.input.asker = newAsker(p.Now)
	a := &auditor{p: p, f: f}
	require.NoError(t, a.loadRules())
	assert.Equal(t, []string{at("conf"), at("rules"), at("rules/deep")}, a.watchedFolders())
	assert.Equal(t, []string{at("bios"), at("conf"), at("root"), at("rules"), at("rules/deep"), at("tls"), at("web")}, a.readableFolders())
	assert.False(t, a.asksNetwork())
}

// TestRunbook checks that every alert, built-in rule, site rule and setting has its part in the page that alerts link to.
func TestRunbook(t *testing.T) {
	t.Parallel()
	p, _, _ := newProgram(nil)
	site := t.TempDir()
	_, example, _ := strings.Cut(string(contentOf(t, filepath.Join("..", "..", "rules", "README.md"))), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	require.NoError(t, os.WriteFile(filepath.Join(site, "site.yaml"), []byte(example), 0o600))
	page, err := p.runbookText(&checkFlags{rules: []string{site}})
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
	texts := contentOf(t, filepath.Join("..", "..", "deploy", "prometheus", "memaudit.alerts.yml"))
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

// slow is a slow controller whose answers can be changed.
type slow struct {
	asked  int
	takes  time.Duration
	answer redfish.Answer
	ended  int
	knew   []bool
}

func (s *slow) ask(ctx context.Context, o redfish.Options, _ redfish.Identity) *redfish.Answer {
	s.asked++
	s.knew = append(s.knew, o.KnownRegistry("Attributes.v1_0_0") != nil)
	a := s.answer
	if a.BIOS != nil {
		b := *a.BIOS
		a.BIOS = &b
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		s.ended++
	}
	return &a
}

func (s *slow) asker() *bmcAsker {
	a := newAsker(time.Now)
	a.ask = s.ask
	return a
}

var noSuchHost = []redfish.Problem{{State: fact.SourceRefused, Text: "no answer"}}

// TestControllerInterval checks that a controller is read once per interval, whatever audits there are, and again on request
// or if the machine is another one, and that its registry is read once.
func TestControllerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: time.Second, answer: redfish.Answer{Found: true, BIOS: &redfish.BIOS{RegistryName: "Attributes.v1_0_0", Registry: []byte("{}")}}}
		a := s.asker()
		read := func(who, revision string) *redfish.Answer {
			return a.currentAnswer(redfish.Options{}, redfish.Identity{Serial: who}, 6*time.Hour, revision)
		}
		for range 24 * 12 { // a day of audits
			answer := read("1", "")
			require.NoError(t, answer.Err())
			assert.Equal(t, "{}", string(answer.BIOS.Registry))
			answer.Problems = noSuchHost // what an audit adds is its own
			time.Sleep(5 * time.Minute)
		}
		assert.Equal(t, 4, s.asked)
		assert.Equal(t, []bool{false, true, true, true}, s.knew)
		a.expireAnswer()
		read("1", "")
		assert.Equal(t, 5, s.asked, "a reload asks")
		read("1", "saved anew")
		assert.Equal(t, 6, s.asked, "a new baseline asks")
		read("2", "saved anew")
		assert.Equal(t, 7, s.asked, "another machine's answer is none")
	})
}

// TestControllerOfAnotherSystem checks that answers of one system of a service, also pending ones, are not used for
// another that a new configuration names.
func TestControllerOfAnotherSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{answer: redfish.Answer{Found: true, Model: "Node0"}}
		a := s.asker()
		read := func(system string) *redfish.Answer {
			return a.currentAnswer(redfish.Options{System: system}, redfish.Identity{}, 6*time.Hour, "")
		}
		require.Equal(t, "Node0", read("Node0").Model)
		s.takes = 2 * time.Minute
		a.expireAnswer()
		answer := read("Node1")
		require.ErrorContains(t, answer.Err(), "has not answered yet")
		assert.Empty(t, answer.Model)
		read("Node0")
		synctest.Wait()
		assert.Equal(t, 1, s.ended, "the reading of the other system is ended")
		a.stopQuery(time.Second)
	})
}

// TestControllerHangs checks that an audit waits a moment and continues without the controller, that the next one
// does not start a second read, and that its answer starts an audit.
func TestControllerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: 2 * time.Minute, answer: redfish.Answer{Found: true}}
		a := s.asker()
		read := func() *redfish.Answer { return a.currentAnswer(redfish.Options{}, redfish.Identity{}, time.Hour, "") }
		began := time.Now()
		answer := read()
		assert.Equal(t, askPatience, time.Since(began))
		assert.Equal(t, fact.SourceRefused, answer.State())
		require.ErrorContains(t, answer.Err(), "has not answered yet")
		read()
		synctest.Wait()
		assert.Equal(t, 1, s.asked)
		<-a.again
		require.NoError(t, read().Err())
		assert.Equal(t, 1, s.asked)

		// Then it fails: what was known is gone, and it is asked ever more rarely.
		s.takes, s.answer = 0, redfish.Answer{Problems: noSuchHost}
		time.Sleep(time.Hour)
		s.asked = 0
		for range 6 * 12 {
			require.Error(t, read().Err())
			time.Sleep(5 * time.Minute)
		}
		assert.LessOrEqual(t, s.asked, 9, "after 5, 10, 20, 40, 60 minutes and each hour")
		s.answer = redfish.Answer{Found: true}
		time.Sleep(time.Hour)
		require.NoError(t, read().Err())

		s.takes = time.Hour
		a.expireAnswer()
		answer = read()
		require.NoError(t, answer.Err(), "the previous answer stays while it is asked again")
		a.stopQuery(time.Second)
		assert.Equal(t, 1, s.ended)
	})
}

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
	file := fileOf(t, "bmc.yaml", "username: u\npassword: p\n")
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
			t.Run(what, func(t *testing.T) {
				assert.Equal(t, want, has, "%s of --root %s", what, root)
			})
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
