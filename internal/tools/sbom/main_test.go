package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBillOfThisTest: the test's own program links testify, which the bill names
// with the sum that the program carries; twice gives the same bytes.
func TestBillOfThisTest(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	var first, second bytes.Buffer
	require.NoError(t, writeBill(&first, program, "1.2.3+4.gabc", "86400"))
	require.NoError(t, writeBill(&second, program, "1.2.3+4.gabc", "86400"))
	assert.Equal(t, first.String(), second.String())
	var b billOfMaterials
	require.NoError(t, json.Unmarshal(first.Bytes(), &b))
	assert.Equal(t, "CycloneDX", b.Format)
	assert.Equal(t, "1970-01-02T00:00:00Z", b.Metadata.Timestamp)
	assert.Equal(t, "pkg:golang/github.com/memaudit/memaudit@1.2.3%2B4.gabc", b.Metadata.Component.PURL)
	assert.Len(t, b.Metadata.Component.Hashes[0].Content, 64)
	info, known := debug.ReadBuildInfo()
	require.True(t, known)
	require.Len(t, b.Components, 1+len(info.Deps), "the standard library and every module")
	assert.Equal(t, "std", b.Components[0].Name)
	for i, m := range info.Deps {
		assert.Equal(t, m.Path, b.Components[i+1].Name)
		assert.Equal(t, m.Version, b.Components[i+1].Version)
		assert.Equal(t, []property{{"go:sum", m.Sum}}, b.Components[i+1].Properties)
	}
}

// TestRefused: what is not a Go program has no bill, and a time that is not a number
// is not left out.
func TestRefused(t *testing.T) {
	var out bytes.Buffer
	require.Error(t, writeBill(&out, "main.go", "1", ""))
	program, err := os.Executable()
	require.NoError(t, err)
	require.ErrorContains(t, writeBill(&out, program, "1", "today"), "SOURCE_DATE_EPOCH")
	assert.Empty(t, out.String())
}
