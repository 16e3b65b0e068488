package smbios

// The structure types that are decoded or whose fields name strings (DSP0134 clause 7; type 202 is
// HPE's own).
const (
	typeBIOS            = 0
	typeSystem          = 1
	typeBoard           = 2
	typeChassis         = 3
	typeProcessor       = 4
	typeCache           = 7
	typeMemoryArray     = 16
	typeMemoryDevice    = 17
	typeMemoryError     = 18
	typeArrayMapping    = 19
	typeDeviceMapping   = 20
	typeOnboard         = 41
	typeHostInterface   = 42
	typeTPM             = 43
	typeFirmware        = 45
	typeInactive        = 126
	typeEndOfTable      = 127
	typeHPEDIMMLocation = 202
)

// maxStructures is the most a table can have, because a handle has 16 bits (DSP0134 6.1.2).
const maxStructures = 1 << 16
