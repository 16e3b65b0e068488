package kerneltext

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ParseSize parses a size with a binary unit as the kernel prints it: "48K", "1024 kB", "8 MB", "2G"; without a unit
// the number counts bytes. The result is in bytes.
func ParseSize(b []byte) (int64, error) {
	b = Trim(b)
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(string(b[:i]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size", Excerpt(b))
	}
	shift, ok := unitShifts[string(bytes.TrimSpace(b[i:]))]
	if !ok {
		return 0, fmt.Errorf("%q has an unknown unit", Excerpt(b))
	}
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q overflows", Excerpt(b))
	}
	return n << shift, nil
}

var unitShifts = map[string]uint{"": 0, "B": 0, "bytes": 0, "K": 10, "k": 10, "kB": 10, "KB": 10, "KiB": 10, "M": 20, "MB": 20, "MiB": 20,
	"G": 30, "GB": 30, "GiB": 30, "T": 40, "TB": 40, "TiB": 40}

// ParseInts parses numbers separated by blanks, at most limit of them, as nodeN/distance has them.
func ParseInts(b []byte, limit int) ([]int, error) {
	fields := bytes.Fields(Trim(b))
	if len(fields) == 0 {
		return nil, errors.New("no number")
	}
	if len(fields) > limit {
		return nil, fmt.Errorf("%d numbers, at most %d were expected", len(fields), limit)
	}
	out := make([]int, len(fields))
	for i, f := range fields {
		n, ok := smallNumber(f)
		if !ok {
			return nil, fmt.Errorf("%q is not a number", Excerpt(f))
		}
		out[i] = n
	}
	return out, nil
}

// ParseMeminfo returns one entry of /proc/meminfo or nodeN/meminfo in bytes: "MemTotal:  8386704 kB", there after "Node
// 0 ". found is false when the key is not in the text.
func ParseMeminfo(b []byte, key string) (size int64, line string, found bool, err error) {
	for raw := range bytes.Lines(b) {
		text := bytes.TrimSpace(raw)
		rest := text
		if bytes.HasPrefix(rest, []byte("Node ")) {
			if _, after, ok := bytes.Cut(rest[5:], []byte{' '}); ok {
				rest = after
			}
		}
		name, value, ok := bytes.Cut(rest, []byte{':'})
		if !ok || string(bytes.TrimSpace(name)) != key {
			continue
		}
		size, err = ParseSize(value)
		return size, string(Excerpt(text)), true, err
	}
	return 0, "", false, nil
}
