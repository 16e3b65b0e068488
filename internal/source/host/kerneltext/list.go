// Package kerneltext parses the kernel's text formats: lists and masks of CPUs, sizes, /proc/cpuinfo,
// /proc/meminfo, the command line and the log. It does not read files.
package kerneltext

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// MaxCPU is the largest CPU or node number taken; the kernel's own limit (CONFIG_NR_CPUS) is 8,192 on x86.
const MaxCPU = 1<<16 - 1

// maxListed bounds the numbers written out before duplicates are removed.
const maxListed = 1 << 18

// ParseCPUList parses the kernel's list format "0-3,8,10-11", also with a stride, "0-31:2/4" (the first 2
// of every 4; Documentation/admin-guide/kernel-parameters.rst). Spaces around the list and NUL bytes after
// it are ignored; "" is the empty set. The result is sorted and without duplicates. Numbers above MaxCPU,
// reversed ranges and any other text are errors.
func ParseCPUList(b []byte) ([]int, error) {
	var list []int
	rest := Trim(b)
	for len(rest) > 0 {
		var item []byte
		var more bool
		item, rest, more = bytes.Cut(rest, []byte{','})
		if more && len(Trim(rest)) == 0 {
			return nil, fmt.Errorf("list %q ends in a comma", Excerpt(b))
		}
		var err error
		if list, err = appendRange(list, Trim(item)); err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func appendRange(list []int, item []byte) ([]int, error) {
	span, stride, strided := bytes.Cut(item, []byte{':'})
	low, high, isRange := bytes.Cut(span, []byte{'-'})
	first, ok := smallNumber(low)
	last, used, group := first, 1, 1
	if isRange {
		var known bool
		last, known = smallNumber(high)
		ok = ok && known
	}
	if strided { // the first used of every group CPUs
		u, g, _ := bytes.Cut(stride, []byte{'/'})
		var known [2]bool
		used, known[0] = smallNumber(u)
		group, known[1] = smallNumber(g)
		ok = ok && isRange && known == [2]bool{true, true}
	}
	if !ok || last < first || used < 1 || group < used {
		return nil, fmt.Errorf("%q is not a range of numbers up to %d", Excerpt(item), MaxCPU)
	}
	if len(list)+last-first+1 > maxListed {
		return nil, fmt.Errorf("list of more than %d numbers", maxListed)
	}
	for n := first; n <= last; n++ {
		if (n-first)%group < used {
			list = append(list, n)
		}
	}
	return list, nil
}

func smallNumber(b []byte) (int, bool) {
	n, err := strconv.ParseUint(string(b), 10, 16)
	return int(n), err == nil
}

// ParseCPUMask parses the kernel's mask format "00000000,0000ffff": groups of
// 32 bits in hexadecimal, the highest first.
func ParseCPUMask(b []byte) ([]int, error) {
	groups := bytes.Split(Trim(b), []byte{','})
	if len(groups) > (MaxCPU+1)/32 {
		return nil, fmt.Errorf("mask of %d groups", len(groups))
	}
	var out []int
	for i := len(groups) - 1; i >= 0; i-- {
		word, err := strconv.ParseUint(string(groups[i]), 16, 32)
		if err != nil || len(groups[i]) > 8 {
			return nil, fmt.Errorf("%q is not a group of a CPU mask", Excerpt(groups[i]))
		}
		for base := 32 * (len(groups) - 1 - i); word != 0; word &= word - 1 {
			out = append(out, base+bits.TrailingZeros64(word))
		}
	}
	return out, nil
}

// Trim removes blanks at both ends and the NUL bytes that some captures leave after a value.
func Trim(b []byte) []byte { return bytes.Trim(b, " \n\x00\t\r") }

// Excerpt keeps a quotation in an error short.
func Excerpt(b []byte) []byte { return b[:min(len(b), 64)] }

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
