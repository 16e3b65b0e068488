package platform

import "strings"

// processorKey reduces a brand string to the key of the processor table: "Intel(R) Xeon(R) Gold 6252N CPU @
// 2.30GHz" is "intel xeon gold 6252n", "AMD EPYC 7543 32-Core Processor" is "amd epyc 7543". It drops only
// words that do not identify a processor, so that any other word prevents a match. It returns "" if no word is
// left.
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
	return fixKey(string(key))
}

// plainWord returns the word in lower case without trade marks.
func plainWord(word string) string {
	word = strings.ToLower(word)
	for _, mark := range [...]string{"(r)", "(tm)", "®", "™"} {
		word = strings.ReplaceAll(word, mark, "")
	}
	return word
}

func noiseWord(word string) bool {
	switch word {
	case "", "cpu", "processor", "0", "extreme", "edition", "x-series", "gen", "11th", "12th", "13th", "14th":
		return true
	default:
		return strings.HasSuffix(word, "-core")
	}
}

// fixKey normalises the spelling of some generations: "E31240" is the E3-1240, a separate "E" precedes
// "E-2488", "i7 920" and "i7 X 980" are the i7-920 and the i7-980X; "i5+8400" is Intel's name of an i5-8400
// sold with a cache.
func fixKey(key string) string {
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

// displayName spells the key of the table as vendors do: "Intel Xeon Gold 6252N". number is the processor
// number in the vendor's spelling.
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
