package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/verdict"
)

// object is one JSON object of the test's output; encoding/json sorts its keys.
type object map[string]any

// ocptvWriter writes the lines of one test run.
type ocptvWriter struct {
	buf   bytes.Buffer
	enc   *json.Encoder
	stamp string
	next  int
	err   error
}

// WriteOCPTV prints the findings as Open Compute's test output, specification
// 2.0: JSON lines, one test step a rule, every module and processor a piece of
// hardware that a diagnosis can name. A pass, a failure and an unknown are
// diagnoses, a broken rule an error; what does not apply and what is waived is
// neither. Whatever it is, an extension carries the finding as the JSON report
// has it. The run fails by a failure at warning or above.
func WriteOCPTV(w io.Writer, r *report.Report) error {
	o := &ocptvWriter{stamp: r.GeneratedAt}
	o.enc = json.NewEncoder(&o.buf)
	o.enc.SetEscapeHTML(false)
	o.line("schemaVersion", object{"major": 2, "minor": 0})
	known, dut := deviceUnderTest(r)
	o.run("testRunStart", object{"name": "memaudit", "version": r.Memaudit.Version, "commandLine": "memaudit check", "parameters": object{}, "dutInfo": dut})
	for i, step := range stepsOf(r.Findings) {
		o.step(strconv.Itoa(i), step, known)
	}
	o.run("testRunEnd", object{"status": "COMPLETE", "result": runResult(r)})
	if o.err != nil {
		return fmt.Errorf("encode OCPTV: %w", o.err)
	}
	if _, err := w.Write(printable.EscapeJSON(o.buf.Bytes())); err != nil {
		return fmt.Errorf("write OCPTV: %w", err)
	}
	return nil
}

// line writes one artifact with its number and time.
func (o *ocptvWriter) line(kind string, artifact object) {
	o.err = errors.Join(o.err, o.enc.Encode(object{kind: artifact, "sequenceNumber": o.next, "timestamp": o.stamp}))
	o.next++
}

func (o *ocptvWriter) run(kind string, artifact object) {
	o.line("testRunArtifact", object{kind: artifact})
}

func (o *ocptvWriter) part(id, kind string, artifact any) {
	o.line("testStepArtifact", object{"testStepId": id, kind: artifact})
}

// runResult is the run's: nothing judged is not a pass.
func runResult(r *report.Report) string {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == string(verdict.Fail) && report.SeverityRank(f.Severity) > 1 {
			return "FAIL"
		}
	}
	if r.Summary.Pass+r.Summary.Fail+r.Summary.Waived == 0 {
		return "NOT_APPLICABLE"
	}
	return "PASS"
}

// stepsOf gathers the findings by rule, in the order of the audit.
func stepsOf(findings []report.Finding) [][]*report.Finding {
	var steps [][]*report.Finding
	at := map[string]int{}
	for i := range findings {
		f := &findings[i]
		n, seen := at[f.Rule]
		if !seen {
			n = len(steps)
			at[f.Rule] = n
			steps = append(steps, nil)
		}
		steps[n] = append(steps[n], f)
	}
	return steps
}

// step writes one rule: it is skipped when it concerns nothing here.
func (o *ocptvWriter) step(id string, findings []*report.Finding, hardware map[string]bool) {
	o.part(id, "testStepStart", object{"name": findings[0].Rule})
	status := "SKIP"
	for _, f := range findings {
		switch verdict.Result(f.Result) {
		case verdict.NotApplicable:
		case verdict.Error:
			status = "ERROR"
			o.part(id, "error", object{"symptom": "rule-broke", "message": sarifMessage(f)})
		default:
			if status == "SKIP" {
				status = "COMPLETE"
			}
			o.diagnosis(id, f, hardware)
		}
		o.part(id, "extension", object{"name": "memaudit.finding", "content": f})
	}
	o.part(id, "testStepEnd", object{"status": status})
}

// diagnosis writes a verdict. A waived failure is none: the site decided.
func (o *ocptvWriter) diagnosis(id string, f *report.Finding, hardware map[string]bool) {
	kind := ""
	switch verdict.Result(f.Result) {
	case verdict.Pass:
		kind = "PASS"
	case verdict.Fail:
		kind = "FAIL"
	case verdict.Unknown:
		kind = "UNKNOWN"
	default:
		o.part(id, "log", object{"severity": "INFO", "message": sarifMessage(f)})
		return
	}
	d := object{"verdict": f.Rule + "-" + f.Result, "type": kind, "message": sarifMessage(f)}
	if about := hardwareID(f.Subject); hardware[about] {
		d["hardwareInfoId"] = about
	}
	o.part(id, "diagnosis", d)
}

// hardwareID is the piece of hardware that a subject names: a slot's handle,
// or a socket.
func hardwareID(subject string) string {
	if handle, ok := strings.CutPrefix(subject, "slot "); ok {
		handle, _, _ = strings.Cut(handle, " ")
		return handle
	}
	return subject
}

// deviceUnderTest describes the machine; known are the ids of its hardware.
func deviceUnderTest(r *report.Report) (known map[string]bool, dut object) {
	known = map[string]bool{}
	pieces := []object{}
	add := func(id string, fields object) {
		known[id], fields["hardwareInfoId"] = true, id
		pieces = append(pieces, fields)
	}
	for i := range r.Inventory.Sockets {
		s := &r.Inventory.Sockets[i]
		name := "socket " + strconv.Itoa(s.ID)
		add(name, compact(object{"name": name, "location": s.Designation, "version": s.Model}))
	}
	for i := range r.Inventory.Slots {
		if s := &r.Inventory.Slots[i]; s.State == string(inventory.SlotPopulated) {
			add(s.Handle, compact(object{"name": "DIMM " + s.Handle, "location": s.Locator, "manufacturer": s.Manufacturer,
				"manufacturerPartNumber": s.PartNumber, "serialNumber": s.Serial}))
		}
	}
	machine := strings.TrimSpace(report.OrEmpty(r.Machine.Vendor) + " " + report.OrEmpty(r.Machine.Product))
	dut = object{"dutInfoId": "machine", "hardwareInfos": pieces, "softwareInfos": []object{}}
	if machine != "" {
		dut["name"] = printable.Clean(machine)
	}
	if r.Machine.BIOS.Version != nil {
		dut["softwareInfos"] = []object{compact(object{"softwareInfoId": "bios", "name": "BIOS", "softwareType": "FIRMWARE", "version": r.Machine.BIOS.Version})}
	}
	return known, dut
}

// compact drops what is not known.
func compact(o object) object {
	for key, value := range o {
		text, optional := value.(*string)
		switch {
		case optional && text == nil:
			delete(o, key)
		case optional:
			o[key] = printable.Clean(*text)
		}
	}
	return o
}
