package platform

import "strings"

// MakerWord folds the makers' spellings; others keep their first word.
func MakerWord(name string) string {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), " ")
	word = strings.Trim(word, ",.")
	switch word {
	case "hpe", "hewlett-packard", "hewlett", "compaq":
		return "hp"
	case "ibm", "thinkstation":
		return "lenovo"
	case "sun", "oracle":
		return "oracle"
	default:
		return word
	}
}

// ProcessorMakers are the makers of processors that ProcessorMaker knows.
var ProcessorMakers = [...]string{"intel", "amd"}

// ProcessorMaker is the maker behind a processor's CPUID vendor string, "" when
// it is not known.
func ProcessorMaker(vendor string) string {
	switch vendor {
	case Intel:
		return "intel"
	case AMD:
		return "amd"
	default:
		return ""
	}
}

// CPUID vendor strings.
const (
	Intel = "GenuineIntel"
	AMD   = "AuthenticAMD"
)
