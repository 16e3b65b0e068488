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
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/verdict"
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
		results[f.Rule+" / "+f.Subject] = f.Result
	}
	return results, asked
}

// member is one file of an archive with what it says.
type member struct {
	header tar.Header
	body   []byte
}

func membersOf(t *testing.T, archive []byte) []member {
	t.Helper()
	var out []member
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		out = append(out, member{*h, body})
	}
}

func archiveOf(t *testing.T, all []member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range all {
		m.header.Size, m.header.Format = int64(len(m.body)), tar.FormatPAX
		require.NoError(t, w.WriteHeader(&m.header))
		_, err := w.Write(m.body)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// memberDamages are the ways in which one file of an archive can be wrong.
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
// asked for by the readers' own record, each in two of the ways. Nothing may
// become better.
func TestDamagedCapture(t *testing.T) {
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	engine := audit.NewEngine(packs)
	list := hostileMachines()
	for n := range list[:3] {
		all := membersOf(t, list[n].Tree().Tar(t, "machine/"))
		whole, asked := ofCapture(t, engine, archiveOf(t, all))
		require.NotEmpty(t, whole)
		ways := slices.Sorted(maps.Keys(memberDamages()))
		tried := 0
		kinds := map[string]int{}
		for i := range all {
			path := strings.TrimPrefix(all[i].header.Name, "machine/")
			kind := digits.ReplaceAllString(path, "N")
			if !slices.Contains(asked, path) || kinds[kind] == 1 {
				continue
			}
			kinds[kind]++
			for _, way := range []string{ways[tried%len(ways)], ways[(tried+5)%len(ways)]} {
				damaged := slices.Clone(all)
				memberDamages()[way](&damaged[i])
				results, _ := ofCapture(t, engine, archiveOf(t, damaged))
				assert.Empty(t, improved(whole, results), "%s: %s, %s", list[n].Name, path, way)
				tried++
			}
		}
		assert.Greater(t, tried, 40, list[n].Name)
	}
}

// TestDamagedExport spoils each attribute of an export in turn: it is then worth no
// more than one that is missing, and a file that is refused no more than none. A
// setting may still pass by what the kernel shows.
func TestDamagedExport(t *testing.T) {
	attributes := map[string]any{"LogicalProc": "Enabled", "NodeInterleave": "Enabled", "ProcTurboMode": "Disabled", "ProcCStates": "Disabled",
		"ProcC1E": "Enabled", "SysProfile": "Custom", "ProcPwrPerf": "OsDbpm", "MemOpMode": "MirrorMode", "SnoopMode": "EarlySnoop", "ProcVirtualization": "Enabled"}
	export := func(a map[string]any) []byte {
		text, err := json.Marshal(map[string]any{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Id": "Bios",
			"AttributeRegistry": "BiosAttributeRegistry.v1_0_0", "Attributes": a})
		require.NoError(t, err)
		return text
	}
	judged := func(data []byte) map[string]verdict.Result {
		_, out, _ := run(data, "check", "--root", tree(t, "dell-r610-good"), "--bios", "-", "--profile", "max-performance", "--format", "json", "--fail-on", "never")
		var r struct {
			Findings []struct{ Rule, Subject, Result string }
		}
		if out != "" {
			require.NoError(t, json.Unmarshal([]byte(out), &r))
		}
		results := map[string]verdict.Result{}
		for _, f := range r.Findings {
			results[f.Rule+" / "+f.Subject] = verdict.Result(f.Result)
		}
		return results
	}
	whole := judged(export(attributes))
	failed := 0
	for key, result := range whole {
		if strings.HasPrefix(key, "setting.") && result == verdict.Fail {
			failed++
		}
	}
	require.Greater(t, failed, 1, "the whole export fails settings")
	without := judged(nil)
	for name := range attributes {
		less := maps.Clone(attributes)
		delete(less, name)
		removed := judged(export(less))
		for what, value := range map[string]any{"nothing": nil, "empty": "", "number": -1e300, "list": []int{1}, "object": map[string]any{"Other": "Disabled"},
			"escapes": "\x1b[2JDisabled", "long": strings.Repeat("Disabled", 9000), "a near word": "Disabledd"} {
			spoiled := maps.Clone(attributes)
			spoiled[name] = value
			for key, result := range judged(export(spoiled)) {
				if result == verdict.Pass && whole[key] != verdict.Pass && removed[key] != verdict.Pass && without[key] != verdict.Pass {
					t.Errorf("%s, %s: %s was %s and passes", name, what, key, whole[key])
				}
			}
		}
	}
}
