// Package slurm reads how Slurm's configuration describes a node: slurm.conf, or the output of "scontrol show node".
package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Node is a node as Slurm's configuration has it (slurm.conf(5), NODE CONFIGURATION). A count that is not given is 0.
type Node struct {
	Name string
	// RealMemoryMiB is the memory that jobs may use, in MiB (Slurm's "megabytes").
	RealMemoryMiB int64
	// Sockets, CoresPerSocket and ThreadsPerCore are what slurmd must find at least.
	Sockets, CoresPerSocket, ThreadsPerCore int64
}

const (
	// MaxBytes is the longest input.
	MaxBytes = 16 << 20
	maxNodes = 1 << 16
)

// Decode returns the node with the given host name, which may be empty if the text describes one node.
// Errors name the file and the line.
func Decode(file string, text []byte, host string) (*Node, error) {
	var nodes []map[string]string
	defaults := map[string]string{}
	included := false
	for i, line := range logicalLines(string(text)) {
		var node map[string]string
		for _, word := range strings.Fields(line) {
			key, value, ok := strings.Cut(word, "=")
			key = strings.ToLower(key)
			switch {
			case key == "include":
				included = true
			case !ok:
			case key == "nodename" && strings.EqualFold(value, "default"):
				node = defaults
			case key == "nodename":
				if len(nodes) == maxNodes {
					return nil, fmt.Errorf("%s:%d: more than %d nodes", file, i+1, maxNodes)
				}
				node = map[string]string{"nodename": value}
				for k, v := range defaults {
					node[k] = v
				}
				nodes = append(nodes, node)
			case node != nil:
				node[key] = value
			case len(nodes) > 0 && (line[0] == ' ' || line[0] == '\t'): // scontrol's next lines
				nodes[len(nodes)-1][key] = value
			}
		}
	}
	if n := find(nodes, host); n != nil {
		return decodeNode(file, n)
	}
	why := "no line for the node " + strconv.Quote(host)
	switch {
	case len(nodes) == 0:
		why = "no NodeName="
	case host == "":
		why = "several nodes, and the machine's name is not known: give the output of scontrol show node NAME"
	}
	if included {
		why += "; Include is not followed"
	}
	return nil, fmt.Errorf("%s: %s; expected slurm.conf or the output of scontrol show node", file, why)
}

// find returns the node of this host: the one that a list of host names names exactly or, if none does and the host's
// domain or the list's is left out, the one whose name without the domain is equal.
func find(nodes []map[string]string, host string) map[string]string {
	if host == "" {
		if len(nodes) == 1 && !strings.ContainsAny(nodes[0]["nodename"], "[,") {
			return nodes[0]
		}
		return nil
	}
	for _, withoutDomain := range []bool{false, true} {
		for _, n := range nodes {
			hosts := cmp.Or(n["nodehostname"], n["nodename"]) // the machine's name, if it differs from the node's
			if listsHost(hosts, host, withoutDomain) {
				return n
			}
		}
	}
	return nil
}

// The widths of slurm.conf's numbers: counts of sockets, cores and threads are of 16 bits in Slurm, and no node has 4 EiB
// of memory. No product of them overflows.
const (
	countBits  = 16
	memoryBits = 42
)

func decodeNode(file string, n map[string]string) (*Node, error) {
	out := &Node{Name: n["nodename"]}
	boards, perBoard := int64(1), int64(0)
	for _, f := range []struct {
		key  string
		to   *int64
		bits int
	}{{"realmemory", &out.RealMemoryMiB, memoryBits}, {"sockets", &out.Sockets, countBits}, {"corespersocket", &out.CoresPerSocket, countBits},
		{"threadspercore", &out.ThreadsPerCore, countBits}, {"boards", &boards, countBits}, {"socketsperboard", &perBoard, countBits}} {
		text, given := n[f.key]
		if !given {
			continue
		}
		value, err := strconv.ParseUint(text, 10, f.bits)
		if err != nil {
			return nil, fmt.Errorf("%s: node %s: %s=%s, expected a number from 0 to %d", file, out.Name, f.key, text, int64(1)<<f.bits-1)
		}
		*f.to = int64(value)
	}
	out.Sockets = cmp.Or(out.Sockets, boards*perBoard)
	return out, nil
}

func logicalLines(text string) []string {
	var out []string
	more := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		line, next := strings.CutSuffix(line, "\\")
		if more {
			out[len(out)-1] += " " + line
		} else {
			out = append(out, line)
		}
		more = next
	}
	return out
}

// listsHost reports whether a list of hosts, n[001-128,200],x[1-4]c[0-7],login, has the host. Without the domains, entry and
// host are compared up to their first dot if either has only that part.
func listsHost(list, host string, withoutDomain bool) bool {
	depth, from := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && depth == 0:
			entry := list[from:i]
			if withoutDomain && entryHasHost(shortName(entry), shortName(host)) && (shortName(entry) == entry || shortName(host) == host) || entryHasHost(entry, host) {
				return true
			}
			from = i + 1
		case list[i] == '[':
			depth++
		case list[i] == ']':
			depth--
		}
	}
	return false
}

// shortName cuts a domain off; what has brackets behind the dot is a part of the name.
func shortName(host string) string {
	name, domain, _ := strings.Cut(host, ".")
	if strings.Contains(domain, "[") {
		return host
	}
	return name
}

// entryHasHost reports whether one entry of a list, with any number of brackets, has the host. Ranges are compared, never
// expanded: reached holds where in the host the entry may have got to, so time does not grow with the size of a range
// or with the ways to divide the host's digits among the brackets.
func entryHasHost(entry, host string) bool {
	reached := []int{0}
	for entry != "" && len(reached) > 0 {
		literal, rest, bracket := strings.Cut(entry, "[")
		var next []int
		for _, at := range reached {
			if strings.HasPrefix(host[at:], literal) {
				next = append(next, at+len(literal))
			}
		}
		reached, entry = next, ""
		if bracket {
			var ranges string
			ranges, entry, _ = strings.Cut(rest, "]")
			reached = afterNumbers(reached, ranges, host)
		}
	}
	return slices.Contains(reached, len(host))
}

// afterNumbers returns where in the host a number of these ranges (1-3,7) ends that begins at one of the positions. The
// low end gives the number of digits: 001-128 has 001 and not 1, 1-128 has 1 and not 001.
func afterNumbers(begins []int, ranges, host string) []int {
	var ends []int
	for r := range strings.SplitSeq(ranges, ",") {
		low, high, isRange := strings.Cut(r, "-")
		if !isRange {
			high = low
		}
		first, errFirst := strconv.ParseUint(low, 10, 64)
		last, errLast := strconv.ParseUint(high, 10, 64)
		if errFirst != nil || errLast != nil {
			continue
		}
		for _, begin := range begins {
			for end := begin + 1; end <= len(host) && host[end-1] >= '0' && host[end-1] <= '9'; end++ {
				number := host[begin:end]
				n, err := strconv.ParseUint(number, 10, 64)
				padded := len(number) == len(low) || len(number) > len(low) && number[0] != '0'
				if err == nil && padded && first <= n && n <= last && !slices.Contains(ends, end) {
					ends = append(ends, end)
				}
			}
		}
	}
	return ends
}
