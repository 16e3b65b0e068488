package platform

import (
	"bytes"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
)

// processorTable is sorted by its first column, the normalised name.
const processorTable = "processors.csv"

// Capability returns SMT or Turbo by the setting's name, "" for another.
func (p *Processor) Capability(setting string) string {
	return map[string]string{"smt": p.SMT, "turbo": p.Turbo}[setting]
}

// Processors returns the vendor's row of each socket's processor, nil if the table has none or the brand string
// is not exact.
func Processors(sys *inventory.System, k fs.FS) []*Processor {
	out, rows := make([]*Processor, len(sys.Sockets)), map[string]*Processor{}
	for i := range sys.Sockets {
		s := &sys.Sockets[i]
		id := identifySocket(s, &sys.CPU)
		key := processorKey(id.brand)
		if !s.Populated.Or(false) || key == "" || !versionFits(key, &id.cpuIdentity) {
			continue
		}
		row, known := rows[key]
		if !known {
			if row = lookUpProcessor(k, key); row != nil {
				row.ObservedMTs = observedSpeed(k, key)
			}
			rows[key] = row
		}
		out[i] = row
	}
	return out
}

// observedSpeed is the highest speed at which a part was seen to run memory, if that is lower than its DIMMs'; 0 otherwise.
func observedSpeed(k fs.FS, key string) int {
	raw, _ := fs.ReadFile(k, "platforms/observed-speeds.tsv")
	_, rest, _ := strings.Cut(string(raw), "\n"+key+"\t")
	speed, _, _ := strings.Cut(rest, "\t")
	mts, _ := strconv.Atoi(speed)
	return mts
}

// Brand strings may be truncated: "E5-2620" of an E5-2620 v4 names another processor, which its CPUID shows.
func versionFits(key string, p *cpuIdentity) bool {
	family, rest, _ := strings.Cut(strings.TrimPrefix(key, "intel xeon "), "-")
	if p.family < 0 || p.model < 0 {
		return true
	}
	_, version, _ := strings.Cut(rest, " ")
	var models [7]int
	switch family {
	case "e3":
		models = [7]int{0: 42, 2: 58, 3: 60, 4: 71, 5: 94, 6: 158}
	case "e5":
		models = [7]int{0: 45, 2: 62, 3: 63, 4: 79}
	case "e7":
		models = [7]int{0: 47, 2: 62, 3: 63, 4: 79}
	default:
		return true
	}
	v, _ := strconv.Atoi(strings.TrimPrefix(version, "v"))
	return v >= 0 && v < len(models) && p.family == 6 && models[v] == p.model
}

func lookUpProcessor(k fs.FS, key string) *Processor {
	raw, _ := fs.ReadFile(k, processorTable)
	_, rest, ok := bytes.Cut(raw, []byte("\n"+key+","))
	if !ok {
		return nil
	}
	row, _, _ := bytes.Cut(rest, []byte("\n"))
	return parseProcessor(key + "," + string(row))
}

func parseProcessor(line string) *Processor {
	// key, vendor, number, codename, cores, threads, smt, turbo, channels, max_mts, max_mts_2dpc, how, source; no field holds a
	// comma or a quote
	var col [13]string
	for i := range col {
		col[i], line, _ = strings.Cut(line, ",")
	}
	num := func(i int) int { n, _ := strconv.Atoi(col[i]); return n }
	if cores, threads := num(4), num(5); col[6] == "" && cores > 0 && threads > 0 {
		col[6] = "no"
		if threads > cores {
			col[6] = "yes"
		}
	}
	return &Processor{
		Name: displayName(col[0], col[2]), Vendor: col[1], Number: col[2], Codename: col[3],
		Cores: num(4), Threads: num(5), SMT: col[6], Turbo: col[7],
		Channels: num(8), MaxMTs: num(9), MaxMTs2DPC: num(10), How: col[11], Source: col[12],
	}
}

// Processor is one row of the vendors' processor table.
type Processor struct {
	Vendor, Number, Name, Codename string
	Cores, Threads                 int
	// SMT and Turbo are "yes", "no" or "" if the source does not list them. Without SMT, cores and threads
	// decide.
	SMT, Turbo string
	Channels   int
	// MaxMTs is the highest memory speed in MT/s, 0 if unknown; MaxMTs2DPC the one with two DIMMs per channel
	// if a source lists it.
	MaxMTs, MaxMTs2DPC int
	// ObservedMTs is the highest memory speed in MT/s at which the part was observed, 0 if unknown. It may
	// excuse a machine, but never causes a finding.
	ObservedMTs int
	// How is the kind of statement that the speed is from, Source its document.
	How, Source string
}

// CountsLinks reports whether the row's channels are links to memory buffers, each with two channels: Xeon
// 6500, 7500 and E7.
func (p *Processor) CountsLinks() bool {
	return strings.HasSuffix(p.Codename, " EX") || strings.HasPrefix(p.Number, "E7-")
}

// "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz" is "intel xeon gold 6252n", "AMD EPYC 7543 32-Core Processor" is "amd epyc
// 7543". It drops only words that do not identify a processor, so that any other word prevents a match.
func processorKey(brand string) string {
	brand, _, _ = strings.Cut(brand, "@")
	key := make([]byte, 0, len(brand))
	for word := range strings.FieldsSeq(brand) {
		word = plainWord(word)
		if noiseWord(word) {
			continue
		}
		if len(key) > 0 && key[len(key)-1] != '-' {
			key = append(key, ' ')
		}
		key = append(key, word...)
	}
	return normaliseKey(string(key))
}

func plainWord(word string) string {
	word = strings.ToLower(word)
	for _, mark := range [...]string{"(r)", "(tm)", "®", "™"} {
		word = strings.ReplaceAll(word, mark, "")
	}
	return word
}

func noiseWord(word string) bool {
	noise := []string{"", "cpu", "processor", "0", "extreme", "edition", "x-series", "gen", "11th", "12th", "13th", "14th"}
	return slices.Contains(noise, word) || strings.HasSuffix(word, "-core")
}

// normaliseKey normalises the spelling of some generations: "E31240" is the E3-1240, a separate "E" precedes
// "E-2488", "i7 920" and "i7 X 980" are the i7-920 and the i7-980X; "i5+8400" is Intel's name of an i5-8400
// sold with a cache.
func normaliseKey(key string) string {
	if number, ok := strings.CutPrefix(key, "intel core i"); ok {
		return "intel core i" + coreNumber(number)
	}
	const xeon = "intel xeon "
	number, ok := strings.CutPrefix(key, xeon)
	if !ok {
		return key
	}
	if rest, ok := strings.CutPrefix(number, "e e-"); ok {
		return xeon + "e-" + rest
	}
	if len(number) >= 6 && strings.HasPrefix(number, "e31") && !strings.Contains(number, "-") {
		return xeon + "e3-" + number[2:]
	}
	return key
}

// coreNumber spells "7 920", "7 x 980" and "5+8400" as later brand strings do.
func coreNumber(number string) string {
	if len(number) < 3 || number[1] != ' ' && number[1] != '+' {
		return number
	}
	if x, ok := strings.CutPrefix(number[2:], "x "); ok {
		return number[:1] + "-" + x + "x"
	}
	return number[:1] + "-" + number[2:]
}

// displayName is "Intel Xeon Gold 6252N"; number is in the vendor's spelling.
func displayName(key, number string) string {
	words := strings.Fields(key)
	size := len(strings.Fields(number))
	for i, w := range words {
		switch {
		case i >= len(words)-size:
			words[i] = strings.Fields(number)[i-len(words)+size]
		case w == "amd" || w == "epyc" || w == "lv":
			words[i] = strings.ToUpper(w)
		case w == "ampereone":
			words[i] = "AmpereOne"
		case w != "":
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
