// Package platform recognises which platform a machine is and what the
// documents under rules/platforms say of it; it finds the vendors' row of each
// processor. What cannot be recognised stays unknown with the reason.
package platform

import "strings"

// Platform is one row of rules/platforms: how a processor generation attaches
// its memory, and what its documents say of populating it.
type Platform struct {
	ID   string
	Name string
	// NUMA is false on front-side-bus machines.
	NUMA bool
	// ChannelsPerSocket is 0 on a front-side-bus machine, which has
	// ChannelsPerSystem; 0 in both means that no document says.
	ChannelsPerSocket, ChannelsPerSystem int
	// Controllers per socket; 0 when not known.
	Controllers int
	MaxDPC      int
	// Policy is the interleave policy of the population model; "" means
	// count, do not grade.
	Policy string
	// Speeds by DIMM kind (rdimm-1r2r, lrdimm-4r ...), by DIMMs per channel
	// from one; 0 is "not supported or not documented".
	Speeds map[string][]int
	// MostDPC are the DIMMs of one kind that a channel takes at most, where a
	// document allows fewer of it than MaxDPC.
	MostDPC map[string]int
	// AlsoNormal are speeds of single vendors' boards, by DPC.
	AlsoNormal map[string][]int
	// RecommendedDIMMs, AcceptableDIMMs and AllowedDIMMs are counts per
	// socket (per system on a front-side bus).
	RecommendedDIMMs, AcceptableDIMMs, AllowedDIMMs []int
	// LockstepPairs is true where DIMMs come in lockstep pairs (EX).
	LockstepPairs bool
	// SpeedDependsOnDPC is false where the processor alone decides.
	SpeedDependsOnDPC bool
	// ZeroDIMMsLegal is true where processors carry HBM.
	ZeroDIMMsLegal bool
	// NoDIMMs is true where memory is soldered and no slot exists.
	NoDIMMs bool
	// UniformDIMMs is true where the document asks for identical DIMMs.
	UniformDIMMs bool
	// Verified is false when the row as a whole is from general knowledge;
	// Unverified names single fields that are.
	Verified   bool
	Unverified map[string]bool
	// Notes are sentences of the document that a report may quote, by topic.
	Notes map[string]string
	// Citation is the document behind the row.
	Citation Citation
	// Recognised says by what: cpuid, brand, product, or candidate for the only
	// platform with the CPUID while the brand string does not decide.
	Recognised string
	Detail
}

// TakesRegistered reports whether the platform's documents know registered
// modules, as those of server processors do.
func (p *Platform) TakesRegistered() bool {
	for kind := range p.Speeds {
		if strings.HasPrefix(kind, "rdimm") || strings.HasPrefix(kind, "lrdimm") {
			return true
		}
	}
	return false
}
