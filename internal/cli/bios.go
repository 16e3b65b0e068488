package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/topology/platform"
)

const maxExports = 64

// biosFiles returns the exports to read: those of the flags, and for the live machine those of the
// configuration.
func (f *inputFlags) biosFiles() ([]string, error) {
	files := slices.Clone(f.bios)
	if f.conf != nil && f.live() {
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
	table := tables.Of(vendor)
	if table == nil {
		return failed
	}
	machine := settings.Change{Product: product}
	if known, ok := platform.Recognise(sys, p.Rules).Get(); ok {
		machine.Platform = known.ID
	}
	run := table.Writer(machine)
	if run == "" {
		return failed
	}
	return notAudited(failed, "for this machine ("+strings.TrimSpace(table.Vendor+" "+product)+"), memaudit reads what this writes: "+run)
}

// readExports reads every export. One that cannot be read is an error, and the others are still used.
func (p *Program) readExports(files []string) ([]collect.Export, error) {
	var all []collect.Export
	var failed error
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
			err = notAudited(fmt.Errorf("--bios %s: %w", name, err), hint)
			x.Failed = &collect.Failure{State: inputState(err), Detail: err.Error()}
			failed = joinInputErrors(failed, err)
		}
		all = append(all, x)
	}
	return all, failed
}
