package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/model/datafile"
)

// defaultConfig is read if it exists and --config names no other.
const defaultConfig = "/etc/memaudit/memaudit.yaml"

const maxConfigBytes = 1 << 20

type config struct {
	Profile  string             `yaml:"profile"`
	Rules    []string           `yaml:"rules"`
	Interval string             `yaml:"interval"`
	BIOS     []string           `yaml:"bios"`
	Redfish  *redfishConfig     `yaml:"redfish"`
	Sources  []string           `yaml:"sources"`
	Waivers  []audit.WaiverSpec `yaml:"waivers"`
	// Accepted are populations that the site accepts.
	Accepted []audit.AcceptedSpec `yaml:"accepted"`
	// Measured are results of memaudit measure on the live machine.
	Measured []string `yaml:"measured"`
	// Baseline is the file with the accepted hardware of the live machine.
	Baseline string `yaml:"baseline"`
}

// loadConfig reads the configuration. The default file may be missing; a named one may not.
func (p *Program) loadConfig(name string) (*config, error) {
	named := name != ""
	if !named {
		name = defaultConfig
	}
	data, err := readBounded(name, maxConfigBytes)
	if err != nil {
		if !named && errors.Is(err, fs.ErrNotExist) {
			return &config{}, nil
		}
		return nil, usageError("configuration %s: %w", name, err)
	}
	if err := p.checkWriters("configuration", name); err != nil {
		return nil, err
	}
	c := &config{}
	if err := decodeYAML(data, c); err != nil {
		return nil, usageError("configuration %s: %w", name, err)
	}
	return c, c.validate(name)
}

// decodeYAML decodes at most one YAML document; a second one would otherwise be ignored.
func decodeYAML(data []byte, to any) error {
	f := datafile.Parse("", data)
	switch {
	case len(f.Docs) == 1:
		f.Decode(0, to)
	case len(f.Docs) > 1:
		f.Place(1).RecordFault("a second YAML document, expected one")
	}
	var each []string
	for _, fault := range f.Faults {
		each = append(each, fmt.Sprintf("line %d: %s", fault.Line, fault.Text))
	}
	if len(each) > 0 {
		return errors.New(strings.Join(each, "; "))
	}
	return nil
}

func (c *config) validate(name string) error {
	for _, a := range c.Accepted {
		if err := a.Check(); err != nil {
			return usageError("configuration %s: %w", name, err)
		}
	}
	for _, w := range c.Waivers {
		if err := w.Check(); err != nil {
			return usageError("configuration %s: %w", name, err)
		}
	}
	if c.Interval != "" {
		if d, err := time.ParseDuration(c.Interval); err != nil || d <= 0 {
			return usageError("configuration %s: interval %q, expected a duration such as 5m", name, c.Interval)
		}
	}
	return nil
}

type redfishConfig struct {
	URL         string `yaml:"url"`
	Credentials string `yaml:"credentials"`
	// CA is a file with the certificates that are trusted for the BMC, instead of the system's.
	CA string `yaml:"ca"`
	// Timeout limits the complete reading.
	Timeout string `yaml:"timeout"`
	// Interval is the time between two readings by the daemon.
	Interval string `yaml:"interval"`
	// System is one of the BMC's systems, if it has several.
	System string `yaml:"system"`
}
