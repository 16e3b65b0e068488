package live

// What tests check against the kernel's own documents.
var (
	OnNode         = onNode
	HugeShare      = hugeShare
	ProcessorTimes = processorTimes
	SomeTotal      = someTotal
	Placement      = placement
)
