package platform

// Interleave policies of docs/population.md, Regions.
const (
	PolicyAny          = "any"
	PolicySymmetricIMC = "symmetric-imc"
	PolicyEX           = "ex-lockstep"
	PolicyAMD          = "amd-mode"
	PolicyZen4         = "amd-zen4"
	PolicySingle       = "single"
)
