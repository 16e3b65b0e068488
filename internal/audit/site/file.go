package site

import (
	"bytes"
	"io/fs"
	"time"
)

// memoryFile is an open file in memory.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryFileInfo{f.name, f.Size()}, nil }
func (f *memoryFile) Close() error               { return nil }

// memoryFileInfo describes a file in memory.
type memoryFileInfo struct {
	name string
	size int64
}

func (i memoryFileInfo) Name() string       { return i.name }
func (i memoryFileInfo) Size() int64        { return i.size }
func (i memoryFileInfo) Mode() fs.FileMode  { return 0o444 }
func (i memoryFileInfo) ModTime() time.Time { return time.Time{} }
func (i memoryFileInfo) IsDir() bool        { return false }
func (i memoryFileInfo) Sys() any           { return nil }
