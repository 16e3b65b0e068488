package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/examples"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/source/host"
)

// exampleServers are the servers that demo audits, the default first.
var exampleServers = []struct{ name, about string }{
	{"dell-r610", "a PowerEdge R610 of 2010 with one DIMM in the wrong slot"},
	{"dell-r7625", "a PowerEdge R7625 (two EPYC 9354) that uses 8 of 12 memory channels"},
}

func (p *Program) demoCommand() *cobra.Command {
	f := &checkFlags{failOn: string(verdict.Warning)}
	var names []string
	long := "demo audits an example server that is part of the program and exits as check does.\nThe configuration of this machine is not used.\n"
	for _, s := range exampleServers {
		names = append(names, s.name)
		long += fmt.Sprintf("\n  %-10s  %s", s.name, s.about)
	}
	cmd := &cobra.Command{
		Use:   "demo [" + strings.Join(names, " | ") + "]",
		Short: "audit an example server that is part of the program",
		Long:  long,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !slices.Contains(names, args[0]) {
				return fmt.Errorf("no example server is called %q, expected %s", args[0], strings.Join(names, " or "))
			}
			return arguments(0, 1, "one of "+strings.Join(names, ", "))(cmd, args)
		},
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			f.input.example = append(args, names[0])[0]
			return p.check(f)
		},
	}
	f.output.register(cmd, formats.Reports())
	f.registerProfile(p, cmd)
	return cmd
}

func openExample(name string) (*host.Root, error) {
	data, err := fs.ReadFile(examples.FS, name+".tar.gz")
	if err != nil {
		return nil, err
	}
	return host.OpenCapture(name, bytes.NewReader(data))
}
