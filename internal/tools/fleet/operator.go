package fleet

import "strings"

// PrometheusRule is the object of the Prometheus operator that holds the groups
// of several rule files, as written, comments included.
func PrometheusRule(files ...string) string {
	var b strings.Builder
	b.WriteString("# Made by make docs from deploy/prometheus.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n" +
		"  name: memaudit\n  namespace: memaudit\n  labels: {app.kubernetes.io/name: memaudit}\nspec:\n  groups:\n")
	for _, text := range files {
		_, groups, _ := strings.Cut(text, "\ngroups:\n")
		for line := range strings.Lines(groups) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("  ")
			}
			b.WriteString(line)
		}
	}
	return b.String()
}
