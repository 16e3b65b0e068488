package smbios

import (
	"fmt"
	"net/netip"
	"strings"
)

// HostInterface is a way from the running system to the management controller
// (type 42, DSP0134 7.43 and DSP0270).
type HostInterface struct {
	Handle uint16
	// Type is "Network" for the ones that can carry Redfish.
	Type Field[string]
	// Device is the kind of network device: "USB", "USB v2", "PCI/PCIe v2".
	Device Field[string]
	// VendorID and ProductID are the USB or PCI ids of the device.
	VendorID, ProductID Field[int]
	// MAC is the hardware address of the host's side, lower case with colons.
	MAC Field[string]
	// Protocols are the protocols spoken over it.
	Protocols []HostProtocol
}

// HostProtocol is a protocol of a HostInterface. Everything beside ID and Name
// is of Redfish over IP.
type HostProtocol struct {
	ID   int
	Name string
	// Assignment and Discovery say how the host's and the service's addresses
	// are found: "Static", "AutoConf". Only then are the addresses stated.
	Assignment, Discovery       Field[string]
	HostAddress, ServiceAddress Field[netip.Addr]
	ServicePort                 Field[int]
	Hostname                    Text
}

// protocolRedfish is Redfish over IP.
const protocolRedfish = 4

var (
	hostInterfaceTypes = wordList{more: []codeWord{
		{0x02, "KCS: Keyboard Controller Style"}, {0x03, "8250 UART Register Compatible"},
		{0x04, "16450 UART Register Compatible"}, {0x05, "16550/16550A UART Register Compatible"},
		{0x06, "16650/16650A UART Register Compatible"}, {0x07, "16750/16750A UART Register Compatible"},
		{0x08, "16850/16850A UART Register Compatible"}, {0x40, "Network"}, {0xF0, "OEM"},
	}}
	hostDevices = wordList{first: 2, words: []string{"USB", "PCI/PCIe", "USB v2", "PCI/PCIe v2"}}
	protocols   = wordList{
		words: []string{"Reserved", "Reserved", "IPMI", "MCTP", "Redfish over IP"},
		more:  []codeWord{{0xF0, "OEM"}},
	}
	assignments = wordList{words: []string{"Unknown", "Static", "DHCP", "AutoConf", "Host Selected"}}
)

// HostInterfaces decodes the structures of type 42 in table order. Before
// SMBIOS 3.2 only the interface type can be read.
func (t *Table) HostInterfaces() []HostInterface {
	out := make([]HostInterface, 0, t.Count(typeHostInterface))
	for s := range t.OfType(typeHostInterface) {
		f := t.fields(s)
		h := HostInterface{Handle: s.Handle}
		switch {
		case f.text:
			h.text(&f)
		case f.has(0x04, 1):
			h.Type = hostInterfaceType(f.u8(0x04))
			if t.Version.AtLeast(3, 2) {
				h.binary(&f)
			}
		}
		out = append(out, h)
	}
	return out
}

func hostInterfaceType(code int) Field[string] {
	if hostInterfaceTypes.lookup(code) == "" && code <= 0x3F {
		return known("MCTP")
	}
	return hostInterfaceTypes.field(code)
}

// binary reads the interface data, n bytes after 05h, and the protocol
// records after them.
func (h *HostInterface) binary(f *fields) {
	if !f.has(0x05, 1) || !f.has(0x06, f.u8(0x05)+1) {
		return
	}
	n := f.u8(0x05)
	if h.Type.Value != "Network" {
		return
	}
	if n > 0 {
		h.device(f.s.Data[0x06 : 0x06+n])
	}
	h.records(f.s.Data[0x06+n:])
}

// device reads the descriptor of the network device (DSP0270 8.3).
func (h *HostInterface) device(b []byte) {
	h.Device = hostDevices.field(int(b[0]))
	if b[0] >= 0x80 {
		h.Device = known("OEM")
	}
	switch {
	case b[0] == 2 && len(b) >= 5, b[0] == 3 && len(b) >= 9:
		h.ids(b[1:])
	case b[0] == 4 && len(b) >= 0x0D:
		h.ids(b[2:])
		h.MAC = hardwareAddress(b[7:])
	case b[0] == 5 && len(b) >= 0x14:
		h.ids(b[2:])
		h.MAC = hardwareAddress(b[10:])
	}
}

func (h *HostInterface) ids(b []byte) {
	h.VendorID, h.ProductID = known(int(b[0])|int(b[1])<<8), known(int(b[2])|int(b[3])<<8)
}

func hardwareAddress(m []byte) Field[string] {
	return known(fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]))
}

// records reads the count, which is there, and the protocol records {id, length, data}; one
// that does not fit ends them.
func (h *HostInterface) records(b []byte) {
	n := int(b[0])
	b = b[1:]
	for ; n > 0 && len(b) >= 2 && len(b) >= 2+int(b[1]); n-- {
		p := HostProtocol{ID: int(b[0]), Name: protocols.lookup(int(b[0]))}
		if data := b[2 : 2+int(b[1])]; p.ID == protocolRedfish && len(data) >= 91 {
			p.redfish(data)
		}
		h.Protocols = append(h.Protocols, p)
		b = b[2+int(b[1]):]
	}
}

// redfish reads a record of Redfish over IP (DSP0270 8.4.1).
func (p *HostProtocol) redfish(b []byte) {
	p.Assignment = assignments.field(int(b[16]))
	if stated(p.Assignment) {
		p.HostAddress = address(b[17], b[18:34])
	}
	p.Discovery = assignments.field(int(b[50]))
	if stated(p.Discovery) {
		p.ServiceAddress = address(b[51], b[52:68])
		p.ServicePort = known(int(b[84]) | int(b[85])<<8)
	}
	n := int(b[90])
	if 91+n > len(b) {
		p.Hostname = Text{Status: Bad}
		return
	}
	name, _, _ := strings.Cut(string(b[91:91+n]), "\x00")
	p.Hostname = binaryString(name)
}

// stated tells whether the addresses are in the record.
func stated(assignment Field[string]) bool {
	return assignment.Value == "Static" || assignment.Value == "AutoConf"
}

func address(format byte, b []byte) Field[netip.Addr] {
	switch format {
	case 1:
		return known(netip.AddrFrom4([4]byte(b[:4])))
	case 2:
		return known(netip.AddrFrom16([16]byte(b)))
	}
	return status[netip.Addr](Bad)
}

// text reads dmidecode's lines; those of a protocol are items of its own line.
func (h *HostInterface) text(f *fields) {
	h.Type = f.textWord("Host Interface Type", &hostInterfaceTypes)
	if h.Type.Status == Missing {
		h.Type = f.textWord("Interface Type", &hostInterfaceTypes)
		return
	}
	h.Device = f.textWord("Device Type", &hostDevices)
	for _, labels := range [...][2]string{{"idVendor", "idProduct"}, {"VendorID", "DeviceID"}} {
		if v, ok := f.line(labels[0]); ok {
			h.VendorID = hexField(v, -1)
			v, _ = f.line(labels[1])
			h.ProductID = hexField(v, -1)
		}
	}
	if v, ok := f.line("MAC Address"); ok {
		h.MAC = known(strings.ToLower(v))
	}
	for i, l := range f.s.lines {
		if l.key != "Protocol ID" {
			continue
		}
		id, err := parseHex("0x" + l.val)
		if !err {
			continue
		}
		p := HostProtocol{ID: int(id), Name: protocols.lookup(int(id))}
		f.pos = i + 1
		for _, item := range f.items() {
			p.textItem(item.val)
		}
		h.Protocols = append(h.Protocols, p)
	}
}

// textItem reads one line of a protocol, "IPv4 Address: 169.254.3.1".
func (p *HostProtocol) textItem(item string) {
	key, v, ok := splitAttribute(item)
	if !ok {
		return
	}
	switch key {
	case "Host IP Assignment Type":
		p.Assignment = wordOf(v)
	case "IPv4 Address", "IPv6 Address", "Unknown Address":
		p.HostAddress = textIP(v)
	case "Redfish Service IP Discovery Type":
		p.Discovery = wordOf(v)
	case "IPv4 Redfish Service Address", "IPv6 Redfish Service Address", "Unknown Redfish Service Address":
		p.ServiceAddress = textIP(v)
	case "Redfish Service Port":
		p.ServicePort = parseNum(v, -1)
	case "Redfish Service Hostname":
		p.Hostname = textString(v)
		if v == outOfSpec {
			p.Hostname = Text{Status: Bad}
		}
	}
}

func wordOf(v string) Field[string] {
	if st := textStatus(v); st != Known {
		return status[string](st)
	}
	return known(v)
}

func textIP(v string) Field[netip.Addr] {
	a, err := netip.ParseAddr(v)
	if err != nil {
		return status[netip.Addr](Bad)
	}
	return known(a)
}
