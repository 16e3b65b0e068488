package platform

import "strings"

// Maker folds the makers' spellings; others keep their first word.
func Maker(name string) string {
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
