// Package snapshot captures what an audit reads, so that the audit of the
// capture is that of the machine. The readers themselves record it; what
// identifies a machine or a part is replaced by a keyed hash.
package snapshot
