package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// outcome is what became of a change.
type outcome int

const (
	survived outcome = iota
	noticed
	uncompilable
)

// try runs the tests with one change alone, which a choice of forms does not fit.
func try(c *change, packages []string) (outcome, error) {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return survived, err
	}
	dir, err := os.MkdirTemp("", "gomutate")
	if err != nil {
		return survived, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed := filepath.Join(dir, filepath.Base(c.File))
	full, err := filepath.Abs(c.File)
	if err != nil {
		return survived, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {full: changed}})
	if err != nil {
		return survived, err
	}
	s := schemaWriter{text: text}
	inside := s.changed(c)
	if !c.Site.Statement {
		inside = "(" + inside + ")"
	}
	text = bytes.Join([][]byte{text[:c.Site.From], []byte(inside), text[c.Site.To:]}, nil)
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return survived, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return survived, err
	}
	// A change that is not Go says nothing of the tests.
	if out, err := goTool("build", "-overlay", list, packages[0]); err != nil {
		return uncompilable, unlessExit(err, out)
	}
	out, err := goTool(append([]string{"test", "-overlay", list, "-failfast", "-vet=off"}, packages...)...)
	if err != nil {
		return noticed, unlessExit(err, out)
	}
	return survived, nil
}
