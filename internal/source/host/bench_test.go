package host_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// bigMachines are the sizes of the benchmarks, by number of CPUs.
var bigMachines = []hosttest.Machine{
	{Sockets: 2, NodesPerSocket: 4, CoresPerSocket: 64, ThreadsPerCore: 2, L3PerSocket: 8, Alternate: true, Policies: true},
	{Sockets: 4, NodesPerSocket: 2, CoresPerSocket: 64, ThreadsPerCore: 2, L3PerSocket: 8, Policies: true},
	{Sockets: 8, NodesPerSocket: 2, CoresPerSocket: 64, ThreadsPerCore: 2, L3PerSocket: 8, Policies: true},
	{Sockets: 8, NodesPerSocket: 2, CoresPerSocket: 128, ThreadsPerCore: 2, L3PerSocket: 16, Policies: true},
}

func BenchmarkReadAll(b *testing.B) {
	for _, m := range bigMachines {
		b.Run(fmt.Sprintf("cpus=%d", m.CPUs()), func(b *testing.B) {
			dir := m.Files().Write(b)
			root, err := host.OpenDir(dir)
			require.NoError(b, err)
			defer root.Close()
			b.ReportAllocs()
			for b.Loop() {
				f := host.ReadAll(root)
				require.Equal(b, fact.OK, f.CPU.Packages.State)
			}
		})
	}
}
