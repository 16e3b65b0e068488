package rulepack_test

import (
	"io/fs"
	"testing/fstest"
)

// mapFS is a tree of files by name.
type mapFS map[string][]byte

// Open implements fs.FS.
func (m mapFS) Open(name string) (fs.File, error) {
	files := fstest.MapFS{}
	for n, b := range m {
		files[n] = &fstest.MapFile{Data: b}
	}
	return files.Open(name)
}
