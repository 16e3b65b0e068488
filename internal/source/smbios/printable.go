package smbios

// printable replaces every byte that is not printable ASCII with a dot, as dmidecode does.
func printable(s string) string {
	for i := range len(s) {
		if !isPrintable(s[i]) {
			b := []byte(s)
			for i, c := range b {
				if !isPrintable(c) {
					b[i] = '.'
				}
			}
			return string(b)
		}
	}
	return s
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

func clipLine(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
