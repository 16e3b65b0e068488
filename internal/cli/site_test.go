package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// stranger is a dump of a server whose processor is on no list and whose slots
// have numbers that no map explains.
func stranger(t *testing.T) string {
	t.Helper()
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Computers", Product: "Example E200"})
	b.Board(smbiostest.Board{Manufacturer: "Example Computers", Product: "E200MB"})
	for _, socket := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: socket, Manufacturer: "Intel", Version: "Intel(R) Xeon(R) Example 9999", ID: hosttest.Signature([3]int{6, 254, 1}), Cores: 8, Enabled: 8, Threads: 16, Characteristics: 0xFC})
	}
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 1 << 40})
	for n := range 8 {
		d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("Bay %d of CPU %d", n%4+1, n/4+1), Bank: "x"}
		if n%4 < 2 {
			d.Bytes, d.Speed, d.Configured, d.Rank = 16<<30, 2666, 2666, 2
		}
		b.MemoryDevice(d)
	}
	return fileOf(t, "dump.bin", b.Dump())
}

// inFolder writes the parts of a draft, or whatever has such heads, into files.
func inFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split(text, "# ---- ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(body), 0o644))
	}
	return dir
}

// TestDraftBecomesKnowledge checks that an incomplete draft is refused, and that a completed one is valid, places the
// machine's slots on channels, and lets rules check them.
func TestDraftBecomesKnowledge(t *testing.T) {
	t.Parallel()
	dump := stranger(t)
	text := must(t, "rules", "draft", "--smbios", dump)
	assert.Contains(t, text, "# ---- platforms/our-platform.yaml")
	assert.Contains(t, text, "vendor: GenuineIntel, family: 6, model: 254")
	assert.Contains(t, text, `"Bay 3 of CPU 2", "x"`)
	status, _, errs := run(nil, "rules", "validate", inFolder(t, text))
	assert.Equal(t, 2, status, "a skeleton is not knowledge")
	assert.Contains(t, errs, "FILL IN")

	filled := strings.NewReplacer(
		"name: FILL IN", "name: Example 9999",
		"channels_per_socket: FILL IN", "channels_per_socket: 4",
		"max_dpc: FILL IN", "max_dpc: 1",
		"rdimm: [FILL IN]", "rdimm: [2666]",
		"recommended_dimms: [FILL IN]", "recommended_dimms: [4]",
		"vendor: FILL IN, title: FILL IN, year: FILL IN, place: FILL IN", "vendor: Example, title: Memory of the E200, year: 2025, place: p3",
		`locator: ["FILL IN"]`, `locator: ["Bay {num} of CPU {cpu}"]`,
	).Replace(text)
	dir := inFolder(t, filled)
	out := must(t, "rules", "validate", dir)
	assert.Contains(t, out, "2 other files, no complaint")

	text = must(t, "rules", "draft", "--smbios", dump, "--rules", dir)
	assert.NotContains(t, text, "our-platform.yaml", "the platform is known now")
	assert.Contains(t, text, "# ---- slots/our-maps.yaml")
	assert.Contains(t, text, "locators: [our-labels]")
	status, _, errs = run(nil, "rules", "validate", inFolder(t, text))
	assert.Equal(t, 2, status, "groups are not filled in")
	assert.NotEmpty(t, errs)
	_, ours, ok := strings.Cut(text, "# ---- slots/sources.yaml")
	require.True(t, ok)
	maps := strings.NewReplacer("groups: FILL IN", "groups: [[1], [2], [3], [4]]", "vendor: FILL IN, title: FILL IN", "vendor: Example, title: Memory of the E200",
		"FILL IN: page or table", "p4").Replace("# ---- slots/sources.yaml" + ours)
	dir = inFolder(t, filled+maps)
	must(t, "rules", "validate", dir)

	text = must(t, "rules", "draft", "--smbios", dump, "--rules", dir)
	assert.Equal(t, "# Nothing to draft: the platform is our-platform, and all 8 memory slots have their channel.\n", text)
	assert.Contains(t, must(t, "explain", "our-platform", "--rules", dir), "Example 9999")
	status, _, errs = run(nil, "explain", "our-platform")
	assert.Equal(t, 2, status, "without the site's files nobody knows it: %s", errs)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slots", "broken.yaml"), []byte("schema: 1\nmaps: [{}]\n"), 0o600))
	status, _, errs = run(nil, "rules", "list", "--rules", dir)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "broken.yaml", "rules list reads the site's data files, too")
	require.NoError(t, os.Remove(filepath.Join(dir, "slots", "broken.yaml")))
	for _, with := range []bool{false, true} {
		args := []string{"check", "--smbios", dump, "--format", "json"}
		if with {
			args = append(args, "--rules", dir)
		}
		_, out, _ := run(nil, args...)
		found := map[string]string{}
		for _, f := range verdictsOf(t, out) {
			found[f.Rule+" "+f.Subject] = f.Result
		}
		want := map[bool]string{false: "unknown", true: "fail"}[with]
		assert.Equal(t, want, found["memory.channel.populated socket 0"], "with the site's files: %v\n%v", with, found)
	}
}

// TestDaemonReadsSiteFilesAnew checks that every data file of a site is watched, and that a reload reads it.
func TestDaemonReadsSiteFilesAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	row := "example 9999,GenuineIntel,9999,Example,8,16,yes,yes,%d,2666,,doc,SITE\n"
	head := "#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source\n"
	file := filepath.Join(dir, "processors.csv")
	require.NoError(t, os.WriteFile(file, []byte(head+fmt.Sprintf(row, 4)), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "platforms"), 0o700))
	sources := filepath.Join(dir, "platforms", "sources.tsv")
	require.NoError(t, os.WriteFile(sources, []byte("SITE\tExample\tManual\t2024\tp3\t\n"), 0o600))

	p, _, _ := newProgram(nil)
	a := &auditor{p: p, f: &serveFlags{checkFlags: checkFlags{rules: []string{dir}, failOn: "never", config: filepath.Join(dir, "none.yaml")}}}
	require.NoError(t, os.WriteFile(a.f.config, nil, 0o600))
	require.NoError(t, a.loadRules())
	files := a.watchedFiles()()
	assert.Contains(t, files, file)
	assert.Contains(t, files, sources)
	assert.Contains(t, a.watchedFolders(), filepath.Join(dir, "platforms"))
	channels := func() string {
		raw, err := fs.ReadFile(p.Rules, "processors.csv")
		require.NoError(t, err)
		_, rest, ok := strings.Cut(string(raw), "\nexample 9999,")
		require.True(t, ok)
		return strings.Split(rest, ",")[7]
	}
	assert.Equal(t, "4", channels())
	require.NoError(t, os.WriteFile(file, []byte(head+fmt.Sprintf(row, 6)), 0o600))
	require.NoError(t, a.loadRules())
	assert.Equal(t, "6", channels())
}

// TestSiteFilesAreChecked checks that a fault in a site's data file stops every command that would use it, with its
// place.
func TestSiteFilesAreChecked(t *testing.T) {
	t.Parallel()
	for says, text := range map[string]string{
		"a built-in file has this name":     "# ---- platforms/milan.yaml\nid: milan\nname: Milan\n---\nrecognise: [{vendor: AuthenticAMD, family: 25, model: 1}]\n",
		`the platform's id is "other"`:      "# ---- platforms/ours.yaml\nid: other\nname: Ours\nchannels_per_socket: 2\n---\nrecognise: [{vendor: AuthenticAMD, family: 25, model: 250}]\n",
		"is not a pattern of locators.yaml": "# ---- slots/ours.yaml\nschema: 1\nvendor: dell\nmaps:\n  - {id: a, models: [X], locators: [nothing], groups: [[1]], check: [doc], sources: [DELL-11G]}\n",
	} {
		dir := inFolder(t, text)
		status, _, errs := run(nil, "check", "--smbios", stranger(t), "--rules", dir)
		assert.Equal(t, 2, status, says)
		assert.Contains(t, errs, says)
		assert.Contains(t, errs, "memaudit rules validate")
		status, _, errs = run(nil, "rules", "validate", dir)
		assert.Equal(t, 2, status, says)
		assert.Contains(t, errs, says)
	}
}

// TestAcceptedPopulation checks that a population that the site accepts is not a failure as long as its waiver is
// valid: with another population, another product or after its day the failures count.
func TestAcceptedPopulation(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r710-two-channels")
	dir := m.Tree().Write(t)
	_, labels, errs := run(nil, "labels", "--root", dir)
	_, signature, ok := strings.Cut(labels, "/memaudit-population=")
	require.True(t, ok, labels+errs)
	signature, _, _ = strings.Cut(signature, "\n")
	check := func(product, population, until string) (int, string, map[string]int) {
		file := filepath.Join(t.TempDir(), "memaudit.yaml")
		text := "accepted:\n  - {product: " + product + ", population: " + population + ", reason: capacity is not needed, until: " + until + "}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		status, out, errs := run(nil, "check", "--root", dir, "--config", file, "--format", "json")
		doc := decoded[struct {
			Verdict  struct{ Sentence string }
			Summary  struct{ Waived int }
			Findings []struct{ Waiver struct{ Population bool } }
		}](t, out, errs)
		accepted := 0
		for _, f := range doc.Findings {
			if f.Waiver.Population {
				accepted++
			}
		}
		_, text, errs = run(nil, "check", "--root", dir, "--config", file, "-v")
		require.Empty(t, errs)
		return status, doc.Verdict.Sentence + strings.Join(strings.Fields(text), " "), map[string]int{"waived": doc.Summary.Waived, "accepted": accepted}
	}
	status, text, n := check("PowerEdge R710", signature, "2099-01-01")
	assert.Zero(t, status)
	assert.Contains(t, text, "memory is installed as this site accepts it")
	assert.Positive(t, n["accepted"])
	assert.Equal(t, n["waived"], n["accepted"])
	status, text, n = check("PowerEdge R710", "8x4GiB-000000000000", "2099-01-01")
	assert.Equal(t, 1, status, "another population")
	assert.Contains(t, text, "this machine has "+signature)
	assert.Zero(t, n["accepted"])
	status, _, _ = check("PowerEdge R710", signature, "2026-11-20")
	assert.Zero(t, status, "on its last day")
	status, text, _ = check("PowerEdge R710", signature, "2020-01-01")
	assert.Equal(t, 1, status, "past its day")
	assert.Contains(t, text, "ended on 2020-01-01; its failures count again")
	status, text, _ = check("PowerEdge R720", signature, "2099-01-01")
	assert.Equal(t, 1, status, "another product")
	assert.NotContains(t, text, "accepted population")

	file := fileOf(t, "memaudit.yaml", "accepted:\n  - {product: X, population: y, until: 2027-01-01}\n")
	status, _, errs = run(nil, "check", "--root", dir, "--config", file)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "reason is missing")
}
