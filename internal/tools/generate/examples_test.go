package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
func examples(root string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "memaudit-examples-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the example servers: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	named := map[string]map[verdict.Result][]string{}
	for _, m := range machinetest.All() {
		counts, err := resultsOf(root, dir, &m)
		if err != nil {
			return nil, fmt.Errorf("audit the example server %s: %w", m.Name, err)
		}
		for rule, results := range counts {
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
	return out, nil
}

func resultsOf(root, dir string, m *machinetest.Machine) (map[string]map[verdict.Result]int, error) {
	tree := filepath.Join(dir, m.Name)
	if err := m.Tree().Save(tree); err != nil {
		return nil, err
	}
	var out, talk bytes.Buffer
	p := cli.Program{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Getenv: func(string) string { return "" },
		Now: time.Now, Rules: rulesOf(root), Version: "generate"}
	p.Main([]string{"check", "--root", tree, "--profile", m.Profile, "--format", "json"})
	var doc struct {
		Findings []struct {
			Rule   string         `json:"rule"`
			Result verdict.Result `json:"result"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || len(doc.Findings) == 0 {
		return nil, fmt.Errorf("its report has %d findings: %w; the program says %q", len(doc.Findings), err, talk.String())
	}
	counts := map[string]map[verdict.Result]int{}
	for _, f := range doc.Findings {
		if counts[f.Rule] == nil {
			counts[f.Rule] = map[verdict.Result]int{}
		}
		counts[f.Rule][f.Result]++
	}
	return counts, nil
}
