package site

import (
	"bytes"
	"io/fs"
	"time"
)

// file is an open file in memory.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Stat() (fs.FileInfo, error) { return info{f.name, f.Size()}, nil }
func (f *file) Close() error               { return nil }

// info describes a file in memory.
type info struct {
	name string
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
