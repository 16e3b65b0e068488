package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/model/humanize"
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
		return nil, usageError("configuration %s: %s", name, plainYAML(err))
	}
	return c, c.check(name)
}

// decodeYAML decodes at most one YAML document. An unknown key is an error, and so is a second document, which
// would otherwise be ignored.
func decodeYAML(data []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(to); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	var first yaml.Node
	if err := yaml.Unmarshal(data, &first); err != nil {
		return err
	}
	if err := emptyEntry(&first, "the file"); err != nil {
		return err
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("line %d: a second YAML document, expected one", second.Content[0].Line)
	}
}

// emptyEntry returns an error for the first list entry that is empty or null, which the decoder would drop. key
// is the key of the node.
func emptyEntry(n *yaml.Node, key string) error {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && child.Kind == yaml.ScalarNode && child.Tag == "!!null":
			return fmt.Errorf("line %d, column %d: entry %d of %s is empty", child.Line, child.Column, i+1, key)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			key = n.Content[i-1].Value
		}
		if err := emptyEntry(child, key); err != nil {
			return err
		}
	}
	return nil
}

func plainYAML(err error) string {
	var each []string
	for _, text := range yamlErrors(err) {
		line, says := humanize.YAMLError(text)
		if line > 0 {
			says = fmt.Sprintf("line %d: %s", line, says)
		}
		each = append(each, says)
	}
	return strings.Join(each, "; ")
}

func yamlErrors(err error) []string {
	var several *yaml.TypeError
	if errors.As(err, &several) {
		return several.Errors
	}
	return []string{err.Error()}
}

func (c *config) check(name string) error {
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
