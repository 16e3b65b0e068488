//go:build e2e && nightly

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alertmanagerConfig is the example.
var alertmanagerConfig = filepath.Join(prometheusDir, "alertmanager.example.yml")

// TestAlertmanagerRoutes checks that amtool reads the example and finds a receiver for the alerts' labels.
func TestAlertmanagerRoutes(t *testing.T) {
	amtool := needProgram(t, "amtool")
	for _, args := range [][]string{{"check-config", alertmanagerConfig},
		{"config", "routes", "test", "--config.file", alertmanagerConfig, "--verify.receivers=fleet", "alertname=MemauditCritical", "severity=critical"},
		{"config", "routes", "test", "--config.file", alertmanagerConfig, "--verify.receivers=fleet", "alertname=MemauditBiosDrift", "severity=info"}} {
		out, err := exec.Command(amtool, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestAlertmanagerGroups checks that one cause on a hundred machines is one group, and that alerts implied by another
// are inhibited.
func TestAlertmanagerGroups(t *testing.T) {
	address := freeAddress(t)
	startProcess(t, exec.Command(needProgram(t, "prometheus-alertmanager"), "--config.file", alertmanagerConfig, "--storage.path", t.TempDir(), "--web.listen-address", address,
		"--cluster.listen-address=", "--log.level=error"))
	base := "http://" + address + "/api/v2/"
	waitFor(t, 30*time.Second, "Alertmanager", func() bool {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
	alert := func(name, severity, instance string, more ...string) map[string]any {
		labels := map[string]string{"alertname": name, "severity": severity, "job": "memaudit", "instance": instance}
		for i := 0; i+1 < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		return map[string]any{"labels": labels}
	}
	var alerts []map[string]any
	for i := range 100 {
		alerts = append(alerts, alert("MemauditWarning", "warning", fmt.Sprintf("n%d:9822", i), "rule", "memory.channel.populated"))
	}
	alerts = append(alerts, alert("MemauditSourceDown", "warning", "denied:9822", "source", "smbios"), alert("MemauditUnknown", "warning", "denied:9822"),
		alert("MemauditAuditIncomplete", "warning", "denied:9822"), alert("MemauditUnknown", "warning", "other:9822"),
		alert("MemauditWarning", "warning", "lost:9822", "rule", "baseline.changed"), alert("MemauditMemoryShrunk", "warning", "lost:9822"),
		alert("MemauditAbsent", "critical", "", "cluster", "east"), alert("MemauditVanished", "warning", "of-east:9822", "cluster", "east"),
		alert("MemauditVanished", "warning", "of-west:9822", "cluster", "west"))
	body, err := json.Marshal(alerts)
	require.NoError(t, err)
	resp, err := http.Post(base+"alerts", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)

	var groups []struct {
		Labels map[string]string
		Alerts []struct{ Labels map[string]string }
	}
	ask := func(query string) {
		groups = nil
		resp, err := http.Get(base + "alerts/groups" + query)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&groups))
	}
	active := func() map[string]int {
		ask("?inhibited=false")
		out := map[string]int{}
		for _, g := range groups {
			out[g.Labels["alertname"]+" "+g.Labels["rule"]+g.Labels["source"]] = len(g.Alerts)
		}
		return out
	}
	waitFor(t, 30*time.Second, "groups", func() bool { return len(active()) == 6 })
	assert.Equal(t, map[string]int{"MemauditWarning memory.channel.populated": 100, "MemauditSourceDown smbios": 1, "MemauditUnknown ": 1,
		"MemauditWarning baseline.changed": 1, "MemauditAbsent ": 1, "MemauditVanished ": 1}, active())
}
