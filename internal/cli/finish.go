package cli

import (
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
)

// finish prints a report and gives the exit status.
func (p *Program) finish(f *checkFlags, doc *report.Report, failed error) error {
	doc.Failed = failed != nil
	plugin := f.plugin(doc, failed)
	ends := f.status(doc, plugin, failed)
	status := statusOf(ends)
	if err := f.output.write(p, f.input.identifiers, func(w *terminal) error {
		w.options.Exit = &status
		return formats.Write(w, f.output.format, doc, &formats.Options{Options: w.options, Plugin: plugin})
	}); err != nil {
		return err
	}
	return ends
}

// plugin is what the audit says of itself as a monitoring plugin.
func (f *checkFlags) plugin(doc *report.Report, failed error) formats.Plugin {
	if failed != nil {
		return formats.Plugin{Status: report.PluginUnknown, Problem: failed.Error()}
	}
	return formats.Plugin{Status: report.PluginStatus(doc, f.failOn, f.strict)}
}

// status is the exit status of an audit that was printed, nil for 0.
func (f *checkFlags) status(doc *report.Report, plugin formats.Plugin, failed error) error {
	status := report.ExitStatus(doc, f.failOn, f.strict)
	switch {
	case f.output.format == formats.Nagios:
		status = plugin.Status
	case failed != nil:
		return failed
	}
	if status == report.ExitOK {
		return nil
	}
	return &exitError{status: status}
}
