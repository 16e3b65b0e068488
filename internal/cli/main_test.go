package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOneCommandIsAsAmongAll: the tree of one command says and refuses what the whole
// tree does, and what needs the others has them.
func TestOneCommandIsAsAmongAll(t *testing.T) {
	t.Parallel()
	run := func(root *cobra.Command, args ...string) string {
		var out bytes.Buffer
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.Execute(); err != nil {
			out.WriteString(err.Error())
		}
		return out.String()
	}
	require.Len(t, commands, 14)
	for _, c := range commands {
		for _, args := range [][]string{{c.name, "--help"}, {c.name, "--no-such-flag"}, {c.name, "list", "surplus", "arguments", "--help"}} {
			p := New("v", "r")
			assert.Equal(t, run(p.command(), args...), run(p.commandFor(args), args...), args)
		}
		if c.name != "man" {
			assert.Len(t, New("v", "r").commandFor([]string{c.name}).Commands(), 1)
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"completion", "bash"}, {"__complete", "check", ""}, {"man", "."}, {"chekc"}} {
		assert.Len(t, New("v", "r").commandFor(args).Commands(), len(commands), args)
	}
	assert.Len(t, New("v", "r").commandFor([]string{"help", "check"}).Commands(), len(commands)+1, "help itself is there, and knows all")
}

// TestManualOfACommand: a command's name asks for its page, and makes no folder; a path is
// a folder for all pages.
func TestManualOfACommand(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, errs := run(nil, "man", "check")
	assert.Equal(t, 0, status, errs)
	assert.Contains(t, out, ".SH SYNOPSIS\n.B memaudit check [flags]\n")
	assert.Contains(t, out, ".B \\-\\-format FORMAT\noutput FORMAT: text, json, html, junit, nagios, prometheus (default text)\n")
	assert.NotContains(t, out, "(default false)")
	assert.True(t, strings.HasSuffix(out, ".SH SEE ALSO\nmemaudit(8)\n"), out)
	_, out, _ = run(nil, "man", "rules")
	assert.Contains(t, out, ".SH SYNOPSIS\n.B memaudit rules COMMAND [flags]\n")
	assert.True(t, strings.HasSuffix(out, ".SH SEE ALSO\nmemaudit(8), memaudit\\-rules\\-draft(8), memaudit\\-rules\\-list(8), memaudit\\-rules\\-show(8), memaudit\\-rules\\-validate(8)\n"), out)
	assert.NoDirExists(t, "check")
	status, out, _ = run(nil, "man", "./check")
	assert.Equal(t, 0, status)
	assert.Empty(t, out)
	assert.FileExists(t, "check/memaudit-check.8")
	assert.FileExists(t, "check/memaudit-rules-validate.8")
}
