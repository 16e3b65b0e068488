package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// pci are the files of PCI devices: address, class, vendor and node of each.
func pci(devices ...[4]string) hosttest.Files {
	f := hosttest.Files{}
	for _, d := range devices {
		at := "sys/devices/pci0000:16/0000:16:02.0/" + d[0]
		f["sys/bus/pci/devices/"+d[0]] = hosttest.LinkTo + "../../../devices/pci0000:16/0000:16:02.0/" + d[0]
		f[at+"/class"], f[at+"/vendor"], f[at+"/numa_node"] = d[1]+"\n", d[2]+"\n", d[3]+"\n"
	}
	return f
}

// TestDeviceNode checks devices of a machine with two nodes, of its tree, of the capture of that tree, and of a machine with one
// node, where a device needs none.
func TestDeviceNode(t *testing.T) {
	t.Parallel()
	const node = hosttest.NodeDir
	gpu, nic, nvme := [4]string{"0000:17:00.0", "0x030200", "0x10de", "0"}, [4]string{"0000:98:00.0", "0x020700", "0x15b3", "1"}, [4]string{"0000:65:00.0", "0x010802", "0x144d", "-1"}
	console := [4]string{"0000:03:00.0", "0x030000", "0x1a03", "-1"}
	function := pci([4]string{"0000:98:00.3", "0x020000", "0x15b3", "-1"}).With(hosttest.Files{"sys/devices/pci0000:16/0000:16:02.0/0000:98:00.3/physfn/class": "0x020700\n"})
	empty := hosttest.Files{node + "has_memory": "0\n", node + "node1/meminfo": "Node 1 MemTotal: 0 kB\n"}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  map[string]string
	}{
		{"without a node", pci(nvme, console).With(function), map[string]string{"device 0000:65:00.0": "fail NVMe 0000:65:00.0: numa_node is -1, though Linux has 2 nodes with CPUs"}},
		{"on a node without memory", pci(nic).With(empty), map[string]string{"device 0000:98:00.0": "fail network adapter 0000:98:00.0 is on node 1, which has no memory"}},
		{"GPUs apart from network adapters", pci(gpu, nic), map[string]string{"device 0000:17:00.0": "fail GPU 0000:17:00.0 and all other GPUs are on one socket, and all network adapters on socket 1", "device 0000:98:00.0": "pass "}},
		{"GPUs apart with GPUDirect RDMA", pci(gpu, nic).With(hosttest.Files{"sys/module/nvidia_peermem/refcnt": "0\n"}), map[string]string{"device 0000:17:00.0": "warning GPU 0000:17:00.0 and all other GPUs are on one socket, and all network adapters on socket 1", "device 0000:98:00.0": "pass "}},
		{"one adapter beside the GPU", pci(gpu, nic, [4]string{"0000:18:00.0", "0x020000", "0x8086", "0"}), map[string]string{"device 0000:17:00.0": "pass ", "device 0000:98:00.0": "pass ", "device 0000:18:00.0": "pass "}},
		{"no such device", pci(console), map[string]string{"machine": "not_applicable "}},
		{"one node", pci(nvme).With(hosttest.Files{node + "online": "0\n", node + "has_cpu": "0\n", node + "has_memory": "0\n", node + "node0/distance": "10\n"}), map[string]string{"machine": "not_applicable "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := treeOf(t).With(c.files).Write(t)
			capture := filepath.Join(t.TempDir(), "capture.tar.gz")
			must(t, "snapshot", "--root", tree, "-o", capture)
			for _, of := range [][]string{{"--root", tree}, {"--snapshot", capture}} {
				_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, of...)...)
				doc := decoded[report.Report](t, out, errs)
				got := map[string]string{}
				for _, f := range doc.Findings {
					if f.Rule == "device.node" {
						result := string(f.Result)
						if f.Result == verdict.Fail && f.Severity != verdict.Info {
							result = string(f.Severity)
						}
						got[f.Subject.String()] = result + " " + string(f.Found)
					}
				}
				assert.Equal(t, c.want, got, of[0])
			}
		})
	}
}
