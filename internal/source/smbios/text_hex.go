package smbios

import "strings"

// hexDump collects the lists "Header and Data" and "Strings", which dmidecode prints for structures
// that it does not decode and, with -u, for all.
type hexDump struct {
	// in is 'd' within "Header and Data", 's' within "Strings", 0 elsewhere.
	in   byte
	data []byte
	strs []string
}

// take stores the line and returns true if it belongs to the dump.
func (h *hexDump) take(l textLine) bool {
	switch {
	case !l.item && strings.EqualFold(l.key, "Header and Data"):
		h.in = 'd'
	case !l.item && l.key == "Strings" && h.data != nil:
		h.in = 's'
	case h.in == 'd' && l.item:
		row, ok := parseHexRow(h.data, l.val)
		if !ok {
			return false
		}
		h.data = row
	case h.in == 's':
		// A string may look like an attribute when the indentation is lost.
		if !l.item {
			l.val = l.key + ": " + l.val
		}
		h.strs = append(h.strs, l.val)
	default:
		return false
	}
	return true
}

// bytes returns the formatted area and the string area, or nothing if the dump does not belong to structure
// s.
func (h *hexDump) bytes(s *Structure) ([]byte, string) {
	if len(h.data) < headerLength || h.data[0] != s.Type {
		return nil, ""
	}
	return h.data[:min(len(h.data), int(s.Length))], h.stringArea()
}

// stringArea joins the strings. With -u each string is printed twice: first its bytes in rows up to
// the zero, then its text.
func (h *hexDump) stringArea() string {
	if area, ok := h.hexStrings(); ok {
		return area
	}
	return strings.Join(h.strs, "\x00")
}

// hexStrings reads strings in the form that -u prints; ok is false when they have another form.
func (h *hexDump) hexStrings() (area string, ok bool) {
	var all []byte
	for i := 0; i < len(h.strs); {
		start, closed := len(all), false
		for ; i < len(h.strs) && !closed; i++ {
			row, ok := parseHexRow(all, h.strs[i])
			if !ok {
				return "", false
			}
			all = row
			closed = all[len(all)-1] == 0
		}
		if !closed {
			return "", false
		}
		// The text follows. The line of a string of spaces may have been lost.
		blank := strings.Trim(string(all[start:]), " \x00") == ""
		if i < len(h.strs) && (!blank || h.strs[i] == " ") {
			i++
		}
	}
	return strings.TrimSuffix(string(all), "\x00"), len(all) > 0
}
