package machinetest

import "sync"

// All lists the machines of testdata/machines.
func All() []Machine {
	var all []Machine
	for i := range described() {
		all = append(all, described()[i].clone())
	}
	return all
}

// described are the machines of All, made once: tests ask for one by its name hundreds of times.
var described = sync.OnceValue(func() []Machine { return append(General(), Papers()...) })

// Papers lists the systems of the five papers that memaudit began
// with: for each one that is as its paper wants it and, where the paper names
// a deviation, one that is not.
func Papers() []Machine {
	return []Machine{
		powerEdge11G("dell-m610-good", "The node of the paper's cluster in its low-power form: two Xeon E5540 and 6 x 4 GB at 1066 MT/s, one on each channel. The processor allows 1066 MT/s at most (Table 3), so a rating of 1333 would be wasted.",
			"PowerEdge M610", e5540, 6, []int{1, 2, 3}, 1066),
		powerEdge11G("dell-r710-two-channels", "Two of the three channels of each processor hold memory: a third of the 31.99 GB/s of Table 3 is out of reach.",
			"PowerEdge R710", x5570, 9, []int{1, 2, 4, 5}, 1333),
		powerEdge11G("dell-m710-full", "All eighteen slots: three DIMMs on each of the three channels.", "PowerEdge M710", x5670, 9, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1333),
		rx600S6("fujitsu-rx600s6-class1", "Four Xeon E7-4870 with 8 x 8 GB each, four on each memory board (1-1|1-1): performance class 1.", first, first),
		rx600S6("fujitsu-rx600s6-class2", "12 x 8 GB per processor (2-1|2-1): the third group of four makes a second, two-way segment, so the whole is performance class 2.", threeGroups, threeGroups),
		rx600S6("fujitsu-rx600s6-class3", "One memory board per processor with 4 x 8 GB (1-1|0-0): performance class 3, one controller only.", first, nil),
		mirrored(rx600S6("fujitsu-rx600s6-mirrored", "All sixteen slots of every processor hold 8 GB, and half of the memory is visible, as with mirroring: the paper's price of Redundancy.", allEight, allEight)),
		rx900S2("fujitsu-rx900s2-class1", "Eight Xeon E7-8870 with two groups of four 8 GB modules each (1-1|1-1): performance class 1; the distances tell the three neighbours from those behind a broker.", "BDFHACEG"),
		rx900S2("fujitsu-rx900s2-class2", "One group of four per processor, over all four buffers (1-0|1-0): permitted, performance class 2.", "BDFH"),
		rx900S2("fujitsu-rx900s2-one-controller", "Four modules per processor behind the buffers of one controller only (1-1|0-0): the paper does not permit it on this system.", "BDAC"),
		e326m("ibm-e326m-full", "All eight slots filled with identical 2 GB DDR400 modules: the paper's best configuration.", 8),
		e326m("ibm-e326m-second-empty", "The first processor's four slots are filled, the second's are empty: permitted by the paper, and half of the channels are lost.", 4),
		x6440("sun-x6440", "Four Opteron 8380 with equal memory. Processors 0 and 3 stream about 16 % slower than 1 and 2 by design: the report explains it. There is no machine beside this one that fails for the paper's reason, because the paper names no deviation."),
		x7db8("supermicro-x7db8-4ch", "Four 1 GB FB-DIMMs, one on each channel: the best of the paper's three layouts of 4 GB.", 1, 1),
		x7db8("supermicro-x7db8-1ch", "The same four modules on one channel: 57 % more latency than on two.", 4, 4),
		x7db8("supermicro-x7db8-2ch", "The same four modules on two channels: 6 % more latency than on four.", 2, 2),
		x7db8("supermicro-x7db8-deep", "Sixteen modules, four on each channel: all channels are used; the paper saw the latency rise with depth and the bandwidth stay.", 1, 4),
		x6dh8("supermicro-x6dh8-g2", "The paper's system of comparison: two Xeons at 3.4 GHz, four DDR2 modules. The paper advises nothing for it, so there is no machine that fails."),
	}
}
