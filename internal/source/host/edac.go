package host

import (
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const (
	edacDir = "/sys/devices/system/edac/mc"
	// maxListed limits one listing; the largest machines have 64 controllers.
	maxListed = 1024
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
	inventory.Controller
	// ScrubRate is sdram_scrub_rate in bytes/s.
	ScrubRate fact.Fact[int64]
	// Entries are the controller's DIMMs, or the reason why they could not be listed.
	Entries fact.Fact[[]inventory.ControllerDIMM]
}

// ReadEDAC reads /sys/devices/system/edac/mc.
func ReadEDAC(root *Root) *EDAC {
	r := newReader(root, inventory.SourceEDAC)
	e := &EDAC{Controllers: r.controllers()}
	needed := []stater{e.Controllers}
	var optional []stater
	for c := range inventory.Each(e.Controllers.Value) {
		needed = append(needed, c.Name, c.Entries)
		for d := range inventory.Each(c.Entries.Value) {
			optional = append(optional, d.SizeBytes, d.Label, d.Mode, d.Corrected, d.Uncorrected)
		}
	}
	e.Source = summariseSource("edac", needed, optional...)
	return e
}

func (r *reader) controllers() fact.Fact[[]Controller] {
	found := r.listNumbered(edacDir, "mc")
	switch {
	case found.State != fact.OK:
		return fact.UnknownFrom[[]Controller](found)
	case len(found.Value) == 0 && !r.root.isConclusive(edacDir):
		return unknownFact[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Unread, Err: ErrNotCaptured})
	case len(found.Value) == 0:
		return unknownFact[[]Controller](r.source, &ReadError{Op: "list", Path: edacDir, State: fact.Absent, Err: errors.New("no driver registered a controller")})
	case len(found.Value) > maxListed:
		return malformedFact[[]Controller](r.evidenceAt(edacDir, ""), fmt.Errorf("%d controllers", len(found.Value)))
	}
	return each(found, func(n int) Controller {
		dir := numberedPath(edacDir+"/mc", n, "")
		entries := r.edacEntries(dir)
		return Controller{Entries: entries, ScrubRate: notNegative(r.readNumber(dir + "/sdram_scrub_rate")),
			Controller: inventory.Controller{Index: n, Name: r.readText(dir + "/mc_name"), DIMMs: entries.Value,
				CountedSeconds:    notNegative(r.readNumber(dir + "/seconds_since_reset")),
				Corrected:         notNegative(r.readNumber(dir + "/ce_count")),
				Uncorrected:       notNegative(r.readNumber(dir + "/ue_count")),
				CorrectedNoInfo:   notNegative(r.readNumber(dir + "/ce_noinfo_count")),
				UncorrectedNoInfo: notNegative(r.readNumber(dir + "/ue_noinfo_count"))}}
	})
}

// edacEntries reads the folders of the newest layout that exists; csrows only if there are no dimmN and rankN.
func (r *reader) edacEntries(dir string) fact.Fact[[]inventory.ControllerDIMM] {
	for _, kind := range []string{"dimm", "rank", "csrow"} {
		found := r.listNumbered(dir, kind)
		if found.State != fact.OK {
			return fact.UnknownFrom[[]inventory.ControllerDIMM](found)
		}
		if len(found.Value) > maxListed {
			return malformedFact[[]inventory.ControllerDIMM](r.evidenceAt(dir, ""), fmt.Errorf("%d entries", len(found.Value)))
		}
		if len(found.Value) == 0 {
			continue
		}
		return each(found, func(n int) inventory.ControllerDIMM { return r.edacEntry(dir, kind, n) })
	}
	return fact.Known([]inventory.ControllerDIMM{}, fact.Direct, r.evidenceAt(dir, ""))
}

func (r *reader) edacEntry(dir, kind string, n int) inventory.ControllerDIMM {
	d := numberedPath(dir+"/"+kind, n, "")
	var out inventory.ControllerDIMM
	if kind == "csrow" {
		several := unknownFact[int64](r.source, &ReadError{Op: "read", Path: d + "/ce_count", State: fact.Unread, Err: errors.New("a csrow's counters are those of several modules")})
		out = inventory.ControllerDIMM{Label: r.readText(d + "/ch0_dimm_label"), Location: fact.Known(fmt.Sprintf("csrow %d", n), fact.Direct, r.evidenceAt(d, "")),
			SizeBytes: r.readMegabytes(d + "/size_mb"), Mode: r.readText(d + "/edac_mode"), Corrected: several, Uncorrected: several}
	} else {
		out = inventory.ControllerDIMM{Label: r.readText(d + "/dimm_label"), Location: r.readText(d + "/dimm_location"),
			SizeBytes: r.readMegabytes(d + "/size"), Mode: r.readText(d + "/dimm_edac_mode"),
			Corrected: notNegative(r.readNumber(d + "/dimm_ce_count")), Uncorrected: notNegative(r.readNumber(d + "/dimm_ue_count"))}
	}
	out.Mode.Certainty = min(out.Mode.Certainty, fact.Indirect)
	return out
}

func (r *reader) readMegabytes(path string) fact.Fact[int64] {
	v := r.readNumber(path)
	if v.State == fact.OK && (v.Value < 0 || v.Value > 1<<40) {
		return malformedFact[int64](r.evidenceAt(path, v.From.Raw), fmt.Errorf("%d MB", v.Value))
	}
	return fact.Convert(v, func(mb int64) int64 { return mb << 20 })
}
