package slurm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const conf = `# slurm.conf
ClusterName=x
NodeName=DEFAULT RealMemory=257000 ThreadsPerCore=2
NodeName=n[001-128,200] Sockets=2 \\
  CoresPerSocket=16 State=UNKNOWN # the old ones
NodeName=fat[1-2],login Boards=1 SocketsPerBoard=4 CoresPerSocket=8 RealMemory=1031000
PartitionName=all Nodes=ALL
`

const shown = `NodeName=gpu7 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.01
   NodeAddr=n007 NodeHostName=n007 Version=24.05
   OS=Linux 5.14.0 RealMemory=257000 AllocMem=0 FreeMem=1000 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1
`

// TestDecode reads slurm.conf with defaults, lists of hosts and joined lines, and scontrol's output in both forms.
func TestDecode(t *testing.T) {
	thin := Node{"n[001-128,200]", 257000, 2, 16, 2}
	for host, want := range map[string]Node{"n001": thin, "n200": thin, "n128.example.org": thin, "fat2": {"fat[1-2],login", 1031000, 4, 8, 2}, "login": {"fat[1-2],login", 1031000, 4, 8, 2}} {
		got, err := Decode("slurm.conf", []byte(conf), host)
		require.NoError(t, err, host)
		assert.Equal(t, want, *got, host)
	}
	for _, host := range []string{"", "n007"} {
		got, err := Decode("-", []byte(shown), host)
		require.NoError(t, err)
		assert.Equal(t, Node{"gpu7", 257000, 2, 16, 2}, *got)
	}
}

// TestRefused checks that an error names the file and what was expected.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "f: no NodeName=; expected slurm.conf",
		"Include nodes.conf\n":              "f: no NodeName=; Include is not followed",
		conf:                                `f: no line for the node "n129"`,
		"NodeName=n129 RealMemory=many":     "f: node n129: realmemory=many, expected a number from 0 to 4398046511103",
		"NodeName=n129 Sockets=4294967296":  "f: node n129: sockets=4294967296, expected a number from 0 to 65535",
		"NodeName=n129 RealMemory=-1":       "f: node n129: realmemory=-1",
		"NodeName=n[1-99999999999999999999": `no line for the node`,
	} {
		_, err := Decode("f", []byte(text), "n129")
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{conf, "NodeName=n[1-2] RealMemory=64000"} {
		_, err := Decode("f", []byte(text), "")
		require.ErrorContains(t, err, "give the output of scontrol show node NAME", text)
	}
}

// TestHostLists checks which of the lists that slurm.conf(5) allows has a host. The width of a range's low end is that of
// its numbers: n1 and n001 are two nodes.
func TestHostLists(t *testing.T) {
	for _, tt := range []struct {
		list     string
		has, not []string
	}{
		{"n[1-128]", []string{"n1", "n10", "n64", "n128", "n64.example.org"}, []string{"n0", "n129", "n001", "n064", "n", "m1", "n1a"}},
		{"n[001-128]", []string{"n001", "n064", "n128"}, []string{"n1", "n64", "n0001", "n129"}},
		{"n[08-128]", []string{"n08", "n97", "n100"}, []string{"n8", "n008", "n0100"}},
		{"n[1-3,7,10-12]", []string{"n3", "n7", "n11"}, []string{"n4", "n8", "n13", "n07"}},
		{"x[1-4]c[0-7]", []string{"x1c0", "x4c7"}, []string{"x5c0", "x1c8", "x1", "x01c0"}},
		{"r[1-12][01-36]", []string{"r101", "r1236", "r117"}, []string{"r1337", "r11", "r1"}},
		{"cn[1-4]-ib", []string{"cn2-ib"}, []string{"cn2", "cn5-ib"}},
		{"n1.cluster.local", []string{"n1", "n1.cluster.local"}, []string{"n1.other.net", "n2"}},
		{"n[1-9].cluster.local", []string{"n7", "n7.cluster.local"}, []string{"n10", "n7.other.net"}},
		{"rack3.n[1-9]", []string{"rack3.n4"}, []string{"rack3"}},
		{"a,b[3-5],c", []string{"a", "b4", "c"}, []string{"b", "b6"}},
		{"n[0-18446744073709551615]", []string{"n123456789012"}, []string{"n99999999999999999999"}},
	} {
		for _, key := range []string{"NodeName=", "NodeName=other NodeHostname="} {
			text := []byte(key + tt.list + " RealMemory=515843\n")
			for _, host := range tt.has {
				n, err := Decode("f", text, host)
				if assert.NoError(t, err, "%s has %s", tt.list, host) {
					assert.Equal(t, int64(515843), n.RealMemoryMiB)
				}
			}
			for _, host := range tt.not {
				_, err := Decode("f", text, host)
				assert.ErrorContains(t, err, "no line for the node", "%s has not %s", tt.list, host)
			}
		}
	}
}

// TestHostOfTwoLines checks that the line with the host's own spelling is preferred to one without its domain.
func TestHostOfTwoLines(t *testing.T) {
	text := []byte("NodeName=n1.far RealMemory=1\nNodeName=DEFAULT Sockets=2\nNodeName=n1 RealMemory=2\nNodeName=DEFAULT Sockets=4\nNodeName=n[2-3] RealMemory=3\n")
	for host, want := range map[string]Node{"n1": {"n1", 2, 2, 0, 0}, "n1.far": {"n1.far", 1, 0, 0, 0}, "n3": {"n[2-3]", 3, 4, 0, 0}} {
		n, err := Decode("f", text, host)
		require.NoError(t, err, host)
		assert.Equal(t, want, *n, host)
	}
}

// TestManyBrackets checks that a hostile list costs no more than its length.
func TestManyBrackets(t *testing.T) {
	host := strings.Repeat("1", 60)
	_, err := Decode("f", []byte("NodeName="+strings.Repeat("[1-111]", 5000)+"x Sockets=2\n"), host)
	require.ErrorContains(t, err, "no line for the node")
}
