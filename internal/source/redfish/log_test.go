package redfish

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
)

const (
	ownLogs  = "/redfish/v1/Systems/FCH123456/LogServices"
	itsLogs  = "/redfish/v1/Managers/1/LogServices"
	manager  = "/redfish/v1/Managers/1"
	lastBoot = "2026-11-20T08:00:00+01:00"
)

// withLogs adds event logs to the machine: pages of entries by the log's name, of the system or of its manager.
func (b *bmc) withLogs(at string, logs map[string][]string) {
	b.tree["/redfish/v1/Systems/FCH123456"] = strings.Replace(b.tree["/redfish/v1/Systems/FCH123456"], `"Bios"`, `"LastResetTime":"`+lastBoot+`",
		"Links":{"ManagedBy":[{"@odata.id":"`+manager+`"}]},"LogServices":{"@odata.id":"`+ownLogs+`"},"Bios"`, 1)
	b.tree[manager] = `{"LogServices":{"@odata.id":"` + itsLogs + `"}}`
	var links []string
	for name, pages := range logs {
		links = append(links, `{"@odata.id":"`+at+"/"+name+`"}`)
		b.tree[at+"/"+name] = `{"Entries":{"@odata.id":"` + at + "/" + name + `/Entries"}}`
		for i, page := range pages {
			path, next := at+"/"+name+"/Entries", ""
			if i > 0 {
				path += fmt.Sprintf("?$skip=%d", i)
			}
			if i+1 < len(pages) {
				next = fmt.Sprintf(`,"Members@odata.nextLink":"%s/%s/Entries?$skip=%d"`, at, name, i+1)
			}
			b.tree[path] = `{"Members":[` + page + `]` + next + `}`
		}
	}
	b.tree[at] = `{"Members":[` + strings.Join(links, ",") + `]}`
}

// TestEventLog reads logs of five makers. Texts, which name users and serial numbers, are not kept.
func TestEventLog(t *testing.T) {
	const login = `{"Id":"9","Created":"2026-11-21T10:00:00+00:00","MessageId":"IDRAC.2.8.USR0030","Message":"Successfully logged in using root, from 192.0.2.7."}`
	for name, c := range map[string]struct {
		at   string
		logs map[string][]string
		want []Event
	}{
		"Dell's SEL over two pages": {itsLogs, map[string][]string{"FaultList": nil, "Lclog": {login}, "Sel": {
			`{"Created":"2026-11-20T07:05:00+00:00","MessageId":"IDRAC.2.8.MEM0805","Message":"The self-heal operation failed at DIMM DIMM_A3."},` + login,
			`{"Created":"2026-11-19T07:00:00-06:00","MessageId":"MEM0001","Message":"Multi-bit memory errors detected on a memory device at location(s) DIMM_A3."}`}},
			[]Event{{Says: eventlog.Uncorrected, ID: "MEM0001", Place: "DIMM_A3", Time: "2026-11-19T13:00:00Z", AfterReset: new(int64(-64800))},
				{Says: eventlog.Failed, ID: "MEM0805", Place: "DIMM_A3", Time: "2026-11-20T07:05:00Z", AfterReset: new(int64(300))}}},
		"Dell's Lifecycle log where the SEL is empty": {itsLogs, map[string][]string{"Sel": {""}, "Lclog": {
			login + `,{"Created":"bad","MessageId":"MEM0702","Message":"Correctable memory error rate exceeded for DIMM_B12."}`}},
			[]Event{{Says: eventlog.Threshold, ID: "MEM0702", Place: "DIMM_B12"}}},
		"HPE's IML": {ownLogs, map[string][]string{"SL": {login}, "IML": {
			`{"Created":"2026-11-20T09:00:00Z","Severity":"Critical","Message":"Uncorrectable Memory Error (Processor 1, DIMM 3)","Oem":{"Hpe":{"Repaired":true}}}`}},
			[]Event{{Says: eventlog.Uncorrected, Place: "PROC 1 DIMM 3", Time: "2026-11-20T09:00:00Z", AfterReset: new(int64(7200)), Resolved: true}}},
		"Supermicro's SEL": {ownLogs, map[string][]string{"Log1": {
			`{"EntryType":"SEL","SensorType":"Memory","Message":"Correctable ECC / other correctable memory error @DIMMA1(CPU2) - Asserted"}`}},
			[]Event{{Says: eventlog.Corrected, Place: "P2-DIMMA1"}}},
		"Lenovo's standard log": {ownLogs, map[string][]string{"StandardLog": {
			`{"MessageId":"FQXSFMA0026I","Message":"DIMM 5 Self-healing, attempt post package repair (PPR) succeeded at Rank 0. 739E68ED-VC10 FRU 0123456"}`}},
			[]Event{{Says: eventlog.Repaired, ID: "FQXSFMA0026I", Place: "DIMM 5"}}},
		"IBM's words": {ownLogs, map[string][]string{"EventLog": {
			`{"Message":"[W.58001] The PFA Threshold limit (correctable error logging limit) has been exceeded on DIMM number 11 at address 7F3A."}`}},
			[]Event{{Says: eventlog.Threshold, Place: "DIMM 11"}}},
		"an IPMI event, two modules": {ownLogs, map[string][]string{"SEL": {
			`{"SensorType":"Memory","EntryCode":"Uncorrectable ECC / other uncorrectable memory error","Message":"P1-DIMMA1, P1-DIMMB1"}`}},
			[]Event{{Says: eventlog.Uncorrected, Place: "P1-DIMMA1 or P1-DIMMB1"}}},
		"OpenBMC": {ownLogs, map[string][]string{"EventLog": {
			`{"MessageId":"OpenBMC.0.1.MemoryECCUncorrectable","Message":"Memory ECC uncorrectable error. Socket=0 Channel=3 DIMM=1 Rank=0."}`}},
			[]Event{{Says: eventlog.Uncorrected, ID: "MemoryECCUncorrectable", Place: "socket 0 channel 3 DIMM 1"}}},
		"nothing about memory": {ownLogs, map[string][]string{"IML": {login}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			b.withLogs(c.at, c.logs)
			a := b.ask(t, nil)
			assert.Equal(t, c.want, a.Events)
			assert.True(t, a.LogRead)
			assert.Nil(t, a.LogProblem)
			assert.NoError(t, a.Check())
		})
	}
}

// TestEventLogProblems: a log that is denied, malformed, cut short or has no end is said to be; modules and settings are
// kept, and so is what was read of it.
func TestEventLogProblems(t *testing.T) {
	const entries = ownLogs + "/IML/Entries"
	const one = `{"Message":"Uncorrectable Memory Error (Processor 1, DIMM 3)"}`
	many := strings.Repeat(`{"Message":"Fan 3 failed"},`, 500) + one
	get := func(f func(w http.ResponseWriter, r *http.Request, n int)) func(*bmc) {
		return func(b *bmc) {
			n := 0
			b.front = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != entries {
					return false
				}
				n++
				f(w, r, n)
				return true
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*bmc)
		state  fact.SourceState
		says   string
		events int
	}{
		"denied":     {get(func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusForbidden) }), fact.SourceDenied, "may not read it", 0},
		"malformed":  {get(func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte(`{"Members":nonsense}`)) }), fact.SourceMalformed, "not JSON", 0},
		"no entries": {func(b *bmc) { b.tree[ownLogs+"/IML"] = `{}` }, fact.SourceMalformed, "links to no entries", 0},
		"the second page is cut short": {get(func(w http.ResponseWriter, _ *http.Request, n int) {
			page := `{"Members":[` + one + `],"Members@odata.nextLink":"` + entries + `?p=2"}`
			_, _ = w.Write([]byte(page[:len(page)/n]))
		}), fact.SourceTruncated, "inside its JSON", 1},
		"endless": {get(func(w http.ResponseWriter, _ *http.Request, n int) {
			_, _ = fmt.Fprintf(w, `{"Members":[%s],"Members@odata.nextLink":"%s?p=%d"}`, one, entries, n)
		}), fact.SourceTruncated, "more than 20 pages; 20 entries were read", 1},
		"round and round": {get(func(w http.ResponseWriter, _ *http.Request, _ int) {
			_, _ = fmt.Fprintf(w, `{"Members":[%s],"Members@odata.nextLink":"%s"}`, one, entries)
		}), fact.SourceMalformed, "have no end", 1},
		"too many entries": {get(func(w http.ResponseWriter, _ *http.Request, n int) {
			_, _ = fmt.Fprintf(w, `{"Members":[%s],"Members@odata.nextLink":"%s?p=%d"}`, many, entries, n)
		}), fact.SourceTruncated, "more than 2000 entries", 1},
		"links alone": {func(b *bmc) {
			link := `{"@odata.id":"` + entries + `/1"}`
			b.tree[entries], b.tree[entries+"/1"] = `{"Members":[`+link+strings.Repeat(","+link, 200)+`]}`, one
		}, fact.SourceTruncated, "more than 100 entries to be asked for one by one", 1},
		"slow":   {get(func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done(); panic(http.ErrAbortHandler) }), fact.SourceRefused, "no complete answer within 1s", 0},
		"no log": {func(b *bmc) { b.tree[ownLogs] = `{"Members":[]}` }, fact.SourceAbsent, "offers no event log", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			b.withLogs(ownLogs, map[string][]string{"IML": {""}})
			c.change(b)
			cl := newClient(b.options(t))
			defer cl.close()
			if name == "slow" {
				cl.requestLimit = time.Second
			}
			a := cl.readService(t.Context(), Identity{Products: []string{"Server 1"}})
			require.NoError(t, a.Err())
			assert.Len(t, a.DIMMs, 2)
			if assert.NotNil(t, a.LogProblem) {
				assert.Equal(t, c.state, a.LogProblem.State)
				assert.Contains(t, a.LogProblem.Error(), c.says)
			}
			assert.Equal(t, c.state == fact.SourceAbsent, a.State() == fact.SourceOK)
			assert.Len(t, a.Events, c.events)
			assert.NoError(t, a.Check())
		})
	}
}

// TestSavedLog reads saved logs as programs write them. A slot that ipmitool works out itself is not taken, what was
// withdrawn is no entry, and dates in an unknown order are none.
func TestSavedLog(t *testing.T) {
	a2 := Event{Says: eventlog.Uncorrected, Place: "DIMM_A2", Time: "2026-11-18T04:37:19Z"}
	dell := a2
	dell.ID = "MEM0001"
	const multi = "Multi-bit memory errors detected on a memory device at location(s) DIMM_A2."
	for name, c := range map[string]struct {
		text, partial string
		entries       int
		want          []Event
	}{
		"ipmitool sel elist": {"   1 | 03/17/2025 | 21:08:43 | Event Logging Disabled SEL | Log area reset/cleared | Asserted\n" +
			"  3a | 11/18/2026 | 04:37:19 | Memory DIMM_A2 | Uncorrectable ECC (UnCorrectable ECC |  DIMM A3) | Asserted\n" +
			"  3b | 11/18/26 | 04:37:21 CET | Memory #0x53 | Correctable ECC (@DIMMA1(CPU1)) | Asserted\n" +
			"  3c | 11/18/2026 | 04:39:02 | Memory #0x53 | Correctable ECC logging limit reached | Deasserted\n", "", 4, []Event{{Says: eventlog.Corrected}, a2}},
		"ipmitool -c": {"1, Pre-Init ,0000000010,Memory #0x02,Correctable ECC logging limit reached,Asserted\n", "", 1, []Event{{Says: eventlog.Limit}}},
		"ipmitool -v": {"SEL Record ID          : 0001\n Timestamp             : 11/18/2026 04:37:19\n Sensor Type           : Memory\n Event Direction       : Assertion Event\n Description           : Correctable ECC\n\n",
			"", 1, []Event{{Says: eventlog.Corrected, Time: a2.Time}}},
		"ipmi-sel": {"ID  | Date        | Time     | Name             | Type                     | Event\n" +
			"2   | Nov-18-2026 | 04:37:19 | DIMM_A2          | Memory                   | Uncorrectable memory error ; OEM Event Data3 code = 10h\n", "", 1, []Event{a2}},
		"racadm getsel": {"------\nRecord:      1\nDate/Time:   03/17/2025 21:08:43\nSeverity:    Ok\nDescription: Log cleared.\n------\nRecord:      2\nDate/Time:   11/18/2026 04:37:19\nDescription: " + multi + "\n", "", 2, []Event{a2}},
		"racadm lclog view": {"------\nSeqNumber       = 4127\nMessage ID      = MEM0001\nTimestamp       = 2026-11-18 04:37:19\nMessage Arg   1 = DIMM_A2\nMessage         = " + multi + "\n" +
			"------\nSeqNumber       = 4101\nMessage ID      = USR0030\nTimestamp       = 2026-11-17 17:02:44\nMessage         = Successfully logged in using root, from 192.0.2.7.\n", "", 2, []Event{dell}},
		"a page of Redfish": {`{"Members":[{"Created":"2026-11-18T05:37:19+01:00","MessageId":"IDRAC.2.8.MEM0001","Message":"` + multi + `","SensorType":[],"Oem":{"Hpe":{"Repaired":false}}}],"Members@odata.nextLink":"/x"}`, "it has more pages", 1, []Event{dell}},
		"an empty log":      {"SEL has no entries\n", "", 0, nil},
		"an empty page":     {`{"@odata.type":"#LogEntryCollection.LogEntryCollection","Members":[]}`, "", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := DecodeLog([]byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, l.Events)
			assert.Equal(t, c.entries, l.Entries)
			assert.Contains(t, l.Partial, c.partial)
			assert.NoError(t, l.Check())
		})
	}
	for text, says := range map[string]string{"": "empty", "Message: hello\n": "not an event log", `{"Attributes":{}}`: "not an event log", `{"@odata.type":"#LogEntryCollection.LogEntryCollection","Members":[{"@odata.id":"/x"}]}`: "not an event log",
		`{"Members":[{"Message":"a"}]`: "EOF", "[" + strings.Repeat(`{"Message":"a"},`, maxSavedEntries) + `{"Message":"a"}]`: "more than 100000 entries"} {
		_, err := DecodeLog([]byte(text))
		assert.ErrorContains(t, err, says)
	}
}
