package fleet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestPrometheusRule: the operator's object holds exactly the groups of the rule
// files.
func TestPrometheusRule(t *testing.T) {
	type content struct{ Groups []any }
	var texts []string
	var want []any
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		data, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", name))
		require.NoError(t, err)
		var c content
		require.NoError(t, yaml.Unmarshal(data, &c))
		texts, want = append(texts, string(data)), append(want, c.Groups...)
	}
	made := PrometheusRule(texts...)
	file := filepath.Join(root, "deploy", "kubernetes", "monitoring", "prometheusrule.yaml")
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, made, string(have), "make docs rewrites it")
	var object struct {
		Kind string
		Spec content
	}
	require.NoError(t, yaml.Unmarshal(have, &object))
	assert.Equal(t, "PrometheusRule", object.Kind)
	assert.Equal(t, want, object.Spec.Groups)
}

// TestPodMonitor: machines are named by their node.
func TestPodMonitor(t *testing.T) {
	var object struct {
		Kind string
		Spec struct {
			Endpoints []struct {
				Port        string
				Relabelings []struct {
					Source []string `yaml:"sourceLabels"`
					Target string   `yaml:"targetLabel"`
				}
			} `yaml:"podMetricsEndpoints"`
		}
	}
	decode(t, filepath.Join(root, "deploy", "kubernetes", "monitoring", "podmonitor.yaml"), &object)
	require.Equal(t, "PodMonitor", object.Kind)
	require.Len(t, object.Spec.Endpoints, 1)
	assert.Equal(t, "metrics", object.Spec.Endpoints[0].Port)
	assert.Equal(t, []string{"__meta_kubernetes_pod_node_name"}, object.Spec.Endpoints[0].Relabelings[0].Source)
	assert.Equal(t, "instance", object.Spec.Endpoints[0].Relabelings[0].Target)
}
