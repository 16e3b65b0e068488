package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTalkIsPrintable checks that names from an input are printed on standard error without control sequences.
func TestTalkIsPrintable(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;owned\x07\x1b[31m\u202e"
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	root := filepath.Join(dir, "root")
	for _, name := range []string{"a" + evil, "b" + evil} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name, "sys"), 0o755))
	}
	for _, args := range [][]string{
		{"check", "--root", root},
		{"check", "--root", filepath.Join(dir, "none"+evil)},
		{"check", "--config", file("config.yaml", "\"key\\e]0;owned\\a\": 1\n")},
		{"check", "--bios", file("x.xml", "<a\u202e\x1b[31m>\n")},
		{"check", "--bios", file("y.xml", "<?xml version=\"1.0\"?><root\u202e></other\u202e>\n")},
		{"rules", "validate", file("rule.yaml", "rules: [{id: \"x\\e[31m\", \"k\\e[31m\": 1}]\n")},
		{"rules", "show", "id" + evil},
		{"unknown" + evil},
		{"check", "--flag" + evil},
		{"check", "--smbios", file("noise", "\x1b[31m\x1b]0;owned\x07 text "+evil+"\n")},
	} {
		status, _, errs := run(nil, args...)
		assert.NotZero(t, status, args)
		assert.NotEmpty(t, errs)
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f\x{202e}]`, errs, "%q", args)
	}
}

// TestWrittenNamesArePrintable checks the same for the name of the written file on standard output.
func TestWrittenNamesArePrintable(t *testing.T) {
	t.Parallel()
	root, name := tree(t, "dell-r610-good"), filepath.Join(t.TempDir(), "a\x1b[31m\u202e\xff")
	for _, args := range [][]string{{"baseline", "save", "--file", name + "1"}, {"snapshot", "-o", name + "2"}} {
		status, out, errs := run(nil, append(args, "--root", root)...)
		assert.Zero(t, status, errs)
		assert.Contains(t, out, "a?[31m??")
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f\x{202e}]`, out)
	}
}
