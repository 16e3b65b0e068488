package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// files are contents by path below the project's folder.
type files map[string][]byte

func rulesOf(root string) fs.FS { return os.DirFS(filepath.Join(root, "rules")) }
