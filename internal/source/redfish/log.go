//go:build !js

package redfish

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
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
