package fleet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestPodMonitor checks that machines are named by their node.
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

// TestKubernetesScrapeExample checks that machines are named by their node without the operator too, and that only
// memaudit's own port is scraped.
func TestKubernetesScrapeExample(t *testing.T) {
	var config struct {
		Jobs []struct {
			Name       string                  `yaml:"job_name"`
			Discovered []struct{ Role string } `yaml:"kubernetes_sd_configs"`
			Relabel    []struct {
				Source []string `yaml:"source_labels"`
				Regex  string
				Action string
				Target string `yaml:"target_label"`
			} `yaml:"relabel_configs"`
		} `yaml:"scrape_configs"`
	}
	decode(t, filepath.Join(root, "deploy", "kubernetes", "monitoring", "scrape.example.yml"), &config)
	require.Len(t, config.Jobs, 1)
	job := config.Jobs[0]
	assert.Equal(t, "memaudit", job.Name, "the alerts look for this job")
	require.Len(t, job.Discovered, 1)
	assert.Equal(t, "pod", job.Discovered[0].Role)
	require.Len(t, job.Relabel, 2)
	assert.Equal(t, "keep", job.Relabel[0].Action)
	assert.Equal(t, []string{"__meta_kubernetes_pod_label_app_kubernetes_io_name", "__meta_kubernetes_pod_container_port_name"}, job.Relabel[0].Source)
	assert.Equal(t, []string{"__meta_kubernetes_pod_node_name"}, job.Relabel[1].Source)
	assert.Equal(t, "instance", job.Relabel[1].Target)

	// The manifest's pods carry what the job keeps.
	data, err := os.ReadFile(filepath.Join(root, "deploy", "kubernetes", "base", "memaudit.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(data), "      labels: {app.kubernetes.io/name: memaudit}\n")
	assert.Contains(t, string(data), "- {name: metrics, containerPort: 9822}")
	assert.Equal(t, "memaudit;metrics", job.Relabel[0].Regex)
}
