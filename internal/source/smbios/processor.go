package smbios

// Processor is a processor socket, populated or not (type 4, DSP0134 7.5).
type Processor struct {
	Handle      uint16
	Designation Field[string]
	// Type is spelled as dmidecode prints it; the audit counts those of type "Central Processor".
	Type Field[string]
	// Family is the number of the processor family, FamilyName its name as dmidecode prints it.
	// Family is Missing for a name that several numbers have and, in text, for a name that is not
	// in the list.
	Family       Field[int]
	FamilyName   Field[string]
	Manufacturer Field[string]
	// ID holds the eight bytes of the processor ID, the first as the lowest byte: EAX and EDX of
	// CPUID leaf 1 on x86, MIDR or the SoC ID on Arm.
	ID Field[uint64]
	// CPUID holds family, model and stepping; x86 only.
	CPUID     Field[CPUID]
	Version   Field[string]
	Populated Field[bool]
	// State is the state of the processor in a populated socket, such as "Enabled" or "Disabled By
	// BIOS".
	State Field[string]
	// Upgrade is the kind of socket, such as "Socket LGA4677".
	Upgrade Field[string]
	// L1, L2 and L3 are the handles of the cache structures (type 7).
	L1, L2, L3 Field[uint16]
	// CoreCount, CoresEnabled, ThreadCount and ThreadsEnabled are of this processor, not of the
	// machine. On many machines ThreadCount is the number of enabled threads.
	CoreCount, CoresEnabled, ThreadCount, ThreadsEnabled Field[int]
}

// CPUID is the signature of an x86 processor: family and model with their extended parts, and
// stepping.
type CPUID struct {
	Family, Model, Stepping int
}

// Processors decodes the structures of type 4 in table order.
func (t *Table) Processors() []Processor {
	out := make([]Processor, 0, t.Count(typeProcessor))
	for s := range t.OfType(typeProcessor) {
		f := t.fields(s)
		p := Processor{Handle: s.Handle}
		p.identity(&f, t.Version)
		p.socket(&f)
		p.counts(&f)
		out = append(out, p)
	}
	return out
}

func (p *Processor) identity(f *fields, v Version) {
	p.Designation = f.str(0x04, "Socket Designation")
	p.Type = f.word(0x05, "Type", "processor type")
	pos := f.pos
	p.Manufacturer = f.str(0x07, "Manufacturer")
	f.pos = pos
	p.Family, p.FamilyName = f.family(p.Manufacturer, v)
	p.ID = f.processorID()
	p.CPUID = f.cpuid(p)
	p.Version = f.str(0x10, "Version")
}

func (p *Processor) socket(f *fields) {
	p.Populated, p.State = f.processorStatus()
	p.Upgrade = f.word(0x19, "Upgrade", "processor upgrade")
	p.L1 = f.handle(0x1A, "L1 Cache Handle", 0xFFFF)
	p.L2 = f.handle(0x1C, "L2 Cache Handle", 0xFFFF)
	p.L3 = f.handle(0x1E, "L3 Cache Handle", 0xFFFF)
}

func (p *Processor) counts(f *fields) {
	if !f.has(0x23, 1) {
		return
	}
	p.CoreCount = f.count(0x23, 0x2A, "Core Count")
	p.CoresEnabled = f.count(0x24, 0x2C, "Core Enabled")
	p.ThreadCount = f.count(0x25, 0x2E, "Thread Count")
	p.ThreadsEnabled = f.threadsEnabled()
}
