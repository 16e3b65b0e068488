// Command memaudit audits the memory population and BIOS settings of a
// machine against its vendor's documents.
package main

import (
	"os"
	"runtime/debug"

	"memaudit.example/memaudit/internal/cli"
)

// version and revision are set by the linker in releases (-X main.version=...).
var version, revision string

func main() {
	info, _ := debug.ReadBuildInfo()
	version, revision := identify(version, revision, info)
	os.Exit(cli.New(version, revision).Main(os.Args[1:]))
}

// identify returns the version and revision of this program: the linker's, or what
// the go command recorded. That is the module's version for go install
// MODULE@VERSION and the commit for go build in a checkout.
func identify(version, revision string, info *debug.BuildInfo) (string, string) {
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if version == "" {
		version = info.Main.Version
	}
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	if revision == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	return version, revision
}
