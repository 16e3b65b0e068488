package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/collect/baseline"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/printable"
)

const defaultBaseline = "/var/lib/memaudit/baseline.json"

// baselineArea is the prefix of rules about changes, including a site's own.
const baselineArea = "baseline."

func (p *Program) baselineSaveCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "save",
		Short: "accept the hardware as it is now",
		Long: `save writes what the machine is made of now: slots and their modules, processors,
NUMA nodes, visible memory, BIOS version, and the settings that are known. An earlier
baseline is replaced. Serial numbers are kept as hashes under a key in the file, which
only its owner may read.`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			conf, err := p.loadConfig(f.config)
			if err != nil {
				return err
			}
			f.input.conf = conf
			name := f.input.baselineFile(f.baseline, defaultBaseline)
			sys, failed := p.readSystem(&f.input)
			if failed != nil {
				return failed
			}
			if len(sys.Slots) == 0 && !sys.Memory.TotalBytes.Known() { // it would later count as accepted
				return notAudited(errors.New("nothing to accept: neither slots nor memory could be read"), "")
			}
			file, err := baseline.Take(sys, p.Now(), nil)
			if err != nil {
				return notAudited(err, "")
			}
			data, err := file.Encode()
			if err != nil {
				return notAudited(err, "")
			}
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return notAudited(fmt.Errorf("--file: %w", err), "")
			}
			if err := writeAtomic(name, 0o600, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
				return notAudited(fmt.Errorf("--file: %w", err), "")
			}
			says := fmt.Sprintf("%s: %d modules in %d slots, %d settings\n", printable.Clean(name), len(file.Populated()), len(file.Slots), len(file.Settings))
			if len(file.Slots) == 0 {
				says += "no slot is known (" + sys.Firmware.SMBIOS.Reason + "): a lost module will show as lost memory only\n"
			}
			return p.printText(says)
		},
	}
	f.registerBaseline(cmd)
	return cmd
}

func (f *checkFlags) registerBaseline(cmd *cobra.Command) {
	f.input.registerFlags(cmd)
	cmd.Flags().StringVar(&f.baseline, "file", "", "the baseline's `FILE` (default: the configuration's, else "+defaultBaseline+")")
	registerConfig(cmd, &f.config)
}

func (p *Program) baselineCompareCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "report what changed since the hardware was accepted, set the exit status",
		Long: `compare checks the machine against its baseline, slot by slot. What was known then
and is not now is unknown, neither changed nor the same.

Exit status: 0 nothing changed; 1 something did; 2 wrong usage or configuration; 3 the
two cannot be compared (another machine, another version of the file), or --strict and
some of it cannot.`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			auditor, err := p.loadAuditor(f)
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if sys == nil {
				return failed
			}
			failed = joinInputErrors(p.compareBaseline(f.input.baselineFile(f.baseline, defaultBaseline), sys), failed)
			if failed != nil && f.output.format == formats.Text {
				return failed // text output needs no report of nothing
			}
			j, err := auditor.Assess(sys)
			if err != nil {
				return usageError("%w", err)
			}
			j.Found = j.Found.FilterByPrefix(baselineArea)
			doc := j.Report(p.reportOptions(&f.input, f.criteria(failed)))
			if b := doc.Baseline; failed == nil && b.Comparable != nil && !*b.Comparable {
				failed = notAudited(errors.New(doc.Incomparable()), "memaudit baseline save accepts the machine as it is")
				doc.MakeVerdict(f.criteria(failed))
			}
			return p.finishReport(f, &doc, failed)
		},
	}
	f.registerBaseline(cmd)
	f.output.registerFlags(cmd, formats.Reports())
	f.registerFailOn(cmd)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "exit 3 when something could not be compared")
	return cmd
}

// compareBaseline compares a machine with a baseline. One of another version cannot be compared; one that cannot be read
// is an error.
func (p *Program) compareBaseline(name string, sys *inventory.System) error {
	data, err := readBounded(name, baseline.MaxBytes)
	var file *baseline.File
	if err == nil {
		file, err = baseline.Decode(data)
	}
	switch {
	case err == nil:
		sys.Baseline = baseline.Compare(name, file, sys)
		if sys.Baseline.Comparable() {
			sys.Accepted, sys.AcceptedSlots = file.Measured, file.Populated()
		}
		return nil
	case errors.Is(err, baseline.ErrSchema):
		sys.Baseline = baseline.Missing(name, err.Error(), "save the baseline again: memaudit baseline save", fact.Refused)
		return nil
	case errors.Is(err, baseline.ErrMalformed):
		sys.Baseline = baseline.Missing(name, err.Error(), "save the baseline again: memaudit baseline save", fact.Malformed)
		return notAudited(fmt.Errorf("baseline %s: %w", name, err), "")
	}
	sys.Baseline = baseline.Missing(name, err.Error(), "save a baseline: memaudit baseline save", inputState(err))
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		hint = "memaudit baseline save makes one"
	}
	return notAudited(fmt.Errorf("baseline %s: %w", name, err), hint)
}

func (p *Program) joinBaseline(f *checkFlags, sys *inventory.System) error {
	name := f.input.baselineFile(f.baseline, "")
	if name == "" || sys == nil {
		return nil
	}
	return p.compareBaseline(name, sys)
}

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
		RunE: func(*cobra.Command, []string) error {
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
				return g.failed // the capture would lack it
			}
			taken, err := snapshot.Take(g.Input, g.table)
			if err != nil {
				return notAudited(err, "")
			}
			if err := orNothing(nil, taken.System, "capture", ""); err != nil {
				return joinInputErrors(err, g.bmc.queryFailure())
			}
			o := snapshot.Options{Identifiers: f.input.identifiers, Now: p.Now().UTC().Truncate(time.Second)}
			if f.output == "-" {
				err = outputError(taken.Write(p.Stdout, o))
			} else if err = writeAtomic(f.output, 0o600, func(w io.Writer) error { return taken.Write(w, o) }); err != nil {
				err = notAudited(fmt.Errorf("-o: %w", err), "")
			} else {
				err = p.printText(fmt.Sprintf("%s: %d files\n", printable.Clean(f.output), len(taken.Files())))
			}
			return cmp.Or(err, g.bmc.queryFailure())
		},
	}
	f.input.registerFlags(cmd)
	fl := cmd.Flags()
	fl.Lookup("identifiers").Usage = "keep serial numbers, UUIDs, asset tags and names as they are"
	fl.StringVarP(&f.output, "output", "o", "", "write to `FILE` (atomically); - is standard output (default memaudit-DATE-TIME.tar.gz)")
	fl.BoolVarP(&f.force, "force", "f", false, "replace the file when it exists")
	registerConfig(cmd, &f.config)
	return cmd
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
