package host

import (
	"errors"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

const (
	edacDir    = "/sys/devices/system/edac/mc"
	edacPrefix = edacDir + "/mc"
	// Limits of one listing; the largest machines have 64 controllers.
	maxControllers = 1024
	maxDIMMs       = 1024
)

// EDAC is what the drivers of the memory controllers show (Documentation/admin-guide/ras.rst).
type EDAC struct {
	Source Source
	// Controllers are mc0, mc1 and so on, in numeric order. It is Absent if no driver registered one,
	// which does not mean that there is no ECC.
	Controllers fact.Fact[[]Controller]
}

// Controller is one memory controller, which is not the same as a socket.
type Controller struct {
	// Index is the N of mcN.
	Index int
	// Name is mc_name: "Skylake Socket#0 IMC#0", "ghes_edac".
	Name fact.Fact[string]
	// ScrubRate is sdram_scrub_rate in bytes/s.
	ScrubRate fact.Fact[int64]
	// CountedSeconds is seconds_since_reset: for how long the counters have counted.
	CountedSeconds fact.Fact[int64]
	// Corrected and Uncorrected count all errors of the controller (ce_count, ue_count),
	// CorrectedNoInfo and UncorrectedNoInfo those of them that the driver could not assign to a
	// module (ce_noinfo_count, ue_noinfo_count).
	Corrected, Uncorrected, CorrectedNoInfo, UncorrectedNoInfo fact.Fact[int64]
	// Entries are the folders dimmN, rankN or csrowN, in numeric order. Only populated ones
	// exist.
	Entries fact.Fact[[]EDACEntry]
}

// EDACEntry is one dimmN, rankN or csrowN.
type EDACEntry struct {
	// Label is the name given by the driver or edac-ctl; for a csrow it is that of its first
	// channel. Location is for example "channel 0 slot 1".
	Label, Location fact.Fact[string]
	// SizeBytes is the size of the module; for rankN that of one rank, for csrowN that of the row
	// on all its channels.
	SizeBytes fact.Fact[int64]
	// Mode is for example "SECDED".
	Mode fact.Fact[string]
	// Corrected and Uncorrected count errors since the driver was loaded (dimm_ce_count,
	// dimm_ue_count; kernel 4.10). The counters of a csrow belong to several modules and are not
	// read.
	Corrected, Uncorrected fact.Fact[int64]
}

// ReadEDAC reads /sys/devices/system/edac/mc.
func ReadEDAC(root *Root) *EDAC {
	r := newReader(root, inventory.SourceEDAC)
	e := &EDAC{Controllers: r.controllers()}
	needed := []stater{e.Controllers}
	var optional []stater
	for i := range e.Controllers.Value {
		c := &e.Controllers.Value[i]
		needed = append(needed, c.Name, c.Entries)
		for j := range c.Entries.Value {
			d := &c.Entries.Value[j]
			optional = append(optional, d.SizeBytes, d.Label, d.Mode, d.Corrected, d.Uncorrected)
		}
	}
	e.Source = sourceOf("edac", needed, optional...)
	return e
}

func (r *reader) controllers() fact.Fact[[]Controller] {
	found := r.numbered(edacDir, "mc")
	switch {
	case found.State != fact.OK:
		return fact.UnknownFrom[[]Controller](found)
	case len(found.Value) == 0 && !r.root.conclusive(edacDir):
		return unknown[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Unread, Err: ErrNotCaptured})
	case len(found.Value) == 0:
		return unknown[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Absent, Err: errors.New("no driver registered a controller")})
	case len(found.Value) > maxControllers:
		return malformed[[]Controller](r.at(edacDir, ""), fmt.Errorf("%d controllers", len(found.Value)))
	}
	list := make([]Controller, 0, len(found.Value))
	for _, n := range found.Value {
		dir := indexed(edacPrefix, n, "")
		list = append(list, Controller{
			Index:     n,
			Name:      r.text(dir + "/mc_name"),
			ScrubRate: notNegative(r.number(dir + "/sdram_scrub_rate")),
			Entries:   r.edacEntries(dir),

			CountedSeconds:    notNegative(r.number(dir + "/seconds_since_reset")),
			Corrected:         notNegative(r.number(dir + "/ce_count")),
			Uncorrected:       notNegative(r.number(dir + "/ue_count")),
			CorrectedNoInfo:   notNegative(r.number(dir + "/ce_noinfo_count")),
			UncorrectedNoInfo: notNegative(r.number(dir + "/ue_noinfo_count")),
		})
	}
	return fact.Known(list, fact.Direct, r.at(edacDir, ""))
}

// edacEntries reads the folders of the newest layout that exists; csrows only if there are no dimmN
// and rankN.
func (r *reader) edacEntries(dir string) fact.Fact[[]EDACEntry] {
	for _, kind := range []string{"dimm", "rank", "csrow"} {
		found := r.numbered(dir, kind)
		if found.State != fact.OK {
			return fact.UnknownFrom[[]EDACEntry](found)
		}
		if len(found.Value) > maxDIMMs {
			return malformed[[]EDACEntry](r.at(dir, ""), fmt.Errorf("%d entries", len(found.Value)))
		}
		if len(found.Value) == 0 {
			continue
		}
		entries := make([]EDACEntry, 0, len(found.Value))
		for _, n := range found.Value {
			entries = append(entries, r.edacEntry(dir, kind, n))
		}
		return fact.Known(entries, fact.Direct, r.at(dir, ""))
	}
	return fact.Known([]EDACEntry{}, fact.Direct, r.at(dir, ""))
}

func (r *reader) edacEntry(dir, kind string, n int) EDACEntry {
	d := indexed(dir+"/"+kind, n, "")
	if kind == "csrow" {
		several := unknown[int64](r.source, &ReadError{Op: "read", Path: d + "/ce_count", State: fact.Unread, Err: errors.New("a csrow's counters are those of several modules")})
		return EDACEntry{
			Corrected: several, Uncorrected: several,
			Label: r.text(d + "/ch0_dimm_label"), Location: fact.Known(fmt.Sprintf("csrow %d", n), fact.Direct, r.at(d, "")),
			SizeBytes: r.megabytes(d + "/size_mb"),
			Mode:      r.text(d + "/edac_mode"),
		}
	}
	return EDACEntry{
		Label: r.text(d + "/dimm_label"), Location: r.text(d + "/dimm_location"),
		SizeBytes: r.megabytes(d + "/size"),
		Mode:      r.text(d + "/dimm_edac_mode"),
		Corrected: notNegative(r.number(d + "/dimm_ce_count")), Uncorrected: notNegative(r.number(d + "/dimm_ue_count")),
	}
}

// megabytes reads a size in units of 2^20 bytes and returns bytes.
func (r *reader) megabytes(path string) fact.Fact[int64] {
	v := r.number(path)
	if v.State == fact.OK && (v.Value < 0 || v.Value > 1<<40) {
		return malformed[int64](r.at(path, v.From.Raw), fmt.Errorf("%d MB", v.Value))
	}
	return fact.Convert(v, func(mb int64) int64 { return mb << 20 })
}
