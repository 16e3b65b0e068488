package smbios

import "strings"

// str reads a string by its number.
func (f *fields) str(off int, label string) Text {
	if f.text {
		v, ok := f.line(label)
		if !ok {
			return Text{}
		}
		return textString(v)
	}
	if !f.has(off, 1) {
		return Text{}
	}
	n := f.u8(off)
	if n == 0 {
		return Text{Status: Unstated}
	}
	raw, ok := f.nthString(n)
	switch {
	case ok:
		return binaryString(raw)
	case f.s.cut:
		return Text{} // lost with the end of the table
	}
	return Text{Status: Bad}
}

// nthString returns string number n, from 1. Empty strings cannot exist inside
// the string area, so that an empty area has none.
func (f *fields) nthString(n int) (string, bool) {
	if f.strN == 0 || n < f.strN {
		f.strN, f.strRest = 1, f.s.strs
	}
	for ; f.strN < n; f.strN++ {
		i := strings.IndexByte(f.strRest, 0)
		if i < 0 {
			return "", false
		}
		f.strRest = f.strRest[i+1:]
	}
	str := f.strRest
	if i := strings.IndexByte(str, 0); i >= 0 {
		str = str[:i]
	}
	return str, str != ""
}

// binaryString makes a Text of a string of the table.
func binaryString(raw string) Text {
	v := strings.Trim(printable(raw), " ")
	// What the text of this string would be read as.
	if v == "" || v == notSpecified {
		return Text{Raw: raw, Status: Unstated}
	}
	return Text{Value: v, Raw: raw, Status: Known}
}

// textString makes a Text of a value as dmidecode prints it.
func textString(v string) Text {
	raw := v
	v = strings.Trim(printable(v), " ")
	switch v {
	case "", notSpecified:
		return Text{Raw: raw, Status: Unstated}
	case badIndex:
		return Text{Raw: raw, Status: Bad}
	}
	return Text{Value: v, Raw: raw, Status: Known}
}

// printable replaces what is not printable ASCII by dots, as dmidecode does.
func printable(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return dotted(s)
		}
	}
	return s
}

func dotted(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}
