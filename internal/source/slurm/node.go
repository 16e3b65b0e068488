// Package slurm reads how Slurm's configuration describes a node: slurm.conf, or the output of "scontrol show node".
package slurm

import (
	"fmt"
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
	for _, n := range nodes {
		hosts := n["nodehostname"] // the machine's name, if it differs from the node's
		if hosts == "" {
			hosts = n["nodename"]
		}
		if len(nodes) == 1 && !strings.ContainsAny(n["nodename"], "[,") && host == "" || host != "" && names(hosts, host) {
			return decode(file, n)
		}
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

func decode(file string, n map[string]string) (*Node, error) {
	out := &Node{Name: n["nodename"]}
	boards, perBoard := int64(1), int64(0)
	for _, f := range []struct {
		key string
		to  *int64
	}{{"realmemory", &out.RealMemoryMiB}, {"sockets", &out.Sockets}, {"corespersocket", &out.CoresPerSocket}, {"threadspercore", &out.ThreadsPerCore},
		{"boards", &boards}, {"socketsperboard", &perBoard}} {
		text, given := n[f.key]
		if !given {
			continue
		}
		value, err := strconv.ParseInt(text, 10, 48)
		if err != nil || value < 0 {
			return nil, fmt.Errorf("%s: node %s: %s=%s, expected a number", file, out.Name, f.key, text)
		}
		*f.to = value
	}
	if out.Sockets == 0 {
		out.Sockets = boards * perBoard
	}
	return out, nil
}

// logicalLines joins lines that end with a backslash and cuts comments off.
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

// names reports whether a list of hosts, n[001-128,200],login, has the host.
func names(list, host string) bool {
	host, _, _ = strings.Cut(host, ".")
	depth, from := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && depth == 0:
			if covers(list[from:i], host) {
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

// covers reports whether one entry of a list, with at most one pair of brackets, has the host.
func covers(entry, host string) bool {
	prefix, rest, ranged := strings.Cut(entry, "[")
	if !ranged {
		return entry == host
	}
	ranges, suffix, _ := strings.Cut(rest, "]")
	number, ok := strings.CutPrefix(host, prefix)
	if ok {
		number, ok = strings.CutSuffix(number, suffix)
	}
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return false
	}
	for r := range strings.SplitSeq(ranges, ",") {
		low, high, isRange := strings.Cut(r, "-")
		if !isRange {
			high = low
		}
		a, errA := strconv.Atoi(low)
		b, errB := strconv.Atoi(high)
		if errA == nil && errB == nil && len(low) == len(number) && a <= n && n <= b {
			return true
		}
	}
	return false
}
