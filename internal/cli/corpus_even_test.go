//go:build corpus

package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// This file reads dmidecode's text independently and uses memaudit only for the socket and channel of a slot, to know
// which servers no rule may report.

type textProcessor struct {
	version            string
	populated, enabled bool
}

type textModule struct {
	handle string
	mib    int64
	flash  bool
}

type textMachine struct {
	processors []textProcessor
	modules    []textModule
	// devices is the number of slots that the memory arrays (type 16, system memory) announce.
	devices int
}

// readText extracts processors, arrays and modules from dmidecode's text.
func readText(text []byte) textMachine {
	var m textMachine
	for _, block := range strings.Split(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if len(lines) < 2 || !strings.HasPrefix(lines[0], "Handle 0x") {
			continue
		}
		fields := map[string]string{}
		for _, l := range lines[2:] {
			if k, v, ok := strings.Cut(strings.TrimSpace(l), ":"); ok && strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "\t\t") {
				fields[k] = strings.TrimSpace(v)
			}
		}
		m.add(strings.TrimSpace(lines[1]), strings.Split(strings.TrimPrefix(lines[0], "Handle "), ",")[0], fields)
	}
	return m
}

func (m *textMachine) add(kind, handle string, fields map[string]string) {
	switch kind {
	case "Processor Information":
		status := fields["Status"]
		m.processors = append(m.processors, textProcessor{
			version: fields["Version"], populated: !strings.HasPrefix(status, "Unpopulated"), enabled: status == "Populated, Enabled" || status == "Populated, Idle", // Dell calls every second one idle
		})
	case "Physical Memory Array":
		if n, err := strconv.Atoi(fields["Number Of Devices"]); err == nil && fields["Use"] == "System Memory" {
			m.devices += n
		}
	case "Memory Device":
		number, unit, _ := strings.Cut(fields["Size"], " ")
		n, _ := strconv.ParseInt(number, 10, 64)
		switch unit {
		case "kB":
			n /= 1024
		case "GB":
			n *= 1024
		case "TB":
			n *= 1024 * 1024
		case "MB":
		default:
			n = 0
		}
		m.modules = append(m.modules, textModule{handle: handle, mib: n, flash: fields["Type"] == "Flash"})
	}
}

// place is what memaudit derived of a slot.
type evenPlace struct {
	Handle  string `json:"handle"`
	Socket  *int   `json:"socket"`
	Channel *int   `json:"channel"`
}

// isEven reports whether every slot of the machine is mapped and every channel of every running processor has as many
// modules and as much memory as every other one. A table that lacks slots, or a processor that is off, is not even.
func isEven(m *textMachine, places []evenPlace) bool {
	at := map[string]evenPlace{}
	for _, p := range places {
		at[p.Handle] = p
	}
	type held struct {
		modules int
		mib     int64
	}
	channels, sockets := map[string]held{}, map[int]bool{}
	rows := 0
	for _, module := range m.modules {
		if module.flash {
			continue
		}
		rows++
		p, ok := at[module.handle]
		if !ok || p.Channel == nil {
			return false
		}
		socket := number(p.Socket)
		sockets[socket] = true
		key := fmt.Sprint(socket, "/", *p.Channel)
		h := channels[key]
		if module.mib > 0 {
			h.modules, h.mib = h.modules+1, h.mib+module.mib
		}
		channels[key] = h
	}
	running := 0
	for _, p := range m.processors {
		if p.populated && !p.enabled {
			return false
		}
		if p.enabled {
			running++
		}
	}
	if rows < m.devices || len(channels) == 0 || (!sockets[-1] && len(sockets) != running) {
		return false
	}
	var first *held
	for _, h := range channels {
		if first == nil {
			first = &h
		}
		if h != *first || h.modules == 0 {
			return false
		}
	}
	return true
}

// evenServers finds the servers whose channels are all equally filled, and
// checks that no rule about channels, sockets and slots complains of them.
func evenServers(t *testing.T, all []audited) int {
	even := 0
	for _, a := range all {
		var r struct {
			Inventory struct {
				Slots []evenPlace `json:"slots"`
			} `json:"inventory"`
		}
		require.NoError(t, json.Unmarshal([]byte(a.raw), &r), a.name)
		m := readText(a.text)
		if ofGuest(&a.report) || !isEven(&m, r.Inventory.Slots) {
			continue
		}
		even++
		for _, f := range a.report.Findings {
			about := strings.HasPrefix(f.Rule, "memory.channel.") || strings.HasPrefix(f.Rule, "memory.socket.") || strings.HasPrefix(f.Rule, "memory.slot.")
			if about && f.Result == "fail" {
				assert.EqualValues(t, "info", f.Severity, "%s: %s %s: %s", a.name, f.Rule, f.Subject, string(f.Found))
			}
		}
	}
	require.Greater(t, even, 200, "the search finds nothing: it tests nothing")
	return even
}
