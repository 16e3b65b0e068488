package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
)

// withoutName returns a file error without the name, which the caller adds.
func withoutName(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (p *Program) readInput(name string, limit int64) ([]byte, error) {
	if name == "-" {
		return readAll(p.Stdin, limit)
	}
	return readBounded(name, limit)
}

// readBounded reads a regular file up to a limit. Its errors do not contain the name, which is printed with the
// flag.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // do not block on a pipe
	if err != nil {
		return nil, withoutName(err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, withoutName(err)
	}
	if st.IsDir() {
		return nil, errors.New("is a folder, expected a file")
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := readAll(f, limit)
	return data, withoutName(err)
}

// readAll reads all of in and returns an error if it is longer than most bytes, because a truncated file is
// another file.
func readAll(in io.Reader, most int64) ([]byte, error) {
	if f, ok := in.(*os.File); ok {
		// A long file is refused before it is read. Others may grow, and many of the kernel's have size 0.
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > most {
			return nil, longerThanError(most)
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, longerThanError(most)
	}
	return data, err
}

func longerThanError(most int64) error { return fmt.Errorf("longer than %d bytes", most) }

func inputState(err error) fact.State {
	var read *host.ReadError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, smbios.ErrNoTable), errors.Is(err, smbios.ErrEmpty), errors.Is(err, bios.ErrEmpty):
		return fact.Absent
	case errors.Is(err, fs.ErrPermission), errors.Is(err, smbios.ErrDenied):
		return fact.Denied
	case errors.Is(err, smbios.ErrUnrecognised), errors.Is(err, smbios.ErrNoHandles), errors.Is(err, smbios.ErrNoFields),
		errors.Is(err, bios.ErrUnrecognised), errors.Is(err, bios.ErrMalformed), errors.Is(err, redfish.ErrLog):
		return fact.Malformed
	case errors.As(err, &read):
		return read.State
	default:
		return fact.Refused
	}
}

// ownWriters returns the users and groups that may change this program's inputs: root, the user who runs it,
// and the one who ran sudo.
func ownWriters() (users, groups []int) {
	users, groups = []int{0, os.Geteuid()}, []int{0, os.Getegid()}
	if uid, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil {
		users = append(users, uid)
	}
	if gid, err := strconv.Atoi(os.Getenv("SUDO_GID")); err == nil {
		groups = append(groups, gid)
	}
	return users, groups
}

func foreignOwner(is fs.FileInfo) bool {
	users, _ := ownWriters()
	owner, _ := ownerOf(is)
	return owner >= 0 && !slices.Contains(users, owner)
}

// foreignWriter describes who else can change a file or folder, "" if no one can.
func foreignWriter(is fs.FileInfo) string {
	_, groups := ownWriters()
	owner, group := ownerOf(is)
	mode := is.Mode().Perm()
	switch {
	case foreignOwner(is):
		return fmt.Sprintf("belongs to user %d", owner)
	case mode&0o002 != 0:
		return fmt.Sprintf("all users can write to it (mode %04o)", mode)
	case mode&0o020 != 0 && !slices.Contains(groups, group):
		return fmt.Sprintf("group %d can write to it (mode %04o)", group, mode)
	default:
		return ""
	}
}

// othersCanChange describes how other users can change a file, or replace it, "" if they cannot. They cannot on
// a file system that is mounted read-only, as Kubernetes mounts a ConfigMap in a folder of mode 0777, nor in a
// folder with the sticky bit.
func othersCanChange(name string) string {
	var on unix.Statfs_t
	if unix.Statfs(name, &on) == nil && on.Flags&unix.ST_RDONLY != 0 {
		return ""
	}
	is, err := os.Stat(name)
	if err != nil {
		return "" // reported by the reader
	}
	if why := foreignWriter(is); why != "" {
		return why
	}
	folder := filepath.Dir(name)
	is, err = os.Stat(folder)
	if err != nil || is.Mode()&fs.ModeSticky != 0 {
		return ""
	}
	if why := foreignWriter(is); why != "" {
		return "its folder " + folder + ": " + why
	}
	return ""
}

// checkWriters rejects a configuration or rules that other users can change if root runs the program, as sudo
// and sshd do, and warns otherwise.
func (p *Program) checkWriters(what string, names ...string) error {
	for _, name := range names {
		why := othersCanChange(name)
		if why == "" {
			continue
		}
		if os.Geteuid() == 0 {
			return usageError("%s %s: %s; as root, expected files and folders that only root can change", what, name, why)
		}
		p.printWarning(fmt.Sprintf("%s %s: %s", what, name, why))
		return nil
	}
	return nil
}

func (p *Program) printWarning(text string) {
	if p.log != nil {
		p.log.Warn(text)
		return
	}
	_, _ = fmt.Fprintf(p.stderr(), "memaudit: warning: %s\n", text)
}

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
