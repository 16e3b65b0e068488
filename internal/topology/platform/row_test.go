package platform

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/compiled"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestRowsAreTheFiles checks that a compiled platform equals its file, whatever the processor.
func TestRowsAreTheFiles(t *testing.T) {
	k := corpustest.Rules(t)
	want, err := Rows(k)
	require.NoError(t, err)
	var have map[string]compiled.Raw
	require.NoError(t, compiled.ReadPart(k, RowPart, &have))
	require.True(t, reflect.DeepEqual(want, have), "go generate ./rules writes %s", compiled.File(RowPart))
	for _, f := range platformFiles(t) {
		file, err := readRow(k, f.ID)
		require.NoError(t, err)
		compiled, err := findRow(k, f.ID)
		require.NoError(t, err)
		assert.Equal(t, file, compiled, f.ID)
	}
	none, err := findRow(k, "no-such")
	require.NoError(t, err)
	assert.Nil(t, none)
}
