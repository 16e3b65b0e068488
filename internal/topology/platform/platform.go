// Package platform recognises the platform of a machine and reads its facts from rules/platforms, and the
// vendors' data of each processor. A machine that cannot be recognised stays unknown with the reason.
package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
)

// Platform is one file of rules/platforms: how a processor generation attaches its memory, and what its
// documents recommend for populating it.
type Platform struct {
	ID   string
	Name string
	// NUMA is false on front-side-bus machines.
	NUMA bool
	// ChannelsPerSocket is 0 on a front-side-bus machine, which has ChannelsPerSystem; if both are 0 the number
	// is not documented.
	ChannelsPerSocket, ChannelsPerSystem int
	// Controllers per socket; 0 if unknown.
	Controllers int
	MaxDPC      int
	// Policy is the interleave policy of the population model; "" means that a population is counted, not
	// graded.
	Policy string
	// Speeds in MT/s by DIMM kind (rdimm-1r2r, lrdimm-4r ...), by DIMMs per channel from one; 0 is "not
	// supported or not documented".
	Speeds map[string][]int
	// MostDPC limits the DIMMs of one kind per channel, if a document allows fewer of it than MaxDPC.
	MostDPC map[string]int
	// AlsoNormal are speeds of single vendors' boards, by DPC.
	AlsoNormal map[string][]int
	// RecommendedDIMMs, AcceptableDIMMs and AllowedDIMMs are counts per socket (per system on a front-side
	// bus).
	RecommendedDIMMs, AcceptableDIMMs, AllowedDIMMs []int
	// LockstepPairs is true if DIMMs are installed in lockstep pairs (EX).
	LockstepPairs bool
	// SpeedDependsOnDPC is false if only the processor limits the speed.
	SpeedDependsOnDPC bool
	// ZeroDIMMsLegal is true if processors have HBM.
	ZeroDIMMsLegal bool
	// NoDIMMs is true if memory is soldered and there are no slots.
	NoDIMMs bool
	// UniformDIMMs is true if the document requires identical DIMMs.
	UniformDIMMs bool
	// Verified is false if the row as a whole is from general knowledge; Unverified names single fields that
	// are.
	Verified   bool
	Unverified map[string]bool
	// Notes are sentences of the document that a report may quote, by topic.
	Notes map[string]string
	// Citation is the document behind the row.
	Citation Citation
	// Recognised is how it was recognised: cpuid, brand, product, or candidate for the only platform with the
	// CPUID if the brand string does not decide.
	Recognised string
	Detail
}

// TakesRegistered reports whether the platform supports registered modules, as server processors do.
func (p *Platform) TakesRegistered() bool {
	for kind := range p.Speeds {
		if strings.HasPrefix(kind, "rdimm") || strings.HasPrefix(kind, "lrdimm") {
			return true
		}
	}
	return false
}

// IndexRow is one way to recognise a platform. The index has the "recognise" rows of all platform files, so
// that an audit reads one small part and one platform.
type IndexRow struct {
	_          struct{} `cbor:",toarray"` // stored without field names
	ID, Vendor string
	// Family and Model are -1 if the row has no CPUID.
	Family, Model int
	Steppings     []int
	Verified      bool
	Brand         string
	Product       string
	Memory        string
	// Codename finds the platform through the processor table if neither CPUID nor a pattern does.
	Codename string
	// Rest is set if the row matches processors that no other platform with the CPUID matches.
	Rest bool
	// Sockets is the largest number of processors of a machine with this one, 0 for no limit. It excludes
	// candidates, but never a match by brand.
	Sockets int
}

func atoiOr(s string, other int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return other
	}
	return n
}

// cpuid compares the row's CPUID with the processor's; known is false if the processor's is unknown.
func (r *IndexRow) cpuid(p *cpuIdentity) (same, known bool) {
	if p.family < 0 || p.model < 0 {
		return false, false
	}
	if r.Family != p.family || r.Model != p.model {
		return false, true
	}
	if len(r.Steppings) == 0 {
		return true, true
	}
	if p.stepping < 0 {
		return true, true // the brand pattern decides
	}
	return slices.Contains(r.Steppings, p.stepping), true
}

// vendorFits compares vendors; an unknown one matches everything.
func (r *IndexRow) vendorFits(p *cpuIdentity) bool {
	if p.vendor == "" || r.Vendor == p.vendor {
		return true
	}
	return !isX86Vendor(r.Vendor) && !isX86Vendor(p.vendor)
}

func (r *IndexRow) conditions(m *machineIdentity) bool {
	if r.Product != "" && !matches(r.Product, m.product) {
		return false
	}
	return r.Memory == "" || strings.Contains(m.memory, r.Memory)
}

// matches tries one pattern without regard to case: firmware prints "INTEL(R) XEON(R) GOLD 6526Y" and "E3-1230
// V2". An invalid pattern (a test rejects it) never matches.
func matches(pattern, text string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && re.MatchString(text)
}

// RowPart is the part of the compiled knowledge with one platform: an audit needs one of many.
func RowPart(id string) string { return "platforms/" + id }

type platformRow struct {
	File      platformFile
	Documents []Document
	Authors   []Author
}

// ByID reads a platform of rules/platforms by its id.
func ByID(k fs.FS, id string) (*Platform, error) { return loadPlatform(k, id, "") }

// loadPlatform reads a compiled platform, or rules/platforms/ID.yaml if there is none, because the platform or its
// documents are a site's own; brand chooses among the parts of the platform that differ.
func loadPlatform(k fs.FS, id, brand string) (*Platform, error) {
	r, err := compiled.Part[platformRow](k, RowPart(id))
	if errors.Is(err, fs.ErrNotExist) {
		r, err = readRow(k, id)
	}
	if err != nil {
		return nil, err
	}
	if err := r.File.choose(brand); err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	p := r.File.platform()
	p.Documents, p.Authors = r.Documents, r.Authors
	return p, nil
}

func readRow(k fs.FS, id string) (r platformRow, err error) {
	raw, err := fs.ReadFile(k, "platforms/"+id+".yaml")
	if err != nil {
		return r, fmt.Errorf("read platform %s: %w", id, err)
	}
	if err := yaml.Unmarshal(raw, &r.File); err != nil {
		return r, unreadable("platforms/"+id+".yaml", err)
	}
	if r.File.ID != id {
		return r, fmt.Errorf("read platform %s: its id is %q, expected the name of its file", id, r.File.ID)
	}
	r.Documents = documentsBehind(k, slices.Concat(r.File.Guides, r.File.Sources))
	if r.Authors, err = authorsOf(k, r.File.Sources); err != nil {
		return r, fmt.Errorf("read platform %s: %w", id, err)
	}
	return r, nil
}
