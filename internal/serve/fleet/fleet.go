// Package fleet brings the reports of many machines together: findings by
// cause, groups of equal machines, who differs from the majority of its kind
// and in what, who waits for a reboot, who could not be checked and what would
// help. It reads documents, never machines.
package fleet

// GroupKinds are the words of --by.
func GroupKinds() []string { return []string{"product", "platform", "cpu"} }

// Fleet gathers machines one by one and keeps of each what the document needs.
// It is for one goroutine.
type Fleet struct {
	by         string
	headline   func(rule string) string
	problems   map[[2]string]*cause
	machines   []Machine
	unreadable []Unreadable
	findings   map[[2]string]*Finding
	pending    []Pending
	measured   []Measured
	undecided  map[[2]string]*Undecided
	names      map[string]bool
	words      map[string]string
	// plan is nil unless one is asked for.
	plan *planner
}

// New makes an empty fleet whose machines are compared within one of GroupKinds. headline returns what
// a rule finds wrong in general, "" if it has no such sentence.
func New(by string, headline func(rule string) string) *Fleet {
	return &Fleet{by: by, headline: headline, problems: map[[2]string]*cause{}, findings: map[[2]string]*Finding{}, undecided: map[[2]string]*Undecided{}, names: map[string]bool{}, words: map[string]string{}}
}

// appendOnce appends a name that is not the last: a machine's findings come
// together.
func appendOnce(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}

// word keeps one copy of each text: ten thousand machines say much the same.
func (f *Fleet) word(s string) *string {
	if kept, ok := f.words[s]; ok {
		return &kept
	}
	f.words[s] = s
	return &s
}
