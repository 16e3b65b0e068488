package knowledge_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/knowledge"
	"github.com/memaudit/memaudit/rules"
)

// counted counts how often a schema is read.
type counted struct {
	fs.FS
	schemas int
}

func (c *counted) ReadFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".schema.json") {
		c.schemas++
	}
	return fs.ReadFile(c.FS, name)
}

// TestSchemasAreReadOnce checks that one read serves all files of a kind, and that a folder without a schema is
// reported.
func TestSchemasAreReadOnce(t *testing.T) {
	k := &counted{FS: rules.FS}
	schemas := knowledge.NewSchemas(k)
	for range 3 {
		faults := knowledge.Parse("platforms/own.yaml", []byte("id: own\nname: Own\nunheard: 1\n")).Check(schemas, false)
		assert.NotEmpty(t, faults)
	}
	assert.Equal(t, 1, k.schemas)
	faults := knowledge.Parse("platforms/own.yaml", []byte("id: own\nname: Own\n")).Check(knowledge.NewSchemas(emptyFolder{}), false)
	if assert.Len(t, faults, 1) {
		assert.Contains(t, faults[0].Text, "platform.schema.json")
	}
}

// emptyFolder is an empty file system.
type emptyFolder struct{}

func (emptyFolder) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
