package cli

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldDocument is the profiles' part of a comparison's JSON.
type heldDocument struct {
	Schema   string
	Why      *string
	Findings []json.RawMessage
	Profiles []held
}

type held struct {
	ID                              string
	Closest                         bool
	Agrees, Differs, Unknown, Error int
	Settings                        []struct {
		Setting, Result string
		Wanted          []string
		Remedy          *string
	}
}

func decodeHeld(t *testing.T, out string) heldDocument {
	t.Helper()
	var doc heldDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	return doc
}

// The test bed of the Dell paper shows SMT, node interleaving, C-states and
// C1E; of its eight settings the other four are the firmware's alone.
func TestProfilesCompare(t *testing.T) {
	t.Parallel()
	dir := tree(t, "dell-r610-unbalanced")
	status, out, errs := run(nil, "profiles", "compare", "--root", dir, "--format", "json")
	require.Equal(t, 0, status, errs)
	doc := decodeHeld(t, out)
	assert.Equal(t, "memaudit.comparison/v1", doc.Schema)
	require.Len(t, doc.Profiles, 7) // with what others advise for databases and vSphere
	fewest := slices.MinFunc(doc.Profiles, func(a, b held) int {
		return cmp.Or(cmp.Compare(min(b.Agrees, 1), min(a.Agrees, 1)), cmp.Compare(a.Differs, b.Differs), cmp.Compare(b.Agrees, a.Agrees))
	})
	for _, p := range doc.Profiles {
		assert.Equal(t, p.Agrees == fewest.Agrees && p.Differs == fewest.Differs, p.Closest, "%s beside %s", p.ID, fewest.ID)
		if strings.HasPrefix(p.ID, "workloads/") {
			continue
		}
		assert.True(t, strings.HasPrefix(p.ID, "dell-11g/"), p.ID)
		idle, c1e, expected := "pass", "pass", [4]int{3, 1, 4, 0}
		if p.ID == "dell-11g/low-latency" { // it wants both disabled, and they are in use, whoever decided
			idle, c1e, expected = "fail", "fail", [4]int{1, 3, 4, 0}
		}
		assert.Equal(t, expected, [4]int{p.Agrees, p.Differs, p.Unknown, p.Error}, p.ID)
		for _, s := range p.Settings {
			want := map[string]string{"smt": "fail", "node_interleave": "pass", "c_states": idle, "c1e": c1e}[s.Setting]
			if want == "" {
				want = "unknown"
			}
			assert.Equal(t, want, s.Result, "%s %s", p.ID, s.Setting)
			assert.Equal(t, s.Result == "fail", s.Remedy != nil, "%s %s", p.ID, s.Setting)
		}
	}
}

func TestProfilesCompareWithoutProfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sun-x6440", "guest-without-smbios"} {
		dir := tree(t, name)
		status, out, errs := run(nil, "profiles", "compare", "--root", dir)
		assert.Equal(t, 0, status, errs)
		assert.Contains(t, out, "PROFILES  not applicable: no document")
		_, out, _ = run(nil, "profiles", "compare", "--root", dir, "--format", "json")
		doc := decodeHeld(t, out)
		assert.Empty(t, doc.Profiles)
		assert.NotEmpty(t, doc.Why)
	}
}

// A check with all profiles is the same check with one more key.
func TestCheckAllProfiles(t *testing.T) {
	t.Parallel()
	args := []string{"check", "--root", tree(t, "dell-r610-unbalanced"), "--profile", "max-performance"}
	for _, more := range [][]string{nil, {"--fail-on", "never"}, {"--fail-on", "critical"}} {
		plain, text, _ := run(nil, append(args, more...)...)
		all, sides, _ := run(nil, append(append(args, more...), "--all-profiles")...)
		assert.Equal(t, plain, all)
		before, after, ok := strings.Cut(sides, "PROFILES  ")
		require.True(t, ok)
		assert.True(t, strings.HasPrefix(text, strings.TrimSpace(before)), "the summary is below both")
		assert.Contains(t, after, "CLOSEST")
	}
	_, plain, _ := run(nil, append(args, "--format", "json")...)
	_, all, _ := run(nil, append(args, "--format", "json", "--all-profiles")...)
	_, compared, _ := run(nil, "profiles", "compare", "--root", args[2], "--format", "json")
	var without, with, held map[string]any
	require.NoError(t, json.Unmarshal([]byte(plain), &without))
	require.NoError(t, json.Unmarshal([]byte(all), &with))
	require.NoError(t, json.Unmarshal([]byte(compared), &held))
	assert.Equal(t, held["profiles"], with["profiles"])
	delete(with, "profiles")
	assert.Equal(t, without, with)
}

func TestProfilesCompareRefuses(t *testing.T) {
	t.Parallel()
	machine := tree(t, "dell-r610-good")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, `--format: "html", expected one of text, json`, []string{"--format", "html", "--root", machine}},
		{2, "expected flags only", []string{"dell-11g/balanced"}},
		{2, "unknown flag: --profile", []string{"--profile", "hpc"}},
		{2, "both name a machine", []string{"--root", machine, "--snapshot", machine}},
		{2, "no such file", []string{"--config", filepath.Join(machine, "none.yaml"), "--root", machine}},
		{3, "no such file", []string{"--root", filepath.Join(machine, "none")}},
	} {
		status, _, errs := run(nil, append([]string{"profiles", "compare"}, c.args...)...)
		assert.Equal(t, c.status, status, c.args)
		assert.Contains(t, errs, c.says)
	}
}
