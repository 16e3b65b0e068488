package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/serve/exporter"
)

// auditor does the daemon's audits with loaded rules. It is not safe for concurrent use.
type auditor struct {
	p       *Program
	f       *serveFlags
	machine *assess.Auditor
	// broken is why the configuration no longer loads, nil if it does.
	broken error
}

func (a *auditor) load() error {
	before := a.f.input.conf
	machine, err := a.p.auditor(&a.f.checkFlags)
	if err == nil {
		_, err = a.f.input.biosFiles() // too many
	}
	if err != nil {
		a.f.input.conf = before
		return err
	}
	a.machine = machine
	return nil
}

// audit does one audit. An invalid configuration is loaded again each time.
func (a *auditor) audit(_ context.Context, reload bool) exporter.Outcome {
	if reload || a.broken != nil {
		a.broken = a.load()
		a.f.input.asker.expire()
	}
	doc, err := a.once()
	if doc != nil && err != nil {
		doc.Notices = append(doc.Notices, exporter.UnreadNotice+err.Error())
	}
	return exporter.Outcome{Report: doc, Err: err, Interval: a.interval()}
}

// once reads the machine and audits it. A report is returned with an error if an input could not be read.
func (a *auditor) once() (*report.Report, error) {
	began := a.p.Now()
	sys, failed := a.p.system(&a.f.input)
	failed = joinInputErrors(failed, a.p.joinBaseline(&a.f.checkFlags, sys))
	if a.broken != nil {
		broken := a.broken
		if a.p.OwnsProcess && (errors.Is(broken, fs.ErrPermission) || strings.Contains(broken.Error(), fs.ErrPermission.Error())) {
			broken = fmt.Errorf("%w (the daemon gave up access to folders that it did not know at its start: restart to read a new folder)", broken)
		}
		failed = joinInputErrors(fmt.Errorf("reload: %w; %w", broken, errReload), failed)
	}
	if sys == nil {
		return nil, failed
	}
	a.machine.Options.Now = began
	j, err := a.machine.Assess(sys)
	if err != nil {
		return nil, err
	}
	if failed == nil && nothingRead(sys) {
		failed = errors.New("nothing to audit: no source of this input could be read")
	}
	doc := a.machine.Advised(j, a.p.reportOptions(&a.f.input).By(a.f.criteria(failed)))
	doc.Took = a.p.Now().Sub(began)
	return &doc, failed
}

func (a *auditor) interval() time.Duration {
	if a.f.interval > 0 {
		return a.f.interval
	}
	if d, err := time.ParseDuration(a.f.input.conf.Interval); err == nil {
		return max(d, leastInterval)
	}
	return defaultInterval
}

// watchedFiles returns a function that lists the files of the configuration: the file itself, rules, exports,
// baseline, credentials. It is called in another goroutine than audits and uses the configuration as it was at
// start.
func (a *auditor) watchedFiles() func() []string {
	conf := a.f.input.conf
	rules := slices.Concat(conf.Rules, a.f.rules)
	named := slices.Concat([]string{a.configFile(), conf.Baseline, a.f.baseline, a.f.input.redfish.credentials}, conf.BIOS, a.f.input.bios)
	if r := conf.Redfish; r != nil {
		named = append(named, r.Credentials, r.CA)
	}
	return func() []string {
		_, files := rulePaths(rules)
		return append(files, named...)
	}
}

func (a *auditor) configFile() string {
	return cmp.Or(a.f.config, defaultConfig)
}

func (a *auditor) watched() []string {
	dirs, _ := rulePaths(slices.Concat(a.f.input.conf.Rules, a.f.rules))
	if dir := filepath.Dir(a.configFile()); isDir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// readable lists the folders that an audit or the web server reads. These are folders because a replaced file
// is another file.
func (a *auditor) readable() []string {
	in := &a.f.input
	dirs := a.watched()
	if in.root != "" {
		dirs = append(dirs, in.root)
	}
	files := slices.Concat(in.bios, in.conf.BIOS, in.measuredFiles(), a.webFiles())
	files = append(files, in.snapshot, in.smbios, in.redfish.credentials, in.baselineFile(a.f.baseline, ""))
	if r := in.conf.Redfish; r != nil {
		files = append(files, r.Credentials, r.CA)
	}
	for _, name := range files {
		if name != "" {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	if a.asksNetwork() {
		dirs = append(dirs, "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/run/systemd/resolve", "/etc/ssl/certs", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
			"/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates")
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (a *auditor) asksNetwork() bool {
	return a.f.input.redfish.url != "" || a.f.input.live() && a.f.input.conf.Redfish != nil
}

// webFiles returns the web configuration and the certificates that it names, relative to it unless absolute.
func (a *auditor) webFiles() []string {
	name := a.f.web.ConfigFile
	if name == "" {
		return nil
	}
	var c struct {
		TLS struct {
			Cert string `yaml:"cert_file"`
			Key  string `yaml:"key_file"`
			CA   string `yaml:"client_ca_file"`
		} `yaml:"tls_server_config"`
	}
	files := []string{name}
	data, err := readBounded(name, maxConfigBytes)
	if err != nil || yaml.Unmarshal(data, &c) != nil {
		return files
	}
	for _, f := range []string{c.TLS.Cert, c.TLS.Key, c.TLS.CA} {
		if f != "" && !filepath.IsAbs(f) {
			f = filepath.Join(filepath.Dir(name), f)
		}
		files = append(files, f)
	}
	return files
}
