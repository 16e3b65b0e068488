package host

import (
	"errors"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// The largest machine that is read.
const (
	// maxCPUs is Linux's own limit (NR_CPUS_RANGE_END in arch/x86/Kconfig;
	// other architectures have less).
	maxCPUs = 1 << 13
	// maxPackages: Linux has at most 1,024 nodes (NODES_SHIFT is at most 10,
	// arch/x86/Kconfig), and a package is at least one.
	maxPackages = maxNodes
)

// ErrOversized says that the tree describes more than any machine has.
var ErrOversized = errors.New("more than any machine has")

// CheckSize refuses a tree that describes more than any machine has: the cost of an audit grows
// with the numbers of processors and nodes.
func CheckSize(root *Root) error {
	r := newReader(root)
	online := r.online()
	if n := len(online.V); n > maxCPUs {
		return oversized(online.Path, n, "processors online", maxCPUs)
	}
	if nodes := r.numbered(nodeDir, "node"); len(nodes.V) > maxNodes {
		return oversized(nodes.Path, len(nodes.V), "memory nodes", maxNodes)
	}
	if len(online.V) <= maxPackages {
		return nil
	}
	if packages := r.packages(online.V); len(packages.V) > maxPackages {
		return oversized(packages.Path, len(packages.V), "processor packages", maxPackages)
	}
	return nil
}

func oversized(path string, n int, what string, most int) error {
	return &ReadError{Op: "read", Path: path, State: fact.Refused, Err: fmt.Errorf("%w: %d %s, at most %d are read", ErrOversized, n, what, most)}
}
