package facts

import (
	"runtime"
	"testing"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrepare: conditions are planned once, those that nothing was parsed of ahead of
// time when they are asked for, and Get waits for what is under way.
func TestPrepare(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("one processor: nothing is prepared beside the caller")
	}
	begin, planned := make(chan struct{}), map[string]int{}
	x := Programs{Ahead: func(src string) (cel.Program, bool, error) {
		<-begin
		planned[src]++
		if src != "machine.virtual" {
			return nil, false, nil
		}
		p, err := CompileExpr(src, types.BoolType)
		return p, true, err
	}}
	x.Prepare([]string{"machine.virtual", "machine.virtual", "1 > 2"})
	close(begin)
	for range 2 {
		for _, src := range []string{"machine.virtual", "1 > 2"} {
			p, err := x.Get(src, types.BoolType)
			require.NoError(t, err)
			assert.NotNil(t, p)
		}
	}
	assert.Equal(t, map[string]int{"machine.virtual": 1, "1 > 2": 2}, planned)
	_, err := x.Get("1 +", types.BoolType)
	require.Error(t, err)
	x = Programs{}
	x.Prepare([]string{"machine.virtual"})
	p, err := x.Get("machine.virtual", types.BoolType)
	require.NoError(t, err)
	assert.NotNil(t, p, "nothing was parsed ahead of time")
}
