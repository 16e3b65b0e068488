package smbios

// MemoryChannel is a memory channel (type 37, DSP0134 7.38); servers hardly
// ever have it.
type MemoryChannel struct {
	Handle uint16
	// Type is RamBus or SyncLink, "Other" in practice.
	Type    Field[string]
	MaxLoad Field[int]
	// Devices is the number of devices on the channel.
	Devices Field[int]
	// Loads holds one entry a device. It is empty when read from dmidecode's
	// text, which prints the second device as the first and, as the last,
	// bytes after the structure.
	Loads []ChannelLoad
}

// ChannelLoad is one device on a channel.
type ChannelLoad struct {
	Load   int
	Device uint16 // handle of the type 17 structure
}

// MemoryChannels decodes the structures of type 37 in table order.
func (t *Table) MemoryChannels() []MemoryChannel {
	out := make([]MemoryChannel, 0, t.Count(typeMemoryChannel))
	for s := range t.OfType(typeMemoryChannel) {
		f := t.fields(s)
		c := MemoryChannel{
			Handle:  s.Handle,
			Type:    f.word(0x04, "Type", &channelTypes),
			MaxLoad: f.num8(0x05, "Maximal Load", -1),
			Devices: f.num8(0x06, "Devices", -1),
		}
		for off := 0x07; !f.text && len(c.Loads) < c.Devices.Value && f.has(off, 3); off += 3 {
			c.Loads = append(c.Loads, ChannelLoad{Load: f.u8(off), Device: uint16(f.u16(off + 1))})
		}
		out = append(out, c)
	}
	return out
}
