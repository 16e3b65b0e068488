// Command generate writes what is made from the files that people edit: the compiled knowledge, the pages of all rules and
// platforms, and the rules for the Prometheus operator. go generate ./... runs it; a test checks its output against what is
// committed.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/source/host/hosttest"
)

type generatorStep func(root string) (madeFiles, error)

// generatorSteps are in the order in which one needs what another made.
var generatorSteps = [...]generatorStep{schemaForms, knowledge, rulesByName, platformPage, glossaryPage, operatorRules}

func staleFiles(root string, write bool) ([]string, error) {
	var out []string
	for _, make := range generatorSteps {
		made, err := make(root)
		if err != nil {
			return out, err
		}
		for name, want := range made {
			file := filepath.Join(root, filepath.FromSlash(name))
			have, err := os.ReadFile(file)
			if err == nil && want != nil && bytes.Equal(have, want) {
				continue
			}
			out = append(out, name)
			if !write {
				continue
			}
			if want == nil {
				err = os.Remove(file)
			} else if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
				err = os.WriteFile(file, want, 0o644)
			}
			if err != nil {
				return out, err
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

func main() {
	hosttest.InMemory()
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	written, err := staleFiles(root, true)
	if len(written) > 0 {
		_, _ = fmt.Fprintln(os.Stdout, strings.Join(written, "\n"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
