package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

type snapshotFlags struct {
	input  inputFlags
	config string
	output string
	force  bool
}

func (p *Program) snapshotCommand() *cobra.Command {
	f := &snapshotFlags{}
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "capture what an audit reads into one .tar.gz, identifiers redacted",
		Long: `snapshot audits the machine and keeps everything that the readers were told, also
what was absent or denied, in one .tar.gz: check --snapshot FILE says of it what
check says of the machine.

Serial numbers, UUIDs, asset tags, and the values of kernel options and firmware
attributes that no audit asks for are replaced by a hash under a key that is generated
for this capture and kept nowhere. Of such attributes in an export of BIOS settings or
in a controller's answer only the names are kept. --identifiers leaves them all as they
are.`,
		Args: argumentCheck(0, 0, "flags only: the name of the capture is -o FILE"),
		RunE: func(*cobra.Command, []string) error { return p.runSnapshot(f) },
	}
	f.input.registerFlags(cmd)
	fl := cmd.Flags()
	fl.Lookup("identifiers").Usage = "keep serial numbers, UUIDs, asset tags and names as they are"
	fl.StringVarP(&f.output, "output", "o", "", "write to `FILE` (atomically); - is standard output (default memaudit-DATE-TIME.tar.gz)")
	fl.BoolVarP(&f.force, "force", "f", false, "replace the file when it exists")
	registerConfig(cmd, &f.config)
	return cmd
}

// runSnapshot audits once and writes what was read. There is no capture if an input could not be read, because it
// would be missing from it.
func (p *Program) runSnapshot(f *snapshotFlags) error {
	conf, err := p.loadConfig(f.config)
	if err != nil {
		return err
	}
	f.input.conf = conf
	f.output = cmp.Or(f.output, "memaudit-"+p.Now().UTC().Format("20060102-150405")+".tar.gz")
	if err := f.checkOutputFree(); err != nil {
		return err
	}
	g, err := p.gatherInputs(&f.input)
	if err != nil {
		return err
	}
	defer g.close()
	if g.failed != nil {
		return g.failed
	}
	taken, err := snapshot.Take(g.Input, g.table)
	if err != nil {
		return notAudited(err, "")
	}
	if err := orNothing(nil, taken.System, "capture", ""); err != nil {
		return joinInputErrors(err, g.bmc.queryFailure())
	}
	if err := p.writeSnapshot(f, taken); err != nil {
		return err
	}
	return g.bmc.queryFailure()
}

func (p *Program) writeSnapshot(f *snapshotFlags, taken *snapshot.Capture) error {
	o := snapshot.Options{Identifiers: f.input.identifiers, Now: p.Now().UTC().Truncate(time.Second)}
	body := func(w io.Writer) error { return taken.Write(w, o) }
	if f.output == "-" {
		return outputError(body(p.Stdout))
	}
	if err := writeAtomic(f.output, 0o600, body); err != nil {
		return notAudited(fmt.Errorf("-o: %w", err), "")
	}
	return p.printText(fmt.Sprintf("%s: %d files\n", printable.Clean(f.output), len(taken.Files())))
}

func (f *snapshotFlags) checkOutputFree() error {
	if f.force || f.output == "-" {
		return nil
	}
	switch _, err := os.Lstat(f.output); {
	case err == nil:
		return &exitError{status: report.ExitUsage, err: fmt.Errorf("-o %s: the file exists", f.output), hint: "--force replaces it"}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return notAudited(fmt.Errorf("-o: %w", err), "")
	}
}
