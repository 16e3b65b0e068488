//go:build !js

package redfish

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/lazy"
)

// Limits of a saved event log. Logs of BMCs have some thousand entries at most.
const (
	MaxLogBytes     = 8 << 20
	maxSavedEntries = 100_000
)

// ErrLog is the error of a file that is no event log.
var ErrLog = errors.New("not an event log, expected Redfish's LogEntry resources as JSON, or the text of ipmitool sel list, ipmi-sel, racadm getsel or racadm lclog view")

var errLongLog = fmt.Errorf("more than %d entries", maxSavedEntries)

// DecodeLog reads an event log from a file, and detects its format by its content: a collection or a list of
// Redfish's entries as JSON, the rows of ipmitool and FreeIPMI, the records of racadm and of ipmitool with -v. Its texts are not kept.
func DecodeLog(data []byte) (*SavedLog, error) {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
	out := &SavedLog{}
	var entries []logEntry
	var err error
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("empty: %w", ErrLog)
	case data[0] == '{' || data[0] == '[':
		entries, out.Partial, err = savedEntries(data)
	default:
		entries, err = textEntries(string(data))
	}
	if err != nil {
		return nil, err
	}
	out.Entries, out.Events = len(entries), memoryEvents(entries, "", printableText)
	if cut := len(out.Events) - maxEvents; cut > 0 {
		out.Events, out.Partial = out.Events[cut:], fmt.Sprintf("the last %d entries about memory were read", maxEvents)
	}
	for i := range out.Events {
		out.Events[i].Open = false // as it was when the log was saved
	}
	return out, nil
}

// savedEntries reads a collection of entries or a list of them, and says what is missing of a collection. Links to entries
// are none.
func savedEntries(data []byte) (out []logEntry, partial string, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	links := false
	list := func() error {
		for dec.More() {
			var e logEntry
			if err := dec.Decode(&e); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
				return err
			}
			if e.Message == "" && e.MessageID == "" {
				links = true
				continue
			}
			out = append(out, e)
			if len(out) > maxSavedEntries {
				return errLongLog
			}
		}
		_, err := dec.Token()
		return err
	}
	start, err := dec.Token()
	if start == json.Delim('[') {
		err = list()
	}
	for start == json.Delim('{') && err == nil && dec.More() {
		var key, value json.Token
		if key, err = dec.Token(); key == "Members" {
			if value, err = dec.Token(); value == json.Delim('[') {
				err = list()
			}
			continue
		}
		if key == "Members@odata.nextLink" {
			partial = "a part of the log: it has more pages"
		}
		if err == nil {
			err = dec.Decode(new(json.RawMessage))
		}
	}
	if start == json.Delim('{') && err == nil {
		_, err = dec.Token()
	}
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("JSON that cannot be read: %w", err)
	case len(out) == 0 && (links || !bytes.Contains(data, []byte("LogEntryCollection"))):
		return nil, "", ErrLog
	}
	return out, partial, nil
}

// logKeys are the names of what is read of a record or a row, by what programs call it.
var logKeys = map[string]string{
	"record": "start", "seqnumber": "start", "sel record id": "start", "message id": "id", "message": "text", "description": "text", "event": "text",
	"date/time": "time", "timestamp": "time", "date": "date", "time": "clock", "sensor type": "sensor", "type": "sensor", "name": "name", "event direction": "direction",
}

// ipmitool's rows have no heading.
var ipmitoolRow = []string{"start", "date", "clock", "sensor", "text", "direction"}

var ipmitoolStart = lazy.Pattern(`^[0-9a-fA-F]{1,8}\s*[|,]\s*(\d+[/.-]\d+[/.-]\d+|Pre-Init|Unknown)\s*[|,]`)

func textEntries(text string) ([]logEntry, error) {
	var out []logEntry
	var heading []string
	record := map[string]string{}
	end := func() {
		if e, ok := entryOfRecord(record); ok {
			out = append(out, e)
		}
		clear(record)
	}
	for line := range strings.Lines(text) {
		if len(out) == maxSavedEntries {
			return nil, errLongLog
		}
		line = strings.TrimSpace(line)
		separator := "|"
		if !strings.Contains(line, separator) {
			separator = ","
		}
		row, names := strings.SplitN(line, separator, 16), heading
		if ipmitoolStart().MatchString(line) {
			names = ipmitoolRow
		}
		switch at := strings.IndexAny(line, "=:"); {
		case separator == "|" && strings.HasPrefix(line, "ID ") && strings.HasSuffix(line, "Event"):
			heading = nil
			for _, name := range row {
				heading = append(heading, logKeys[strings.ToLower(strings.TrimSpace(name))])
			}
		case len(names) > 0 && len(row) > 4:
			end()
			for i, value := range row[:min(len(row), len(names))] {
				record[names[i]] = strings.TrimSpace(value)
			}
			end()
		case strings.Trim(line, "-=") == "":
			end()
		case at > 0:
			name := logKeys[strings.ToLower(strings.TrimSpace(line[:at]))]
			if _, twice := record[name]; twice || name == "start" {
				end()
			}
			if name != "" {
				record[name] = strings.TrimSpace(line[at+1:])
			}
		}
	}
	end()
	if len(out) == 0 && !strings.Contains(text, "SEL has no entries") {
		return nil, ErrLog
	}
	return out, nil
}

// logTimes are how programs write times without a zone. Day and month of a year of two digits, which newer versions of
// ipmitool print, are in the order of the user's language.
var logTimes = []string{"01/02/2006 15:04:05", "2006-01-02 15:04:05", "Jan-02-2006 15:04:05", "Mon Jan _2 15:04:05 2006"}

// entryOfRecord returns the entry of a record, false for one without text or time. Of an event of IPMI, ipmitool itself works
// out the slot that it prints in parentheses, and is wrong on some servers (its issues 41 and 385): only the name that the
// BMC has for the sensor is used. What was withdrawn (deasserted) is an entry about nothing.
func entryOfRecord(r map[string]string) (e logEntry, ok bool) {
	when := cmp.Or(r["time"], strings.TrimSpace(r["date"]+" "+r["clock"]))
	if r["text"] == "" || when == "" {
		return e, false
	}
	switch sensor, ipmi := r["sensor"]; {
	case !ipmi:
		e.Message, e.MessageID = r["text"], r["id"]
	case strings.HasPrefix(sensor, "Memory") && !strings.HasPrefix(r["direction"], "Deassert"):
		e.SensorType, e.Message = "Memory", cmp.Or(r["name"], strings.TrimPrefix(sensor, "Memory"))
		e.EntryCode, _, _ = strings.Cut(r["text"], "(")
	}
	for _, layout := range logTimes {
		if t, err := time.Parse(layout, when); err == nil {
			e.Created = t.Format(time.RFC3339)
		}
	}
	return e, true
}
