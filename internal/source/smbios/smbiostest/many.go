package smbiostest

import "fmt"

// ManySlots has 8 sockets and 128 slots, half of them populated: the input of the
// measurements of PERFORMANCE.md.
func ManySlots() *Builder {
	b := New(3, 3)
	b.BIOS(BIOS{Vendor: "American Megatrends Inc.", Version: "1.0", Date: "01/02/2023"})
	b.System(System{Manufacturer: "Supermicro", Product: "SYS-BIG"})
	b.Board(Board{Manufacturer: "Supermicro", Product: "X12BIG"})
	for n := range 8 {
		b.CPU(CPU{Socket: fmt.Sprintf("CPU%d", n+1), Manufacturer: "Intel(R) Corporation", Version: "Intel(R) Xeon(R) Platinum 8352Y CPU @ 2.20GHz",
			ID: 0x606A6, Cores: 32, Enabled: 32, Threads: 64, Upgrade: 0x3D, Characteristics: 0xFC})
	}
	for socket := range 8 {
		array := b.Array(Array{Devices: 16, MaxBytes: 2 << 40})
		for ch := range 8 {
			for slot := range 2 {
				d := DIMM{Array: array, Locator: fmt.Sprintf("P%d-DIMM%c%d", socket+1, 'A'+ch, slot+1), Bank: fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", socket, ch/2, ch%2, slot)}
				if slot == 0 {
					d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 64<<30, 3200, 3200, 2, "Samsung", "M393A8G40AB2-CWE"
				}
				b.MemoryDevice(d)
			}
		}
	}
	return b
}
