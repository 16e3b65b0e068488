package cli

import (
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
)

// finish prints a report and gives the exit status of its verdict; failed is what the report was
// built with.
func (p *Program) finish(f *checkFlags, doc *report.Report, failed error) error {
	if err := f.output.write(p, f.input.identifiers, func(w *terminal) error {
		w.options.ExitStatus = true
		return formats.Write(w, f.output.format, doc, w.options)
	}); err != nil {
		return err
	}
	status := doc.Verdict.ExitStatus
	switch {
	case f.output.format == formats.Nagios:
		status = doc.Verdict.PluginStatus()
	case failed != nil:
		return failed
	}
	if status == report.ExitOK {
		return nil
	}
	return &exitError{status: status}
}
