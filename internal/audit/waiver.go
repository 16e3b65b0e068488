package audit

import (
	"fmt"
	"time"

	"github.com/memaudit/memaudit/internal/verdict"
)

// WaiverSpec is one accepted failure of the configuration.
type WaiverSpec struct {
	Rule string `yaml:"rule"`
	// Subject narrows it; empty covers every subject.
	Subject string `yaml:"subject,omitempty"`
	Reason  string `yaml:"reason"`
	// Until is the last day it holds, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// End parses the last day.
func (w WaiverSpec) End() (time.Time, error) {
	t, err := time.Parse(time.DateOnly, w.Until)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiver of %s: until is %q, expected a date as 2027-06-30", w.Rule, w.Until)
	}
	return t, nil
}

// Check complains about a waiver without rule, reason or date.
func (w WaiverSpec) Check() error {
	switch {
	case w.Rule == "":
		return fmt.Errorf("waiver names no rule")
	case w.Reason == "":
		return fmt.Errorf("waiver of %s gives no reason", w.Rule)
	}
	_, err := w.End()
	return err
}

// waive turns accepted failures into waived ones. A waiver past its date
// leaves the failure standing and says so; one that matches nothing is
// reported. What follows from waived failures alone is waived with them.
func (r *run) waive() {
	for _, w := range r.options.Waivers {
		end, err := w.End()
		if err != nil {
			r.out.Notices = append(r.out.Notices, err.Error())
			continue
		}
		ended := r.options.Now.After(end.AddDate(0, 0, 1))
		matched := false
		for i := range r.out.Findings {
			f := &r.out.Findings[i]
			if f.Rule != w.Rule || (w.Subject != "" && w.Subject != f.Subject) || f.Result != verdict.Fail {
				continue
			}
			matched = true
			f.Waiver = &Waiver{Reason: w.Reason, Until: w.Until}
			if ended {
				f.Reason = "the waiver ended on " + w.Until
			} else {
				f.Result = verdict.Waived
			}
		}
		r.noticeWaiver(w, matched, ended)
	}
	r.waiveConsequences()
}

func (r *run) noticeWaiver(w WaiverSpec, matched, ended bool) {
	what := "waiver of " + w.Rule
	if w.Subject != "" {
		what += " (" + w.Subject + ")"
	}
	switch {
	case !matched:
		r.out.Notices = append(r.out.Notices, what+" matches no failure")
	case ended:
		r.out.Notices = append(r.out.Notices, what+" ended on "+w.Until+"; the failure counts again")
	}
}
