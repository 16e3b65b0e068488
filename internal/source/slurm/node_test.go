package slurm

import (
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
		"NodeName=n129 RealMemory=many":     "f: node n129: realmemory=many, expected a number",
		"NodeName=n129 RealMemory=-1":       "f: node n129: realmemory=-1",
		"NodeName=n[1-99999999999999999999": `no line for the node`,
	} {
		_, err := Decode("f", []byte(text), "n129")
		require.ErrorContains(t, err, want, text)
	}
	_, err := Decode("f", []byte(conf), "")
	require.ErrorContains(t, err, "give the output of scontrol show node NAME")
}
