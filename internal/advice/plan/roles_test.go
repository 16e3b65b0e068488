package plan_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/rules"
)

var (
	builtin = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadCompiled(rules.FS) })
	// builtinEngine plans its expressions once for all tests, which do not run in parallel.
	builtinEngine = sync.OnceValues(func() (*audit.Engine, error) {
		packs, err := builtin()
		return audit.NewEngine(packs), err
	})
	roles = sync.OnceValue(func() func(string) verdict.Role {
		engine, err := builtinEngine()
		if err != nil {
			panic(err)
		}
		return engine.Role
	})
)

// concerns reports whether a rule is about the layout.
func concerns(rule string) bool { return roles()(rule).Layout }

// TestRolesOfRules lists the roles of the rules in planning: rules of memory are about the layout except those that
// check the running state, and rules of one id have one role.
func TestRolesOfRules(t *testing.T) {
	running := []string{
		"memory.capacity.visible", "memory.ras.cost", "memory.mapping.consistent",
		"memory.errors.corrected", "memory.errors.uncorrected", "memory.module.complete", "memory.module.counted", "memory.module.health", "memory.module.running", "memory.module.working", "numa.node.memory",
	}
	packs, err := builtin()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, pack := range packs {
		for _, r := range pack.Rules {
			area, _, _ := strings.Cut(r.ID, ".")
			runs := slices.Contains(running, r.ID) || area == "measure" || area == "baseline"
			modules, told := r.ID == "memory.ecc.active", r.ID == "memory.speed.expected"
			want := verdict.Role{Running: runs, Told: told, Modules: modules, Nodes: r.ID == "numa.node.memory",
				Layout: !runs && !told && !modules && area == "memory" && r.ID != "memory.socket.positions" || r.ID == "numa.subnuma.symmetric",
				Order:  r.ID == "memory.slot.order", Permits: r.ID == "memory.count.supported",
				Purchase: r.ID == "memory.channel.populated" || r.ID == "memory.class.optimal"}
			assert.Equal(t, want, roles()(r.ID), "planning of %s: a rule memory.* says layout, unless a list of this test has it", r.ID)
			assert.Equal(t, want == verdict.Role{}, len(r.Planning) == 0, "%s: every rule of the id says its role", r.ID)
			seen[r.ID] = true
		}
	}
	assert.Greater(t, len(seen), 40)
	assert.Zero(t, roles()("site.own.rule"), "a rule without the word is none of a plan's")
}
