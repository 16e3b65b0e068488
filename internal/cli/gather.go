package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/examples"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
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
	return err == nil || sys != nil && (format != formats.Text || !report.NothingRead(sys.Sources))
}

// openTree opens the machine's tree; nil if only an SMBIOS file is audited.
func (p *Program) openTree(f *inputFlags) (*host.Root, error) {
	var root *host.Root
	var err error
	var what, hint string
	switch {
	case f.example != "":
		what = "example " + f.example
		var data []byte
		if data, err = fs.ReadFile(examples.FS, f.example+".tar.gz"); err == nil {
			root, err = host.OpenCapture(f.example, bytes.NewReader(data))
		}
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

// orNothing returns what failed, or that nothing of the machine could be read to do this with.
func orNothing(failed error, sys *inventory.System, do, hint string) error {
	if failed == nil && report.NothingRead(sys.Sources) {
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
		var m *inventory.Measurement
		if err == nil {
			m, err = measured.Decode(name, data)
		}
		if err == nil {
			g.Measurements = append(g.Measurements, *m)
			continue
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

type inputFlags struct {
	root, snapshot, smbios string
	// example is an embedded example server to audit instead.
	example               string
	bios, measured        []string
	eventLogs             []string
	slurm                 string
	identifiers, hostName bool
	redfish               redfishFlags
	// exports are the exports of BIOS settings that were read last.
	exports []*collect.Export
	// asker is the daemon's, which continues without a BMC that cannot be queried.
	asker *bmcAsker
	// partNumbers are cached between the daemon's audits; if nil they are loaded for each.
	partNumbers func() (*partnumber.Table, error)
	// conf is the configuration, nil before it is read.
	conf *config
}

func (f *inputFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Var((*onceFlag)(&f.root), "root", "audit the machine mounted or unpacked below `DIR`: DIR/sys and DIR/proc are read")
	fl.Var((*onceFlag)(&f.snapshot), "snapshot", "audit a capture: a .tar, .tar.gz or .tar.bz2 `FILE` of sys and proc trees")
	fl.Var((*onceFlag)(&f.smbios), "smbios", "SMBIOS from a `FILE`: a dump, a bare table or dmidecode's text; - is standard input")
	fl.StringArrayVar(&f.bios, "bios", nil, "BIOS settings of the machine from an exported `FILE` (Redfish, racadm, SCP, SUM, ilorest, OneCLI, ...), format detected automatically; - is standard input; repeatable")
	fl.StringArrayVar(&f.eventLogs, "event-log", nil, "the BMC's event log from a saved `FILE` (ipmitool sel list or elist, racadm getsel or lclog view, Redfish), format detected automatically; - is standard input; repeatable")
	fl.StringArrayVar(&f.measured, "measured", nil, "measured bandwidth or latency from a `FILE` (memaudit measure --save, STREAM, lat_mem_rd, Intel MLC, likwid-bench), format detected automatically; repeatable")
	fl.StringVar(&f.slurm, "slurm", "", "compare with the scheduler's description of this node in `FILE`: slurm.conf or the output of scontrol show node; - is standard input")
	f.redfish.registerFlags(cmd)
	fl.BoolVar(&f.identifiers, "identifiers", false, "print serial numbers, UUID and asset tags")
}

func (f *inputFlags) registerHostName(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.hostName, "host-name", false, "include the host name")
}

// onceFlag is a flag that may be given only once: a second machine would silently replace the first.
type onceFlag string

func (o *onceFlag) String() string { return string(*o) }
func (o *onceFlag) Type() string   { return "string" }

// Set accepts the first value only.
func (o *onceFlag) Set(value string) error {
	if *o != "" {
		return errors.New("given twice, expected one machine; memaudit fleet takes many")
	}
	*o = onceFlag(value)
	return nil
}

// takeArgument reads the argument of a command as the flag that names its kind; a machine given by a flag too is wrong usage.
func (f *inputFlags) takeArgument(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case f.root != "" || f.snapshot != "" || f.smbios != "":
		return usageError("%s and --root, --snapshot or --smbios both name a machine: give one of them", args[0])
	}
	name, flag := args[0], &f.smbios
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		flag = &f.root
	} else if err == nil && info.Mode().IsRegular() && beginsAsArchive(name) {
		flag = &f.snapshot
	}
	*flag = name
	return nil
}

// isArchive reads the first bytes of a file, or of standard input, which is then read from its start all the same.
func (p *Program) isArchive(name string) bool {
	if name != "-" {
		return beginsAsArchive(name)
	}
	in := bufio.NewReader(p.Stdin)
	p.Stdin = in
	start, _ := in.Peek(512) // a header of tar
	return isArchive(start)
}

func beginsAsArchive(name string) bool {
	in, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	start := make([]byte, 512) // a header of tar
	n, _ := io.ReadFull(in, start)
	return isArchive(start[:n])
}

func (f *inputFlags) oneMachine() error {
	if f.root != "" && f.snapshot != "" {
		return usageError("--root and --snapshot both name a machine: give one of them")
	}
	return nil
}

func (f *inputFlags) namesMachine() bool {
	return f.root != "" || !f.isLiveSystem() || len(f.bios) > 0 || f.redfish.url != ""
}

// isLiveSystem reports whether the running system is audited: nothing else was selected, or a root with this kernel's
// own sysfs, as mounted in a container.
func (f *inputFlags) isLiveSystem() bool {
	return f.snapshot == "" && f.example == "" && f.smbios == "" && (f.root == "" || host.RunningKernel(f.root))
}

type redfishFlags struct {
	url, credentials, system string
	insecure                 bool
}

func (f *redfishFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.url, "redfish", "", "ask the machine's BMC at `URL` (https://HOST) for BIOS settings and memory")
	fl.StringVar(&f.credentials, "redfish-credentials", "", "a YAML `FILE` with username and password that only its owner may read")
	fl.StringVar(&f.system, "redfish-system", "", "`NAME` of the system to read if the BMC manages several")
	fl.BoolVar(&f.insecure, "redfish-insecure", false, "do not verify the BMC's certificate")
}

func (f *inputFlags) baselineFile(flag, other string) string {
	if flag == "" && f.conf != nil && f.isLiveSystem() {
		flag = f.conf.Baseline
	}
	return cmp.Or(flag, other)
}
