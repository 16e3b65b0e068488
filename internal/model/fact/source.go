package fact

// SourceState is the state of a whole source, in the words of
// docs/interface.md. It
// differs from a State in what one value cannot be: partial.
type SourceState string

// The states of a source. One that was never captured is absent, and its
// detail says so.
const (
	SourceOK        SourceState = "ok"
	SourcePartial   SourceState = "partial"
	SourceAbsent    SourceState = "absent"
	SourceDenied    SourceState = "denied"
	SourceRefused   SourceState = "refused"
	SourceTruncated SourceState = "truncated"
	SourceMalformed SourceState = "malformed"
)

// Source gives the word for a source that failed as a whole for this reason.
func (s State) Source() SourceState {
	switch s {
	case OK, Denied, Refused, Truncated, Malformed:
		return SourceState(s.String())
	default:
		return SourceAbsent
	}
}
