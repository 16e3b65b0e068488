package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// resultPhrases are the phrases for results in a page, in their order. Rules that are not applicable are not mentioned.
var resultPhrases = [...]struct {
	result verdict.Result
	words  string
}{
	{verdict.Fail, "fails on "}, {verdict.Error, "breaks on "}, {verdict.Unknown, "cannot tell on "}, {verdict.Pass, "passes on "},
}

// examples maps the ID of each rule and profile setting to its results on the example servers, audited with the server's
// profile: "fails on NAME, NAME (2 of it); passes on NAME".
func examples(t *testing.T, root string) map[string]string {
	named := map[string]map[verdict.Result][]string{}
	for _, m := range machinetest.All() {
		for rule, results := range resultsOf(t, root, &m) {
			if named[rule] == nil {
				named[rule] = map[verdict.Result][]string{}
			}
			for result, n := range results {
				name := m.Name
				if n > 1 {
					name += fmt.Sprintf(" (%d)", n)
				}
				named[rule][result] = append(named[rule][result], name)
			}
		}
	}
	out := map[string]string{}
	for rule, results := range named {
		var parts []string
		for _, s := range resultPhrases {
			if names := results[s.result]; len(names) > 0 {
				parts = append(parts, s.words+strings.Join(names, ", "))
			}
		}
		out[rule] = strings.Join(parts, "; ")
	}
	return out
}

func resultsOf(t *testing.T, root string, m *machinetest.Machine) map[string]map[verdict.Result]int {
	var out, talk bytes.Buffer
	p := cli.Program{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Getenv: func(string) string { return "" },
		Now: time.Now, Rules: rulesOf(root), Version: "generate"}
	p.Main([]string{"check", "--root", m.Tree().Write(t), "--profile", m.Profile, "--format", "json"})
	var doc struct {
		Findings []struct {
			Rule   string
			Result verdict.Result
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc), "%s: %s", m.Name, talk.String())
	require.NotEmpty(t, doc.Findings, "%s: %s", m.Name, talk.String())
	counts := map[string]map[verdict.Result]int{}
	for _, f := range doc.Findings {
		if counts[f.Rule] == nil {
			counts[f.Rule] = map[verdict.Result]int{}
		}
		counts[f.Rule][f.Result]++
	}
	return counts
}
