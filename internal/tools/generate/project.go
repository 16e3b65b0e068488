package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// madeFiles are contents by path below the project's folder.
type madeFiles map[string][]byte

func rulesOf(root string) fs.FS { return os.DirFS(filepath.Join(root, "rules")) }
