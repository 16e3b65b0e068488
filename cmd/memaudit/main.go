// Command memaudit audits the memory population and BIOS settings of a
// machine against its vendor's documents.
package main

import (
	"os"

	"github.com/memaudit/memaudit/internal/cli"
)

// Set by the linker.
var version, revision = "devel", ""

func main() {
	os.Exit(cli.New(version, revision).Main(os.Args[1:]))
}
