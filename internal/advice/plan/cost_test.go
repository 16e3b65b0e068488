package plan_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/advice/plan"
)

// spent is the processor time of the running thread.
func spent(t *testing.T) time.Duration {
	t.Helper()
	const thread = 1 // RUSAGE_THREAD of getrusage(2)
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(thread, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cost is what something takes the second time: allocations, and the least processor time
// of three times.
func cost(t *testing.T, do func()) (allocations float64, least time.Duration) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	allocations, least = testing.AllocsPerRun(1, do), time.Hour
	for range 3 {
		before := spent(t)
		do()
		least = min(least, spent(t)-before)
	}
	return allocations, least
}

// TestCostOfPlanning checks that planning for 64 slots takes less than half a second of processor time: the
// configurations of a capacity, including discouraged ones, and the advice for a machine that fails. They take 5 to
// 10 ms, and 50 ms with the race detector on a busy machine. Allocations, which other load does not change, have a
// closer limit.
func TestCostOfPlanning(t *testing.T) {
	const most = 500 * time.Millisecond
	p := pipeline(t)
	sys := machine(t, "fujitsu-rx600s6-class1")
	require.Len(t, sys.Slots, 64)
	target, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	for _, c := range []struct {
		gib, ways   int
		allocations float64
	}{{128, 6, 11_500}, {256, 7, 13_200}, {512, 6, 11_200}, {1024, 1, 1_600}} {
		allocations, took := cost(t, func() {
			list, _, _ := target.Ways(int64(c.gib)<<30, true)
			require.Len(t, list, c.ways)
		})
		t.Logf("%d ways to %d GiB: %.0f allocations, %v", c.ways, c.gib, allocations, took)
		require.LessOrEqual(t, allocations, c.allocations, "%d GiB", c.gib)
		require.Less(t, took, most, "%d GiB", c.gib)
	}
	populate(sys, func(_, bank string) bool { return bank[len(bank)-1] == 'A' })
	found, topo, _ := planned(t, sys, p)
	allocations, took := cost(t, func() { require.NotEmpty(t, plan.Make(sys, topo, found, p).Advice) })
	t.Logf("advice: %.0f allocations, %v", allocations, took)
	require.LessOrEqual(t, allocations, 11_500.0) // 8,936 with the race detector, whose build allocates more
	require.Less(t, took, most)
}
