// Package want defines expected facts for tests.
package want

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
)

// Fact is what a fact must be: a value with its certainty, or a state with a
// part of its reason.
type Fact[T any] struct {
	value     T
	certainty fact.Certainty
	State     fact.State
	Reason    string
}

// Is expects a value with its certainty.
func Is[T any](v T, c fact.Certainty) Fact[T] {
	return Fact[T]{value: v, certainty: c, State: fact.OK}
}

// Not expects no value, with a reason that contains this text.
func Not[T any](s fact.State, reason string) Fact[T] {
	return Fact[T]{State: s, Reason: reason}
}

// Check compares a fact with the expected one. A known fact must have evidence, an unknown one a reason.
func (w Fact[T]) Check(t *testing.T, got fact.Fact[T]) {
	t.Helper()
	if !assert.Equal(t, Fact[T]{w.value, w.certainty, w.State, ""}, Fact[T]{got.Value, got.Certainty, got.State, ""}, got.Reason) {
		return
	}
	if got.Known() {
		assert.NotEmpty(t, got.Evidence(), "a known fact without evidence")
		assert.Empty(t, got.Reason)
		return
	}
	assert.NotEmpty(t, w.Reason, "the test must name the reason")
	assert.Contains(t, got.Reason, w.Reason)
}
