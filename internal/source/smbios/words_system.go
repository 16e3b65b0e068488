package smbios

// boardTypes is DSP0134 7.3.2.
var boardTypes = wordList{first: 1, words: []string{
	"Unknown", "Other", "Server Blade", "Connectivity Switch",
	"System Management Module", "Processor Module", "I/O Module",
	"Memory Module", "Daughter Board", "Motherboard", "Processor+Memory Module",
	"Processor+I/O Module", "Interconnect Board",
}}

// chassisTypes is DSP0134 7.4.1.
var chassisTypes = wordList{first: 1, words: []string{
	"Other", "Unknown", "Desktop", "Low Profile Desktop", "Pizza Box",
	"Mini Tower", "Tower", "Portable", "Laptop", "Notebook", "Hand Held",
	"Docking Station", "All In One", "Sub Notebook", "Space-saving",
	"Lunch Box", "Main Server Chassis", "Expansion Chassis", "Sub Chassis",
	"Bus Expansion Chassis", "Peripheral Chassis", "RAID Chassis",
	"Rack Mount Chassis", "Sealed-case PC", "Multi-system", "CompactPCI",
	"AdvancedTCA", "Blade", "Blade Enclosing", "Tablet", "Convertible",
	"Detachable", "IoT Gateway", "Embedded PC", "Mini PC", "Stick PC",
}}

// processorTypes is DSP0134 7.5.1.
var processorTypes = wordList{first: 1, words: []string{
	"Other", "Unknown", "Central Processor", "Math Processor", "DSP Processor",
	"Video Processor",
}}

// processorStates are bits 2:0 of a populated socket's status (DSP0134 7.5).
var processorStates = wordList{words: []string{
	"Unknown", "Enabled", "Disabled By User", "Disabled By BIOS", "Idle", "", "", "Other",
}}

// upgrades is DSP0134 7.5.5. 24h is LGA1155 in the specification; 51h and
// higher are newer than dmidecode 3.6.
var upgrades = wordList{first: 1, words: []string{
	"Other", "Unknown", "Daughter Board", "ZIF Socket",
	"Replaceable Piggy Back", "None", "LIF Socket", "Slot 1", "Slot 2",
	"370-pin Socket", "Slot A", "Slot M", "Socket 423",
	"Socket A (Socket 462)", "Socket 478", "Socket 754", "Socket 940",
	"Socket 939", "Socket mPGA604", "Socket LGA771", "Socket LGA775",
	"Socket S1", "Socket AM2", "Socket F (1207)", "Socket LGA1366",
	"Socket G34", "Socket AM3", "Socket C32", "Socket LGA1156",
	"Socket LGA1567", "Socket PGA988A", "Socket BGA1288", "Socket rPGA988B",
	"Socket BGA1023", "Socket BGA1224", "Socket BGA1155", "Socket LGA1356",
	"Socket LGA2011", "Socket FS1", "Socket FS2", "Socket FM1", "Socket FM2",
	"Socket LGA2011-3", "Socket LGA1356-3", "Socket LGA1150",
	"Socket BGA1168", "Socket BGA1234", "Socket BGA1364", "Socket AM4",
	"Socket LGA1151", "Socket BGA1356", "Socket BGA1440", "Socket BGA1515",
	"Socket LGA3647-1", "Socket SP3", "Socket SP3r2", "Socket LGA2066",
	"Socket BGA1392", "Socket BGA1510", "Socket BGA1528", "Socket LGA4189",
	"Socket LGA1200", "Socket LGA4677", "Socket LGA1700", "Socket BGA1744",
	"Socket BGA1781", "Socket BGA1211", "Socket BGA2422", "Socket LGA1211",
	"Socket LGA2422", "Socket LGA5773", "Socket BGA5773", "Socket AM5",
	"Socket SP5", "Socket SP6", "Socket BGA883", "Socket BGA1190",
	"Socket BGA4129", "Socket LGA4710", "Socket LGA7529", "Socket BGA1964",
	"Socket BGA1792", "Socket BGA2049", "Socket BGA2551", "Socket LGA1851",
	"Socket BGA2114", "Socket BGA2833",
}}
