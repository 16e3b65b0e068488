package host_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// packages is a tree with n processors, each in a package of its own.
func packages(n int) hosttest.Files {
	f := hosttest.Files{"sys/devices/system/cpu/online": fmt.Sprintf("0-%d\n", n-1), "sys/devices/system/node/online": "0\n"}
	for i := range n {
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", i)
		for _, name := range []string{"thread_siblings_list", "package_cpus_list", "physical_package_id"} {
			f[at+name] = strconv.Itoa(i) + "\n"
		}
	}
	return f
}

// TestOversized checks that a tree with more processors, packages or nodes than Linux supports is refused by name,
// and that the largest supported one (in make corpus) is not.
func TestOversized(t *testing.T) {
	check := func(f hosttest.Files) error { return host.CheckSize(host.Capture(f).Root()) }
	if corpustest.Stage { // the largest take a second
		require.NoError(t, check(packages(1024)))
		require.NoError(t, check(hosttest.Machine{Sockets: 8, CoresPerSocket: 512, ThreadsPerCore: 2}.Files()))
	}
	err := check(packages(1025))
	require.ErrorIs(t, err, host.ErrOversized)
	require.ErrorContains(t, err, "1025 processor packages, at most 1024 are read")
	err = check(hosttest.Files{"sys/devices/system/cpu/online": "0-8192\n"})
	require.ErrorContains(t, err, "8193 processors online, at most 8192 are read")
	nodes := hosttest.Files{"sys/devices/system/cpu/online": "0\n"}
	for i := range 1025 {
		nodes[fmt.Sprintf("sys/devices/system/node/node%d/meminfo", i)] = "x\n"
	}
	require.ErrorContains(t, check(nodes), "1025 memory nodes, at most 1024 are read")
}
