package smbios

import (
	"strconv"
	"strings"
)

func leadingInt(v string) (int64, string, bool) {
	i := 0
	for i < len(v) && v[i] >= '0' && v[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(v[:i], 10, 64)
	return n, v[i:], err == nil
}

// parseHex reads the digits of "0x1F" up to the first character that is not a hexadecimal digit.
func parseHex(v string) (uint64, bool) {
	v, ok := strings.CutPrefix(v, "0x")
	if !ok {
		return 0, false
	}
	i := 0
	for i < len(v) && hexDigit(v[i]) >= 0 {
		i++
	}
	n, err := strconv.ParseUint(v[:i], 16, 64)
	return n, err == nil
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// sizeUnits are the binary logarithms of the units that dmidecode prints after sizes. dmidecode always
// counts in powers of two: version 3.7 only changed the letters from GB to GiB.
var sizeUnits = map[string]int{
	"bytes": 0, "byte": 0, "B": 0,
	"kB": 10, "KB": 10, "kbytes": 10, "K": 10, "KiB": 10, "kiB": 10,
	"MB": 20, "Mbyte": 20, "M": 20, "MiB": 20,
	"GB": 30, "G": 30, "GiB": 30,
	"TB": 40, "TiB": 40,
	"PB": 50, "PiB": 50,
	"EB": 60, "EiB": 60,
}

// parseSize converts a size such as "16 GB" or "16 GiB" to bytes.
func parseSize(v string) (int64, bool) {
	n, unit, ok := leadingInt(v)
	if !ok {
		return 0, false
	}
	shift, known := sizeUnits[strings.Trim(unit, " ")]
	if !known || n > (1<<62)>>shift {
		return 0, false
	}
	return n << shift, true
}

// sizeField converts a printed size to a Field in bytes; "None" is a known size of 0.
func sizeField(v string) Field[int64] {
	if st := textStatus(v); st != Known {
		return status[int64](st)
	}
	if v == "None" {
		return known[int64](0)
	}
	n, ok := parseSize(v)
	if !ok {
		return unreadable[int64](v)
	}
	return known(n)
}

func textStatus(v string) Status {
	switch v {
	case "", "Unknown", notSpecified, "Not Provided", "Unspecified", "Not Present", "Not Settable", "No Error":
		return Unstated
	case outOfSpec, badIndex:
		return Malformed
	}
	return Known
}

// parseHexRow appends the bytes of "CA 1D 3A 00" to b.
func parseHexRow(b []byte, row string) ([]byte, bool) {
	n := len(b)
	for i := 0; i < len(row); i += 3 {
		if i+1 >= len(row) || i+2 < len(row) && row[i+2] != ' ' {
			return b[:n], false
		}
		hi, lo := hexDigit(row[i]), hexDigit(row[i+1])
		if hi < 0 || lo < 0 {
			return b[:n], false
		}
		b = append(b, byte(hi<<4|lo))
	}
	return b, len(b) > n
}

// What dmidecode prints in place of a value.
const (
	notSpecified = "Not Specified"
	badIndex     = "<BAD INDEX>"
	outOfSpec    = "<OUT OF SPEC>"
)
