package fleet

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPrometheusRule checks that the operator's object has exactly the groups of the rule files.
func TestPrometheusRule(t *testing.T) {
	type content struct{ Groups []any }
	var want []any
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		var c content
		decode(t, filepath.Join(root, "deploy", "prometheus", name), &c)
		want = append(want, c.Groups...)
	}
	var object struct {
		Kind string
		Spec content
	}
	decode(t, filepath.Join(root, "deploy", "kubernetes", "monitoring", "prometheusrule.yaml"), &object)
	assert.Equal(t, "PrometheusRule", object.Kind)
	assert.Equal(t, want, object.Spec.Groups, "go generate ./... rewrites it")
}
