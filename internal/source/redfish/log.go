//go:build !js

package redfish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/lazy"
)

// Limits of an event log, which may be longer than memory errors are worth.
const (
	maxLogPages   = 20
	maxLogEntries = 2000
	// maxLogLinks is the number of entries that are asked for one by one, of services that only link to them.
	maxLogLinks = 100
	maxLogBytes = 8 << 20
	logTimeout  = 30 * time.Second
)

// eventLogs are the names of log services with hardware events, the shortest logs first: Dell's Lclog repeats what Sel has
// and adds what users do.
var eventLogs = []string{"sel", "iml", "log1", "standardlog", "eventlog", "log", "lclog"}

// logEntry is one LogEntry (DSP2046). Its text is looked at and never kept: it may name users and serial numbers.
type logEntry struct {
	resourceLink
	Created, Message, MessageID, EventID, EntryCode string
	SensorType                                      string
	Resolved                                        bool
	Oem                                             struct {
		Hpe    struct{ Repaired *bool }
		Hp     struct{ Repaired *bool }
		Lenovo struct{ CommonEventID, LenovoMessageID string }
	}
}

// readEvents reads the entries about memory of the first event log that can be read and has entries: of the system, then of its
// managers. What prevents that is in a.LogProblem and no failure of the reading, because modules and settings do not
// depend on it.
func (c *client) readEvents(ctx context.Context, root *serviceRoot, s *system, a *Answer) {
	one, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	services, p := c.logServices(one, s)
	for _, at := range services {
		var entries []logEntry
		if entries, p = c.readLogEntries(one, root, at); len(entries) > 0 || p == nil {
			a.LogRead = true
		}
		a.Events = memoryEvents(entries, s.LastResetTime, c.lineWithoutSecrets)
		if p == nil && len(entries) > 0 || len(a.Events) > 0 || p != nil && p.last {
			break
		}
	}
	switch {
	case p != nil && one.Err() != nil && ctx.Err() == nil:
		p = newProblem(fact.SourceTruncated, p.Op, "not done within the %s that the event log may take", logTimeout)
	case p == nil && len(services) == 0:
		p = newProblem(fact.SourceAbsent, "", "the service offers no event log")
	}
	a.LogProblem = p
}

// logServices returns the paths of the event logs, in the order of eventLogs.
func (c *client) logServices(ctx context.Context, s *system) ([]string, *Problem) {
	lists := []string{s.LogServices.targetPath()}
	var failed *Problem
	for i := 0; i < len(lists); i++ {
		var found []string
		var p *Problem
		if lists[i] != "" {
			found, p = c.memberPaths(ctx, lists[i])
		}
		found = slices.DeleteFunc(found, func(at string) bool { return rankOfLog(at) < 0 })
		if slices.SortStableFunc(found, func(a, b string) int { return rankOfLog(a) - rankOfLog(b) }); len(found) > 0 {
			return found, nil
		}
		if p != nil && p.State != fact.SourceAbsent {
			if failed = p; p.last {
				break
			}
		}
		if i > 0 {
			continue
		}
		for _, m := range s.Links.ManagedBy[:min(len(s.Links.ManagedBy), maxProblems)] {
			var manager struct{ LogServices resourceLink }
			if _, p := c.getResource(ctx, m.targetPath(), maxAnswer, &manager); p == nil {
				lists = append(lists, manager.LogServices.targetPath())
			} else if failed = p; p.last {
				return nil, failed
			}
		}
	}
	return nil, failed
}

func rankOfLog(at string) int {
	return slices.Index(eventLogs, strings.ToLower(lastSegment(at)))
}

// readLogEntries reads a log's entries over all pages. Those before a problem are returned with it: a log that is cut short is
// still a log.
func (c *client) readLogEntries(ctx context.Context, root *serviceRoot, at string) ([]logEntry, *Problem) {
	var service struct{ Entries resourceLink }
	if _, p := c.getResource(ctx, at, maxAnswer, &service); p != nil {
		return nil, p
	}
	path, start := service.Entries.targetPath(), c.spent
	if path == "" {
		return nil, newProblem(fact.SourceMalformed, "GET "+printablePath(at), "the event log links to no entries")
	}
	if root.Features.Expand.NoLinks && !strings.Contains(path, "?") {
		path += "?$expand=." // iLO's entries are links otherwise
	}
	var out []logEntry
	links, seen := 0, map[string]bool{}
	cut := func(limit int, what string) *Problem {
		return newProblem(fact.SourceTruncated, "GET "+printablePath(at), "the event log has more than %d %s; %d entries were read", limit, what, len(out))
	}
	for range maxLogPages {
		var page struct {
			Members members[logEntry] `json:"Members"`
			Next    string            `json:"Members@odata.nextLink"`
		}
		if _, p := c.getResource(ctx, path, maxAnswer, &page); p != nil {
			return out, p
		}
		seen[path] = true
		for _, e := range page.Members {
			switch {
			case len(out) == maxLogEntries:
				return out, cut(maxLogEntries, "entries")
			case c.spent-start > maxLogBytes:
				return out, cut(maxLogBytes, "bytes")
			}
			if e.Message == "" && e.MessageID == "" && e.targetPath() != "" {
				if links++; links > maxLogLinks {
					return out, cut(maxLogLinks, "entries to be asked for one by one")
				}
				if _, p := c.getResource(ctx, e.targetPath(), maxAnswer, &e); p != nil {
					return out, p
				}
			}
			out = append(out, e)
		}
		if path = page.Next; path == "" {
			return out, nil
		}
		if seen[path] {
			return out, newProblem(fact.SourceMalformed, "GET "+printablePath(at), "the pages of the event log have no end; %d entries were read", len(out))
		}
	}
	return out, cut(maxLogPages, "pages")
}

// memoryEvents keeps of the entries those about memory, each once. shown makes a slot's name fit to be kept.
func memoryEvents(entries []logEntry, reset string, shown func(string) string) []Event {
	var out []Event
	seen := map[Event]bool{}
	started, resetErr := time.Parse(time.RFC3339, reset)
	for i := range entries {
		e := &entries[i]
		ids := []string{e.MessageID, e.EventID, e.Oem.Lenovo.CommonEventID, e.Oem.Lenovo.LenovoMessageID}
		asked := eventlog.Entry{IDs: ids, Text: strings.TrimSpace(e.Message)}
		if strings.EqualFold(e.SensorType, "Memory") {
			asked.EntryCode = e.EntryCode
		}
		says, place, ok := asked.Find()
		if !ok {
			continue
		}
		event := Event{Says: says, Place: shown(place), ID: messageID(ids), Resolved: e.Resolved}
		if repaired := cmp.Or(e.Oem.Hpe.Repaired, e.Oem.Hp.Repaired); repaired != nil {
			event.Resolved, event.Open = *repaired, !*repaired
		}
		created, err := time.Parse(time.RFC3339, strings.TrimSpace(e.Created))
		if err == nil {
			event.Time = created.UTC().Format(time.RFC3339)
		}
		if seen[event] {
			continue
		}
		seen[event] = true
		if err == nil && resetErr == nil {
			event.AfterReset = new(int64(created.Sub(started) / time.Second))
		}
		out = append(out, event)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return strings.Compare(a.Time, b.Time) })
	return out
}

// messageID returns the first id that has the form of a message's, without its registry.
func messageID(ids []string) string {
	for _, id := range ids {
		if id = id[strings.LastIndex(id, ".")+1:]; plainID().MatchString(id) {
			return id
		}
	}
	return ""
}

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
