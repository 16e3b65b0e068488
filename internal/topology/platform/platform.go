// Package platform recognises the platform of a machine and reads its facts from rules/platforms, and the
// vendors' data of each processor. A machine that cannot be recognised stays unknown with the reason.
package platform

import "strings"

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
