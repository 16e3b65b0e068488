package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

// interfacePage is docs/interface.md.
func interfacePage(t *testing.T) string {
	t.Helper()
	return string(contentOf(t, filepath.Join(corpustest.Root(t), "docs", "interface.md")))
}

// part is the text under one heading of a page.
func part(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, ok, "docs/interface.md has no heading %q", heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// leaves lists the commands that do something, with their paths below
// memaudit.
func leaves(cmd *cobra.Command, path string) map[string]*cobra.Command {
	out := map[string]*cobra.Command{}
	for _, c := range cmd.Commands() {
		name := strings.TrimSpace(path + " " + c.Name())
		switch {
		case !c.IsAvailableCommand() || c.Name() == "help":
		case c.HasAvailableSubCommands() && c.Name() != "completion":
			for k, v := range leaves(c, name) {
				out[k] = v
			}
		default:
			out[name] = c
		}
	}
	return out
}

// TestInterfaceNamesEveryCommand compares the commands of docs/interface.md with the program's, in both directions.
func TestInterfaceNamesEveryCommand(t *testing.T) {
	root := New("v", "r").rootCommand()
	root.InitDefaultCompletionCmd()
	var have, named []string
	for name := range leaves(root, "") {
		have = append(have, name)
	}
	word := regexp.MustCompile("`((?:memaudit )?[a-z ]+)[^`]*`")
	for line := range strings.Lines(part(t, interfacePage(t), "Commands")) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(line, "| `memaudit ") {
			continue
		}
		for _, m := range word.FindAllStringSubmatch(first, -1) {
			named = append(named, strings.TrimSpace(strings.TrimPrefix(m[1], "memaudit ")))
		}
	}
	assert.ElementsMatch(t, have, named, "the table of commands in docs/interface.md")
}

// TestInterfaceNamesEveryFlag checks that every flag is documented, and that no other is.
func TestInterfaceNamesEveryFlag(t *testing.T) {
	page, have := interfacePage(t), map[string]bool{"--dump-bin": true} // dmidecode's
	for name, c := range leaves(New("v", "r").rootCommand(), "") {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			have["--"+f.Name] = true
			assert.Contains(t, page, "--"+f.Name, "docs/interface.md has no word about a flag of %s", name)
		})
	}
	for _, flag := range regexp.MustCompile(`--[a-z][a-z.-]*[a-z]`).FindAllString(page, -1) {
		assert.True(t, have[flag], "docs/interface.md names %s, which no command takes", flag)
	}
}

// TestInterfaceNamesEveryFormat checks the formats against those that check
// takes.
func TestInterfaceNamesEveryFormat(t *testing.T) {
	_, _, errs := run(nil, "check", "--format", "no-such")
	_, known, ok := strings.Cut(errs, "expected one of ")
	require.True(t, ok, errs)
	text := part(t, interfacePage(t), "Output and exit status")
	text, _, _ = strings.Cut(text, "`--output FILE`")
	var named []string
	for _, m := range regexp.MustCompile("`(?:--format )?([a-z]+)`").FindAllStringSubmatch(text, -1) {
		named = append(named, m[1])
	}
	assert.ElementsMatch(t, strings.Split(strings.TrimSpace(known), ", "), named)
}

// TestInterfaceRulesAreLoaded checks that each rule that the page names is loaded, with the subject and the severity
// given there.
func TestInterfaceRulesAreLoaded(t *testing.T) {
	t.Parallel()
	rules := decoded[[]struct{ ID, Subject, Severity string }](t, must(t, "rules", "list", "--format", "json"))
	loaded := map[string]bool{}
	for _, r := range rules {
		loaded[r.ID+" "+r.Subject+" "+r.Severity] = true
	}
	count := 0
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.[a-z.-]+)` \\| ([^|]+) \\| (\\w+) \\|.*$").FindAllStringSubmatch(interfacePage(t), -1) {
		count++
		// A baseline's changes, measured nodes and memory errors name their own subject.
		subjects := append(strings.Split(strings.TrimSuffix(m[2], " ADDRESS"), " or "), "baseline", "measured", "counter")
		assert.True(t, slices.ContainsFunc(subjects, func(s string) bool { return loaded[m[1]+" "+s+" "+m[3]] }), "%s, asked of a %s, %s", m[1], m[2], m[3])
	}
	assert.Greater(t, count, 25)
}

// TestManualPages checks that a command's name prints its page and creates no folder, and that a path is a folder for
// all pages.
func TestManualPages(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	out := must(t, "man", "check")
	assert.Contains(t, out, `.TH "MEMAUDIT-CHECK" "8" "Sep 2026"`)
	assert.Contains(t, out, "\n\\fBmemaudit check [FILE] [flags]\\fP\n")
	assert.Contains(t, out, ".TP\n\\fB\\-\\-fail\\-on\\fP=warning\nlowest \\fISEVERITY\\fP that")
	assert.NoDirExists(t, "check")
	status, out, _ := run(nil, "man", "./check")
	assert.Equal(t, 0, status)
	assert.Empty(t, out)
	assert.FileExists(t, "check/memaudit-check.8")
	assert.FileExists(t, "check/memaudit-rules-validate.8")
}
