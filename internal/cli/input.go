package cli

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/source/host"
)

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
