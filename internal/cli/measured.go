package cli

import (
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/model/inventory"
)

func (f *inputFlags) measuredFiles() []string {
	if len(f.measured) > 0 || !f.live() || f.conf == nil {
		return f.measured
	}
	return f.conf.Measured
}

// readMeasurements reads the files. One that cannot be read is an error, and the others are still used.
func (p *Program) readMeasurements(files []string) ([]inventory.Measurement, error) {
	var out []inventory.Measurement
	var failed error
	for _, name := range files {
		m, err := p.readMeasured(name)
		if err != nil {
			failed = joinInputErrors(failed, notAudited(fmt.Errorf("--measured %s: %w", name, err), hintMeasured(err)))
			continue
		}
		out = append(out, *m)
	}
	return out, failed
}

func (p *Program) readMeasured(name string) (*inventory.Measurement, error) {
	data, err := p.readInput(name, measured.MaxBytes)
	if err != nil {
		return nil, err
	}
	return measured.Decode(name, data)
}

func hintMeasured(err error) string {
	if errors.Is(err, measured.ErrUnrecognised) || errors.Is(err, measured.ErrEmpty) {
		return "memaudit measure --save FILE makes a file that memaudit reads"
	}
	return ""
}
