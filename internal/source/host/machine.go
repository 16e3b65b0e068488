package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// maxLeading is how many leading folders an unpacked tree may have: hwloc's archives have one.
// maxSiblings limits the entries of a folder among which a machine is looked for.
const (
	maxLeading  = 2
	maxSiblings = 256
)

// findMachine returns the folder with sys or proc: dir itself or, if there is only one, a folder up to
// maxLeading levels below it.
func findMachine(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", readError("open", dir, err)
	}
	if !info.IsDir() {
		return "", &ReadError{Op: "open", Path: dir, State: fact.Refused, Err: fmt.Errorf("is a file, a folder with sys and proc was expected")}
	}
	switch found := machinesBelow(dir, maxLeading); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &ReadError{Op: "open", Path: dir, State: fact.Absent, Err: fmt.Errorf("no sys or proc folder in it, nor %d levels below", maxLeading)}
	default:
		return "", &ReadError{Op: "open", Path: dir, State: fact.Refused, Err: severalMachines(found)}
	}
}

func severalMachines(found []string) error {
	slices.Sort(found)
	shown := found[:min(len(found), 4)]
	return fmt.Errorf("holds %d machines, one was expected: %s", len(found), strings.Join(shown, ", "))
}

func machinesBelow(dir string, depth int) []string {
	// A link named sys or proc may point anywhere and does not count.
	for _, tree := range []string{"sys", "proc"} {
		if info, err := os.Lstat(filepath.Join(dir, tree)); err == nil && info.IsDir() {
			return []string{dir}
		}
	}
	if depth == 0 {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(maxSiblings)
	var found []string
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, machinesBelow(filepath.Join(dir, e.Name()), depth-1)...)
		}
	}
	return found
}
