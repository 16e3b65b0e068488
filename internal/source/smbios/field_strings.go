package smbios

import "strings"

// str reads a field with the number of a string. Leading and trailing spaces are removed, and every byte that is not
// printable ASCII is replaced by '.', as dmidecode prints it. String number 0 and an empty string are Unstated, a number
// beyond the last string is Malformed. The string may be a placeholder that the vendor left there, such as "To Be Filled
// By O.E.M.": see Placeholder.
func (f *fields) str(off int, label string) Field[string] {
	return read(f, off, 1, label, textString, func() Field[string] {
		n := f.u8(off)
		if n == 0 {
			return status[string](Unstated)
		}
		raw, ok := f.nthString(n)
		switch {
		case ok:
			return binaryString(raw)
		case f.s.cut:
			return Field[string]{} // lost with the end of the table
		}
		return status[string](Malformed)
	})
}

// nthString returns string number n, counted from 1. A string cannot be empty: an empty string area
// means that there are no strings.
func (f *fields) nthString(n int) (string, bool) {
	rest := f.s.strs
	for ; n > 1; n-- {
		_, after, ok := strings.Cut(rest, "\x00")
		if !ok {
			return "", false
		}
		rest = after
	}
	str, _, _ := strings.Cut(rest, "\x00")
	return str, str != ""
}

func binaryString(raw string) Field[string] {
	v := strings.Trim(printable(raw), " ")
	// Read from dmidecode's text this string would be Unstated too.
	if v == "" || v == notSpecified {
		return status[string](Unstated)
	}
	return known(v)
}

func textString(v string) Field[string] {
	v = strings.Trim(printable(v), " ")
	switch v {
	case "", notSpecified:
		return status[string](Unstated)
	case badIndex:
		return status[string](Malformed)
	}
	return known(v)
}

// badString returns the offset of the first field that names a string beyond the last one, and the
// number of strings. Without such a field bad is false.
func badString(s *Structure) (off, strs int, bad bool) {
	if int(s.Type) >= len(stringFields) {
		return 0, 0, false
	}
	n := countStrings(s.strs)
	for _, c := range []byte(stringFields[s.Type]) {
		if int(c) >= len(s.Data) || s.Data[c] == 0 {
			continue
		}
		if int(s.Data[c]) > n {
			return int(c), n, true
		}
	}
	return 0, 0, false
}

func countStrings(strs string) int {
	if strs == "" {
		return 0
	}
	return strings.Count(strs, "\x00") + 1
}

// stringFields lists for each type the offsets of the fields with string numbers (DSP0134
// clause 7).
var stringFields = [...]string{
	typeBIOS:         "\x04\x05\x08",
	typeSystem:       "\x04\x05\x06\x07\x19\x1A",
	typeBoard:        "\x04\x05\x06\x07\x08\x0A",
	typeChassis:      "\x04\x06\x07\x08",
	typeProcessor:    "\x04\x07\x10\x20\x21\x22",
	6:                "\x04",
	typeCache:        "\x04",
	8:                "\x04\x06",
	9:                "\x04",
	14:               "\x04",
	typeMemoryDevice: "\x10\x11\x17\x18\x19\x1A\x2B",
	22:               "\x04\x05\x06\x07\x08\x0E",
	26:               "\x04",
	27:               "\x0E",
	28:               "\x04",
	29:               "\x04",
	30:               "\x04",
	34:               "\x04",
	35:               "\x04",
	39:               "\x05\x06\x07\x08\x09\x0A\x0B",
	typeOnboard:      "\x04",
	typeTPM:          "\x12",
	typeFirmware:     "\x04\x05\x07\x09\x0A\x0B",
}
