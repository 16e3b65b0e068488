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
		r, err := parseRange(Trim(item))
		if err != nil {
			return nil, err
		}
		if len(list)+r.last-r.first+1 > maxListed {
			return nil, fmt.Errorf("list of more than %d numbers", maxListed)
		}
		list = r.append(list)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// cpuRange is the range first-last with a stride: the first used of every group CPUs.
type cpuRange struct{ first, last, used, group int }

func (r cpuRange) append(dst []int) []int {
	for n := r.first; n <= r.last; n++ {
		if (n-r.first)%r.group < r.used {
			dst = append(dst, n)
		}
	}
	return dst
}

func parseRange(item []byte) (cpuRange, error) {
	span, stride, strided := bytes.Cut(item, []byte{':'})
	first, last, isRange := bytes.Cut(span, []byte{'-'})
	r := cpuRange{used: 1, group: 1}
	var ok [4]bool
	r.first, ok[0] = smallNumber(first)
	r.last, ok[1] = r.first, true
	if isRange {
		r.last, ok[1] = smallNumber(last)
	}
	ok[2], ok[3] = true, true
	if strided {
		used, group, _ := bytes.Cut(stride, []byte{'/'})
		r.used, ok[2] = smallNumber(used)
		r.group, ok[3] = smallNumber(group)
	}
	if ok != [4]bool{true, true, true, true} || r.last < r.first || r.used < 1 || r.group < r.used || strided && !isRange {
		return r, fmt.Errorf("%q is not a range of numbers up to %d", Excerpt(item), MaxCPU)
	}
	return r, nil
}

func smallNumber(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > MaxCPU {
			return 0, false
		}
	}
	return n, len(b) > 0
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
		word, ok := hexWord(groups[i])
		if !ok {
			return nil, fmt.Errorf("%q is not a group of a CPU mask", Excerpt(groups[i]))
		}
		for base := 32 * (len(groups) - 1 - i); word != 0; word &= word - 1 {
			out = append(out, base+bits.TrailingZeros32(word))
		}
	}
	return out, nil
}

func hexWord(b []byte) (uint32, bool) {
	if len(b) == 0 || len(b) > 8 {
		return 0, false
	}
	var w uint32
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			w = w<<4 | uint32(c-'0')
		case c >= 'a' && c <= 'f':
			w = w<<4 | uint32(c-'a'+10)
		case c >= 'A' && c <= 'F':
			w = w<<4 | uint32(c-'A'+10)
		default:
			return 0, false
		}
	}
	return w, true
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
