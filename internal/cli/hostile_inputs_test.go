package cli

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// ofCapture audits a machine from an archive in memory: result by rule and
// subject, and the files that were asked for and are there.
func ofCapture(t *testing.T, engine *audit.Engine, archive []byte) (results map[string]verdict.Result, asked []string) {
	t.Helper()
	root, err := host.OpenCapture("capture.tar", bytes.NewReader(archive))
	if err != nil {
		return nil, nil
	}
	seen := map[string]bool{}
	root.Observe(func(a host.Access) {
		if !seen[a.Path] {
			seen[a.Path] = true
			asked = append(asked, strings.TrimPrefix(a.Path, "/"))
		}
	})
	sys := collect.Collect(collect.Input{Root: root})
	result, err := engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{Profile: "max-performance", Asked: true, Now: time.Now()})
	require.NoError(t, err)
	results = map[string]verdict.Result{}
	for i := range result.Findings {
		f := &result.Findings[i]
		results[f.Rule+" / "+f.Subject.String()] = f.Result
	}
	return results, asked
}

// member is one file of an archive with its content.
type member struct {
	header tar.Header
	body   []byte
	// packed is the file's bytes in the archive, header blocks first.
	packed []byte
}

func membersOf(t *testing.T, archive []byte) []member {
	t.Helper()
	const block = 512
	var out []member
	in, begin := bytes.NewReader(archive), 0
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		end := (len(archive) - in.Len() + block - 1) / block * block
		out = append(out, member{*h, body, archive[begin:end]})
		begin = end
	}
}

// packed returns the bytes of one file in an archive.
func packed(t *testing.T, m *member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	m.header.Size, m.header.Format = int64(len(m.body)), tar.FormatPAX
	require.NoError(t, w.WriteHeader(&m.header))
	_, err := w.Write(m.body)
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	return out.Bytes()
}

// archiveOf joins packed files to an archive with its end mark.
func archiveOf(members [][]byte) []byte {
	return append(bytes.Join(members, nil), make([]byte, 1024)...)
}

// memberDamages are the damages of one file of an archive.
func memberDamages() map[string]func(m *member) {
	special := func(kind byte, target string) func(m *member) {
		return func(m *member) { m.header.Typeflag, m.header.Linkname, m.body = kind, target, nil }
	}
	content := func(s string) func(m *member) { return func(m *member) { m.body = []byte(s) } }
	return map[string]func(m *member){
		"empty": content(""), "zeros": content(strings.Repeat("\x00", 64)), "huge number": content("99999999999999999999\n"),
		"negative": content("-1\n"), "escapes": content("\x1b]0;owned\a\n"), "long": content(strings.Repeat("7", 1<<20)),
		"link to itself": func(m *member) { special(tar.TypeSymlink, m.header.Name[strings.LastIndex(m.header.Name, "/")+1:])(m) },
		"link out":       special(tar.TypeSymlink, strings.Repeat("../", 40)+"etc/passwd"), "hard link out": special(tar.TypeLink, "/etc/passwd"),
		"FIFO": special(tar.TypeFifo, ""), "device": special(tar.TypeChar, ""), "folder": special(tar.TypeDir, ""),
	}
}

// TestDamagedCapture ruins the members of a capture, one at a time: what an audit
// asked for by the readers' own record, each in one of the ways, in make corpus of
// three machines and in two ways. Nothing may become better.
func TestDamagedCapture(t *testing.T) {
	t.Parallel()
	engine := anEngine(t)
	list := hostileMachines()
	for n := range corpustest.Sample(list[:3], 3) {
		all := membersOf(t, list[n].Tree().Tar(t, ""))
		members := make([][]byte, len(all))
		for i := range all {
			members[i] = all[i].packed
		}
		whole, asked := ofCapture(t, engine, archiveOf(members))
		require.NotEmpty(t, whole)
		damages := memberDamages()
		ways := slices.Sorted(maps.Keys(damages))
		tried := 0
		kinds := map[string]int{}
		for i := range all {
			path := all[i].header.Name
			kind := digits.ReplaceAllString(path, "N")
			if !slices.Contains(asked, path) || kinds[kind] == 1 {
				continue
			}
			kinds[kind]++
			for _, way := range corpustest.Sample([]string{ways[tried%len(ways)], ways[(tried+5)%len(ways)]}, 2) {
				spoiled, damaged := all[i], slices.Clone(members)
				damages[way](&spoiled)
				damaged[i] = packed(t, &spoiled)
				results, _ := ofCapture(t, engine, archiveOf(damaged))
				assert.Empty(t, improved(whole, results), "%s: %s, %s", list[n].Name, path, way)
				tried++
			}
		}
		assert.Greater(t, tried, 20*len(corpustest.Sample([]int{1, 2}, 2)), list[n].Name)
	}
}

// spoilt is the audit of an R610 with an export: result by rule and subject. It checks what must be true whatever an
// export contains: the report matches its schema and prints nothing that a terminal would interpret, no rule breaks,
// and the status is the findings', or says that the export could not be read, with the reason.
func spoilt(t *testing.T, schema *validator.Schema, root string, export []byte) (results map[string]verdict.Result, read bool) {
	t.Helper()
	ask := func(format string) (int, string, string) {
		return run(export, "check", "--root", root, "--bios", "-", "--profile", "max-performance", "--format", format, "--fail-on", string(failOn))
	}
	status, out, errs := ask("json")
	require.NotEmpty(t, out, errs)
	r := validReport(t, schema, out)
	results = map[string]verdict.Result{}
	for i := range r.Findings {
		f := &r.Findings[i]
		assert.NotEqual(t, verdict.Error, f.Result, f.Rule)
		results[f.Rule+" / "+f.Subject.String()] = f.Result
	}
	at := slices.IndexFunc(r.Inventory.Sources, func(s report.Source) bool { return s.Name == inventory.SourceBIOS })
	require.GreaterOrEqual(t, at, 0, "the state of the export is reported")
	source := r.Inventory.Sources[at]
	if read = source.State == "ok" || source.State == "partial"; read {
		assert.Equal(t, r.Verdict.ExitStatus, status)
	} else {
		assert.Equal(t, report.ExitNotAudited, status, source.State)
		assert.NotEmpty(t, errs)
		assert.NotEmpty(t, source.Detail)
	}
	text := ""
	if bytes.ContainsAny(export, "\x1b") || bytes.Contains(export, []byte(`\u001b`)) {
		_, text, _ = ask("text")
	}
	for _, stream := range []string{text, errs} {
		for line := range strings.Lines(stream) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, printable.Clean(line), line)
		}
	}
	return results, read
}

// exportOf is a Redfish Bios resource of a Dell server.
func exportOf(t *testing.T, attributes map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Id": "Bios",
		"AttributeRegistry": "BiosAttributeRegistry.v1_0_0", "Attributes": attributes})
	require.NoError(t, err)
	return text
}

func exampleAttributes() map[string]any {
	return map[string]any{"LogicalProc": "Enabled", "NodeInterleave": "Enabled", "ProcTurboMode": "Disabled", "ProcCStates": "Disabled",
		"ProcC1E": "Enabled", "SysProfile": "Custom", "ProcPwrPerf": "OsDbpm", "MemOpMode": "MirrorMode", "SnoopMode": "EarlySnoop", "ProcVirtualization": "Enabled"}
}

// unspoiltOnce keeps what unspoilt gives.
var unspoiltOnce struct {
	sync.Mutex
	whole, without map[string]verdict.Result
}

// unspoilt are the audits with the complete export and with an unreadable one, created once for all tests.
func unspoilt(t *testing.T) (whole, without map[string]verdict.Result) {
	t.Helper()
	o := &unspoiltOnce
	o.Lock()
	defer o.Unlock()
	if o.whole == nil {
		schema, root := reportSchema(t), tree(t, "dell-r610-good")
		all, read := spoilt(t, schema, root, exportOf(t, exampleAttributes()))
		require.True(t, read)
		none, read := spoilt(t, schema, root, []byte("{"))
		require.False(t, read)
		o.whole, o.without = all, none
	}
	return o.whole, o.without
}

// TestDamagedExport damages each attribute of an export in turn: it then counts like a missing one and does not
// affect others; only a text without limits makes the complete file refused, which then counts like none. A setting
// may still pass by what the kernel shows.
func TestDamagedExport(t *testing.T) {
	t.Parallel()
	schema, root, attributes := reportSchema(t), tree(t, "dell-r610-good"), exampleAttributes()
	whole, without := unspoilt(t)
	failed, mattered := 0, 0
	for key, result := range whole {
		if strings.HasPrefix(key, "setting.") && result == verdict.Fail {
			failed++
		}
	}
	require.Greater(t, failed, 1, "the complete export fails settings")
	values := map[string]any{"nothing": nil, "empty": "", "number": -1e300, "list": []int{1}, "object": map[string]any{"Other": "Disabled"},
		"escapes": "\x1b[2JDisabled", "long": strings.Repeat("Disabled", 9000), "a near word": "Disabledd"}
	ways := slices.Sorted(maps.Keys(values))
	for i, name := range corpustest.Sample(slices.Sorted(maps.Keys(attributes)), 2) {
		less := maps.Clone(attributes)
		delete(less, name)
		removed, _ := spoilt(t, schema, root, exportOf(t, less))
		for _, n := range corpustest.Sample([]int{0, 1, 2}, 3) { // in turn: each way at least once, every second attribute in one of them; in make corpus each in three
			what := ways[(3*i+n)%len(ways)]
			value := values[what]
			spoiled := maps.Clone(attributes)
			spoiled[name] = value
			results, read := spoilt(t, schema, root, exportOf(t, spoiled))
			require.Equal(t, what != "long", read, "%s, %s", name, what)
			for key, result := range results {
				base := removed[key]
				if !read {
					base = without[key]
				}
				if result == verdict.Pass && base != verdict.Pass {
					t.Errorf("%s, %s: %s passes, is %s without it and %s with the complete one", name, what, key, base, whole[key])
				}
				if result != whole[key] {
					mattered++
				}
			}
		}
	}
	least := 5
	if corpustest.Stage {
		least = 20
	}
	assert.Greater(t, mattered, least, "what was spoiled mattered to some verdict")
}
