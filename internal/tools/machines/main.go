// Command machines writes the trees of sys and proc of the project's example
// servers, one folder each, into the folder that it is given.
package main

import (
	"fmt"
	"os"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" {
		fmt.Fprintln(os.Stderr, "machines: no folder is named; expected: make machines DIR=FOLDER")
		os.Exit(2)
	}
	if err := machinetest.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintf(os.Stdout, "%d example servers below %s; audit one with memaudit check --root %[2]s/NAME\n", len(machinetest.All()), os.Args[1])
}
