package cli

import (
	"fmt"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/slurm"
)

// readSlurm reads Slurm's description of the machine, found by the machine's name unless the file describes one
// node.
func (p *Program) readSlurm(name string, root *host.Root) (*inventory.SlurmNode, error) {
	fail := func(err error) error {
		return notAudited(fmt.Errorf("--slurm: %w", err), "scontrol show node NAME prints what memaudit reads")
	}
	data, err := p.readInput(name, slurm.MaxBytes)
	if err != nil {
		return nil, fail(err)
	}
	machine := ""
	if root != nil {
		machine = host.ReadHostName(root).Value
	}
	node, err := slurm.Decode(name, data, machine)
	if err != nil {
		return nil, fail(err)
	}
	return &inventory.SlurmNode{RealMemoryMiB: node.RealMemoryMiB, Sockets: node.Sockets, CoresPerSocket: node.CoresPerSocket, ThreadsPerCore: node.ThreadsPerCore}, nil
}
