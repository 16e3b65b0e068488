package bios

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

// ansibleAnswer is the line that ansible prints before a module's answer: an ad-hoc
// command's "host | SUCCESS => {", a playbook's "ok: [host -> localhost] => {".
var ansibleAnswer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\S+ \| (?:SUCCESS|CHANGED)|(?:ok|changed): \[[^\]\n]+\](?: => \(item=[^\n]*\))?) => \{`)
})

// ansibleLog finds what redfish_info answered in ansible's printed output; nil where
// there is none. Answers of several hosts are several machines'.
func ansibleLog(data []byte) ([]byte, error) {
	if !bytes.Contains(data, []byte(" => {")) || !bytes.Contains(data, []byte(`"redfish_facts"`)) {
		return nil, nil
	}
	var found []byte
	answers := 0
	for _, at := range ansibleAnswer().FindAllIndex(data, -1) {
		rest := data[at[1]-1:]
		var answer json.RawMessage
		if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&answer); err != nil {
			answer = rest // cut short: decoding says where
		}
		if bytes.Contains(answer, []byte(`"redfish_facts"`)) {
			found = answer
			answers++
		}
	}
	if answers > 1 {
		return nil, malformed("ansible's output", "answers of %d hosts, expected those settings of one", answers)
	}
	return found, nil
}
