package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExchangesWait: what leaves a slot and what comes into it are one step, but not where
// another module stands there in between: the new one would be put on top of it.
func TestExchangesWait(t *testing.T) {
	remove := Step{Do: Remove, From: 1, To: none, Like: none}
	install := Step{Do: Install, From: none, To: 1, Like: 4}
	require.Equal(t, []Step{{Do: Exchange, From: 1, To: 1, Like: 4}}, exchanges([]Step{remove, install}))
	waiting := []Step{remove, {Do: Move, From: 2, To: 1, Like: none}, {Do: Move, From: 3, To: 2, Like: none}, {Do: Move, From: 1, To: 3, Like: none}, install}
	require.Equal(t, waiting, exchanges(waiting))
}
