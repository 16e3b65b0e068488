package host

import "github.com/memaudit/memaudit/internal/fact"

// noted returns the failure that the notes record for a question, nil if there is none.
func (r *Root) noted(op, path string) *ReadError {
	a, ok := r.answers[question{op, path}]
	if !ok || a.state == fact.OK {
		return nil
	}
	if op == "head" {
		op = "read"
	}
	return &ReadError{Op: op, Path: path, State: a.state, Err: notedError(a.reason)}
}

// listed returns the entries of a folder according to the notes.
func (r *Root) listed(path string) ([]string, bool) {
	if names, ok := r.names[path]; ok {
		return names, true
	}
	a, ok := r.answers[question{"list", path}]
	return a.names, ok && a.state == fact.OK
}

func (r *Root) notedKind(path string) (Kind, bool) {
	a, ok := r.answers[question{"stat", path}]
	return a.kind, ok // of a failure noted tells
}

func (r *Root) notedLink(path string) (string, bool) {
	a, ok := r.answers[question{"readlink", path}]
	return a.target, ok // of a failure noted tells
}
