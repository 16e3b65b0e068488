package live

// What tests hold against the kernel's own documents.
var (
	OnNode         = onNode
	HugeShare      = hugeShare
	ProcessorTimes = processorTimes
	SomeTotal      = someTotal
)
