package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestManualPages checks that a command's name prints its page and creates no folder, and that a path is a folder for
// all pages.
func TestManualPages(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	status, out, errs := run(nil, "man", "check")
	assert.Equal(t, 0, status, errs)
	assert.Contains(t, out, `.TH "MEMAUDIT-CHECK" "8" "Sep 2026"`)
	assert.Contains(t, out, "\n\\fBmemaudit check [FILE] [flags]\\fP\n")
	assert.Contains(t, out, ".TP\n\\fB\\-\\-fail\\-on\\fP=warning\nlowest \\fISEVERITY\\fP that")
	assert.NoDirExists(t, "check")
	status, out, _ = run(nil, "man", "./check")
	assert.Equal(t, 0, status)
	assert.Empty(t, out)
	assert.FileExists(t, "check/memaudit-check.8")
	assert.FileExists(t, "check/memaudit-rules-validate.8")
}
