package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/audit"
)

// defaultConfig is read when it exists and --config does not name another.
const defaultConfig = "/etc/memaudit/memaudit.yaml"

// maxConfigBytes bounds the configuration.
const maxConfigBytes = 1 << 20

// config is /etc/memaudit/memaudit.yaml.
type config struct {
	Profile  string             `yaml:"profile"`
	Rules    []string           `yaml:"rules"`
	Interval string             `yaml:"interval"`
	BIOS     []string           `yaml:"bios"`
	Redfish  *redfishConfig     `yaml:"redfish"`
	Sources  []string           `yaml:"sources"`
	Waivers  []audit.WaiverSpec `yaml:"waivers"`
	// Measured are results of memaudit measure on the live machine.
	Measured []string `yaml:"measured"`
	// Baseline is the file of the accepted hardware of the live machine.
	Baseline string `yaml:"baseline"`
}

// loadConfig reads the configuration. The default file may be absent; a named
// one may not.
func loadConfig(name string) (*config, error) {
	named := name != ""
	if !named {
		name = defaultConfig
	}
	data, err := readBounded(name, maxConfigBytes)
	if err != nil {
		if !named && errors.Is(err, fs.ErrNotExist) {
			return &config{}, nil
		}
		return nil, usage("configuration: %w", err)
	}
	c := &config{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, usage("configuration %s: %w", name, err)
	}
	return c, c.check(name)
}

func (c *config) check(name string) error {
	for _, w := range c.Waivers {
		if err := w.Check(); err != nil {
			return usage("configuration %s: %w", name, err)
		}
	}
	if c.Interval != "" {
		if d, err := time.ParseDuration(c.Interval); err != nil || d <= 0 {
			return usage("configuration %s: interval %q, expected a duration as 5m", name, c.Interval)
		}
	}
	return nil
}

// readBounded reads a regular file up to a limit.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe must not hold us
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: longer than %d bytes", name, limit)
	}
	return data, nil
}
