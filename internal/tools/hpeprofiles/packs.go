package hpeprofiles

// Pack is one file of rules/profiles: the workload profiles of the machines
// that share a map.
type Pack struct {
	// ID is the prefix of the IDs of its profiles and the name of its file; Name is the generation's name.
	ID, Name string
	// Systems are the ROM families of its registries.
	Systems []string
	// Products and Platforms choose the machines, Applies narrows them.
	Products, Platforms []string
	Applies             string
	// Notes are remarks on settings for this pack only.
	Notes map[string]string
	// Evidence describes how certain it is that the map applies to the generation.
	Evidence string
}

// Packs are the maps that differ. Registries that agree share a pack.
var Packs = [...]Pack{
	{ID: "hpe-gen10plus", Name: "ProLiant Gen10 Plus, 3rd generation Xeon Scalable", Systems: []string{"U46"},
		Products: []string{"Gen10 Plus"}, Platforms: []string{"ice-lake-sp"},
		Evidence: "the registry is that of one system; other Gen10 Plus machines of this processor are compared by analogy"},
	{ID: "hpe-gen10plus-amd", Name: "ProLiant Gen10 Plus, EPYC 7002", Systems: []string{"A43", "A47"},
		Products: []string{"Gen10 Plus"}, Platforms: []string{"rome", "milan"},
		Applies:  `platform.id == "rome" || machine.product.contains("DL325 Gen10 Plus") || machine.product.contains("XL675d Gen10 Plus")`,
		Evidence: "two systems of 2021 and 2022 share the map and differ in their factory settings only; other Gen10 Plus machines with EPYC 7002 are compared by analogy"},
	{ID: "hpe-gen10plus-amd-7003", Name: "ProLiant Gen10 Plus, EPYC 7003", Systems: []string{"A42"},
		Products: []string{"Gen10 Plus"}, Platforms: []string{"milan"},
		Applies:  `!machine.product.contains("DL325 Gen10 Plus") && !machine.product.contains("XL675d Gen10 Plus")`,
		Notes:    map[string]string{"c_states": "the registry writes C6 for performance profiles too, where all others of HPE switch C-states off; it is read literally"},
		Evidence: "the registry is that of one system with a ROM of 2025, and writes more than those of EPYC 7002; other Gen10 Plus machines with EPYC 7003 are compared by analogy"},
	{ID: "hpe-gen11", Name: "ProLiant Gen11, 4th and 5th generation Xeon Scalable", Systems: []string{"U58"},
		Products: []string{"Gen11"}, Platforms: []string{"sapphire-rapids", "sapphire-rapids-max", "emerald-rapids"},
		Evidence: "the registry is that of one system; other Gen11 machines of these processors are compared by analogy"},
	{ID: "hpe-gen12", Name: "ProLiant Gen12, Xeon 6", Systems: []string{"U68", "U71", "U72"},
		Products: []string{"Gen12"}, Platforms: []string{"granite-rapids-sp", "granite-rapids-ap", "sierra-forest"},
		Evidence: "three systems of three kinds agree on every attribute that they share, so that the map is very likely that of the generation; machines that the registries do not name are compared by analogy all the same"},
}

// profile describes a workload profile: the suffix of its ID, its name, and its intents.
type profile struct {
	id, name string
	intents  []string
}

// profiles are in the order of Workloads. HPE has no profile called balanced: General Power Efficient Compute is the factory
// setting of most systems, and the power saving one. General Throughput has the intent performance, Transactional
// Application Processing database; profiles without an intent are found by ID.
var profiles = [len(Workloads)]profile{
	{"general-power-efficient-compute", "General Power Efficient Compute", []string{"balanced", "energy-efficiency"}},
	{"general-peak-frequency-compute", "General Peak Frequency Compute", nil},
	{"general-throughput-compute", "General Throughput Compute", []string{"max-performance"}},
	{"virtualization-power-efficient", "Virtualization - Power Efficient", nil},
	{"virtualization-max-performance", "Virtualization - Max Performance", []string{"virtualization"}},
	{"low-latency", "Low Latency", []string{"low-latency"}},
	{"mission-critical", "Mission Critical", nil},
	{"transactional-application-processing", "Transactional Application Processing", []string{"database"}},
	{"high-performance-compute", "High Performance Compute (HPC)", []string{"hpc"}},
	{"decision-support", "Decision Support", nil},
	{"graphic-processing", "Graphic Processing", nil},
	{"io-throughput", "I/O Throughput", nil},
}
