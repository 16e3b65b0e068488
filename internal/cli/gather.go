package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/slurm"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/topology/platform"
)

type gathered struct {
	collect.Input
	// table is the content of the file of --smbios.
	table []byte
	root  *host.Root
	bmc   *controller
	// failed is the error of an input that could not be read.
	failed error
}

func (g *gathered) close() {
	if g.root != nil {
		_ = g.root.Close()
	}
}

func (g *gathered) recordFailure(err error) *collect.Failure {
	g.failed = joinInputErrors(g.failed, err)
	return &collect.Failure{State: inputState(err), Detail: err.Error()}
}

// readSystem reads the machine that the flags select. An input that cannot be read is an error, but the others are
// still used: a system is returned with every error but wrong usage.
func (p *Program) readSystem(f *inputFlags) (*inventory.System, error) {
	g, err := p.gatherInputs(f)
	if err != nil {
		return nil, err
	}
	defer g.close()
	sys, exports := collect.WithExports(g.Input)
	f.exports = exports
	return sys, joinInputErrors(p.writerHint(g.failed, sys), g.bmc.queryFailure())
}

// gatherInputs opens and reads the inputs that the flags select; an error is wrong usage.
func (p *Program) gatherInputs(f *inputFlags) (*gathered, error) {
	if err := f.oneMachine(); err != nil {
		return nil, err
	}
	if f.smbios != "" && f.root == "" && f.snapshot == "" && p.isArchive(f.smbios) {
		f.snapshot, f.smbios = f.smbios, "" // a capture holds the table
	}
	g := &gathered{Input: collect.Input{Tables: p.tables, PartNumbers: p.partNumbers, HostName: f.hostName}}
	if f.partNumbers != nil {
		g.PartNumbers = f.partNumbers
	}
	bmc, err := f.controller()
	switch {
	case err != nil && f.asker == nil:
		return nil, err
	case err != nil:
		g.BMC, g.failed = unavailableBMC(err), err
	case bmc != nil:
		g.bmc, g.BMC = bmc, bmc.queryBMC
	}
	files, err := f.biosFiles()
	if err != nil {
		return nil, err
	}
	if f.smbios != "" {
		if g.table, g.SMBIOS, err = p.readSMBIOS(f.smbios); err != nil {
			g.SMBIOSFailed = g.recordFailure(err)
		}
	}
	if g.root, err = p.openTree(f); err != nil {
		g.RootFailed = g.recordFailure(err)
	}
	g.Root = g.root
	g.readExports(p, files)
	g.readEventLogs(p, f.eventLogs)
	g.readMeasurements(p, f.measuredFiles())
	if g.root != nil {
		if err := snapshot.AddInputs(g.root, &g.Input); err != nil {
			g.Root, g.RootFailed = nil, g.recordFailure(notAudited(fmt.Errorf("%s: %w", g.root.Name(), err), ""))
		}
	}
	if f.slurm != "" {
		g.Slurm, err = p.readSlurm(f.slurm, g.root)
		g.failed = joinInputErrors(g.failed, err)
	}
	// BIOS settings given on a running guest are those of another machine.
	if (len(g.Exports) > 0 || g.BMC != nil) && f.isLiveSystem() && g.root != nil && collect.IsGuest(g.root) {
		g.Root, g.RootFailed = nil, &collect.Failure{State: fact.Refused,
			Detail: "this is a virtual machine, and BIOS settings are another machine's; give its --smbios or --snapshot, too"}
	}
	return g, nil
}

// showFailed reports whether a report is printed although an input failed: always in a format for programs, as
// text if something was read.
func showFailed(err error, sys *inventory.System, format string) bool {
	return err == nil || sys != nil && (format != formats.Text || !nothingRead(sys))
}

// openTree opens the machine's tree; nil if only an SMBIOS file is audited.
func (p *Program) openTree(f *inputFlags) (*host.Root, error) {
	var root *host.Root
	var err error
	var what, hint string
	switch {
	case f.example != "":
		what = "example " + f.example
		root, err = openExample(f.example)
	case f.snapshot == "-":
		what = "--snapshot -"
		root, err = host.OpenCapture("standard input", p.Stdin)
	case f.snapshot != "":
		what = "--snapshot " + f.snapshot
		if root, err = host.OpenCaptureFile(f.snapshot); err != nil && beginsAsArchive(f.snapshot) {
			hint = "a compressed dump or dmidecode's text must be unpacked first"
		} else if err != nil {
			hint = "memaudit check " + f.snapshot + " takes a folder, a capture, an SMBIOS dump or dmidecode's text, whichever it is"
		}
	case f.root != "":
		what = "--root " + f.root
		root, err = host.OpenDir(f.root)
	case f.smbios != "":
		return nil, nil
	default:
		what = "live machine"
		root, err = host.OpenLive()
	}
	if err == nil {
		if err = host.CheckSize(root); err != nil {
			_ = root.Close()
		}
	}
	if err != nil {
		return nil, notAudited(fmt.Errorf("%s: %w", what, withoutPlace(err)), hint)
	}
	return root, nil
}

// withoutPlace returns an error of opening without the name, which was printed before, and with its state only
// if the cause does not contain it.
func withoutPlace(err error) error {
	e, ok := errors.AsType[*host.ReadError](err)
	switch {
	case !ok:
		return err
	case e.State == fact.Absent, e.State == fact.Refused, e.State == fact.Denied:
		return withoutName(e.Err)
	default:
		return fmt.Errorf("%s: %w", e.State, withoutName(e.Err))
	}
}

func (p *Program) readSMBIOS(name string) ([]byte, *smbios.Table, error) {
	in := p.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, notAudited(fmt.Errorf("--smbios %s: %w", name, withoutName(err)), remoteNameHint(name))
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	data, err := readAll(in, maxSMBIOSFile)
	if err != nil {
		return nil, nil, notAudited(fmt.Errorf("--smbios %s: %w, expected a dump, a table or dmidecode's text", name, withoutName(err)), "")
	}
	table, err := smbios.Parse(data)
	if err != nil {
		hint := "sudo dmidecode --dump-bin FILE makes a file that memaudit reads"
		if errors.Is(err, smbios.ErrDenied) {
			hint = "run dmidecode as root"
		} else if _, notBIOS := bios.Decode(name, data); notBIOS == nil {
			hint = "these are BIOS settings: memaudit check --bios " + name
		} else if bytes.Contains(data, []byte(report.SchemaReport)) {
			hint = "this is a report: memaudit fleet " + name
		}
		return nil, nil, notAudited(fmt.Errorf("--smbios %s: %w", name, err), hint)
	}
	return data, table, nil
}

// remoteNameHint is the hint for a name that is no file but may be that of another machine.
func remoteNameHint(name string) string {
	switch {
	case strings.Contains(name, "://"):
		return "--redfish " + name + " asks a BMC"
	case strings.Contains(name, "@"), !strings.ContainsAny(name, "./"):
		return fmt.Sprintf("another host: ssh %s memaudit check, or ssh %[1]s dmidecode | memaudit check -", name)
	}
	return ""
}

// nothingRead reports whether every source of the machine itself failed.
func nothingRead(sys *inventory.System) bool {
	return !slices.ContainsFunc(sys.Sources, func(s inventory.Source) bool {
		return s.State == fact.SourceOK || s.State == fact.SourcePartial
	})
}

// orNothing returns what failed, or that nothing of the machine could be read to do this with.
func orNothing(failed error, sys *inventory.System, do, hint string) error {
	if failed == nil && nothingRead(sys) {
		return notAudited(fmt.Errorf("nothing to %s: no source of this input could be read", do), hint)
	}
	return failed
}

// maxSMBIOSFile limits a file given with --smbios: the largest table is under 1 MiB, its text about ten times
// that.
const maxSMBIOSFile = 64 << 20

const maxExports = 64

// biosFiles returns the exports to read: those of the flags, and for the live machine those of the
// configuration.
func (f *inputFlags) biosFiles() ([]string, error) {
	files := slices.Clone(f.bios)
	if f.conf != nil && f.isLiveSystem() {
		files = append(files, f.conf.BIOS...)
	}
	stdin := 0
	for _, name := range slices.Concat(files, f.eventLogs, []string{f.smbios}) {
		if name == "-" {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return nil, usageError("standard input (-) is named %d times: give it once", stdin)
	case len(files) > maxExports:
		return nil, usageError("--bios names %d files, expected at most %d", len(files), maxExports)
	case len(f.eventLogs) > maxExports:
		return nil, usageError("--event-log names %d files, expected at most %d", len(f.eventLogs), maxExports)
	}
	return files, nil
}

// everyWriter is the hint on a file of an unknown form, if nothing is known about the machine.
const everyWriter = "memaudit reads what these write: racadm get BIOS.SysProfileSettings (Dell; syscfg on 11G), ilorest save --selector=Bios. (HPE; conrep up to Gen9), " +
	"onecli config show (Lenovo; asu show on System x), sum -c GetCurrentBiosCfg (Supermicro), SCELNX (AMI), or GET /redfish/v1/Systems/<id>/Bios of any BMC"

func unknownForm(err error) bool {
	return errors.Is(err, bios.ErrUnrecognised) || errors.Is(err, bios.ErrEmpty)
}

// writerHint replaces the hint on a file of an unknown form by the command for the machine, if its vendor's table
// has one.
func (p *Program) writerHint(failed error, sys *inventory.System) error {
	var e *exitError
	if !unknownForm(failed) || !errors.As(failed, &e) || e.hint != everyWriter || !sys.Machine.Vendor.Known() {
		return failed
	}
	tables, err := p.tables()
	if err != nil {
		return failed
	}
	vendor, product := sys.Machine.Vendor.Value, sys.Machine.Product.Or("")
	table := tables.FindTable(vendor)
	if table == nil {
		return failed
	}
	machine := settings.Change{Product: product}
	if known, ok := platform.Recognise(sys, p.Rules).Get(); ok {
		machine.Platform = known.ID
	}
	run := table.WriteCommand(machine)
	if run == "" {
		return failed
	}
	return notAudited(failed, "for this machine ("+strings.TrimSpace(table.Vendor+" "+product)+"), memaudit reads what this writes: "+run)
}

// readExports reads every export. One that cannot be read is an error, and the others are still used, as of the other files.
func (g *gathered) readExports(p *Program, files []string) {
	for _, name := range files {
		x := collect.Export{Source: inventory.SourceBIOS, Path: name}
		data, err := p.readInput(name, bios.MaxBytes)
		if err == nil {
			x.Export, err = bios.Decode(name, data)
		}
		if err != nil {
			hint := ""
			if unknownForm(err) {
				hint = everyWriter
				if _, notTable := smbios.Parse(data); notTable == nil {
					hint = "this is an SMBIOS table: memaudit check " + name
				} else if _, notLog := redfish.DecodeLog(data); notLog == nil {
					hint = "this is an event log: --event-log " + name
				}
			}
			x.Failed = g.recordFailure(notAudited(fmt.Errorf("--bios %s: %w", name, err), hint))
		}
		g.Exports = append(g.Exports, x)
	}
}

func (f *inputFlags) measuredFiles() []string {
	if len(f.measured) > 0 || !f.isLiveSystem() || f.conf == nil {
		return f.measured
	}
	return f.conf.Measured
}

func (g *gathered) readMeasurements(p *Program, files []string) {
	for _, name := range files {
		data, err := p.readInput(name, measured.MaxBytes)
		if err == nil {
			var m *inventory.Measurement
			if m, err = measured.Decode(name, data); err == nil {
				g.Measurements = append(g.Measurements, *m)
				continue
			}
		}
		hint := ""
		if errors.Is(err, measured.ErrUnrecognised) || errors.Is(err, measured.ErrEmpty) {
			hint = "memaudit measure --save FILE makes a file that memaudit reads"
		}
		g.recordFailure(notAudited(fmt.Errorf("--measured %s: %w", name, err), hint))
	}
}

func (g *gathered) readEventLogs(p *Program, files []string) {
	for _, name := range files {
		l := collect.EventLog{Path: name}
		data, err := p.readInput(name, redfish.MaxLogBytes)
		if err == nil {
			l.Log, err = redfish.DecodeLog(data)
		}
		if err != nil {
			l.Failed = g.recordFailure(notAudited(fmt.Errorf("--event-log %s: %w", name, err), ""))
		}
		g.EventLogs = append(g.EventLogs, l)
	}
}

// readSlurm reads Slurm's description of the machine, found by the machine's name unless the file describes one
// node.
func (p *Program) readSlurm(name string, root *host.Root) (*inventory.SlurmNode, error) {
	fail := func(err error) error {
		return notAudited(fmt.Errorf("--slurm: %w", err), "scontrol show node NAME prints what memaudit reads")
	}
	data, err := p.readInput(name, slurm.MaxBytes)
	if err != nil {
		return nil, fail(err)
	}
	machine := ""
	if root != nil {
		machine = host.ReadHostName(root).Value
	}
	node, err := slurm.Decode(name, data, machine)
	if err != nil {
		return nil, fail(err)
	}
	return &inventory.SlurmNode{RealMemoryMiB: node.RealMemoryMiB, Sockets: node.Sockets, CoresPerSocket: node.CoresPerSocket, ThreadsPerCore: node.ThreadsPerCore}, nil
}
