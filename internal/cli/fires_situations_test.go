package cli

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// beside are machines with additional input: a measured file, an export of settings, a BMC.
var beside = []situation{
	{"a socket that reads less than its twin", []string{"measure.socket.asymmetric"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--measured", measuredFile(t, "PowerEdge R610", 12, 20e9, 14e9)}
	}},
	{"memory that was faster when it was accepted", []string{"measure.baseline.dropped"}, func(t *testing.T) []string {
		root := tree(t, "dell-r610-good")
		return []string{"--root", root, "--measured", measuredFile(t, "PowerEdge R610", 12, 17e9, 17e9),
			"--baseline", saveBaseline(t, "--root", root, "--measured", measuredFile(t, "PowerEdge R610", 12, 20e9, 20e9))}
	}},
	{"a node that reads half of its peak", []string{"measure.bandwidth.share"}, func(t *testing.T) []string {
		const brand = "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz"
		return []string{"--root", tree(t, "dell-r610-good"), "--smbios", supermicro(t, brand, [3]int{6, 62, 4}, 10, false, 2400),
			"--measured", measuredFile(t, "SYS-1028R-WTRT", 20, 25e9, 25e9)}
	}},
	{"a table of another machine", []string{"firmware.smbios.own"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--smbios", supermicro(t, "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", [3]int{6, 79, 1}, 14, true, 2400)}
	}},
	{"a module without a running speed whose memory is missing", []string{"memory.module.working", "memory.capacity.visible"}, func(t *testing.T) []string {
		return []string{"--root", fiveModules(t, smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"})}
	}},
	{"a module that the BMC calls broken", []string{"memory.module.health"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--redfish", controllerOf(t), "--redfish-insecure",
			"--redfish-credentials", private(t, "username: auditor\npassword: s3cr3t\n")}
	}},
	{"a SOCAMM module that is missing", []string{"memory.module.complete"}, func(t *testing.T) []string {
		file := filepath.Join(t.TempDir(), "vera.txt")
		require.NoError(t, os.WriteFile(file, []byte(vera(1, "CAMM", 192, 192, 192, 192, 192, 192, 192, 0)), 0o600))
		return []string{"--smbios", file}
	}},
	{"a NUMA part without memory", []string{"numa.subnuma.symmetric"}, func(t *testing.T) []string {
		return []string{"--smbios", supermicro(t, "AMD EPYC 7742 64-Core Processor", [3]int{23, 49, 0}, 64, false, 2400),
			"--bios", export(t, "sub_numa: nps4\n")}
	}},
}

// private is a file that only its owner may read.
func private(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "private.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// measuredFile is the output of memaudit measure for a machine whose nodes read this many bytes per second, in seven
// passes that agree.
func measuredFile(t *testing.T, product string, threads int, rates ...float64) string {
	t.Helper()
	huge, quiet := true, 0.0
	r := measure.Result{Schema: measure.Schema, GeneratedAt: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC).Format(time.RFC3339),
		Machine: []byte(`{"product":` + strconv.Quote(product) + `}`), Kernel: measure.Kernels, HugePages: &huge, Notes: []string{}}
	for node, rate := range rates {
		c := measure.Cell{CPUNode: node, MemoryNode: node, Threads: threads}
		for pass := range 7 {
			seconds := float64(threads)
			c.Passes = append(c.Passes, measure.Pass{Kind: figure.Read, Value: rate * (1 + float64(pass)/1000), Wall: seconds, CPU: seconds,
				Steal: &quiet, Stall: &quiet, Foreign: &quiet, Clock: 8e8})
		}
		r.Nodes = append(r.Nodes, c)
	}
	text, err := r.Encode()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "measured.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// controllerOf is a BMC that calls one module of a PowerEdge R610
// critical.
func controllerOf(t *testing.T) string {
	t.Helper()
	resources := map[string]string{
		"/redfish/v1/":                 `{"RedfishVersion":"1.6.0","Systems":{"@odata.id":"/redfish/v1/Systems"}}`,
		"/redfish/v1/Systems":          `{"Members":[{"@odata.id":"/redfish/v1/Systems/1"}]}`,
		"/redfish/v1/Systems/1":        `{"Manufacturer":"Dell Inc.","Model":"PowerEdge R610","Memory":{"@odata.id":"/redfish/v1/Systems/1/Memory"}}`,
		"/redfish/v1/Systems/1/Memory": `{"Members":[{"@odata.id":"/redfish/v1/Systems/1/Memory/1"}]}`,
		"/redfish/v1/Systems/1/Memory/1": `{"Id":"1","DeviceLocator":"DIMM_A1","CapacityMiB":4096,"MemoryDeviceType":"DDR3",
			"Status":{"State":"Enabled","Health":"Critical"}}`,
	}
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := resources[r.URL.Path]
		if !ok || r.Method != http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0)
	service.StartTLS()
	t.Cleanup(service.Close)
	return service.URL
}
