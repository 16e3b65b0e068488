package smbios

import "errors"

// The codes of problems.
const (
	// CodeChecksum: a checksum of the entry point is wrong.
	CodeChecksum = "checksum"
	// CodeEntryPoint: the entry point is cut short or its length is not one
	// the specification or known firmware uses.
	CodeEntryPoint = "entry_point"
	// CodeVersion: an impossible version was corrected.
	CodeVersion = "version"
	// CodeLength: the table is shorter or longer than announced, or a
	// structure is shorter than its oldest form.
	CodeLength = "length"
	// CodeCount: the number of structures is not the announced one.
	CodeCount = "count"
	// CodeTruncated: the data end inside a structure.
	CodeTruncated = "truncated"
	// CodeStringIndex: a field names a string the structure does not have.
	CodeStringIndex = "string_index"
	// CodeZeroLength: a structure announces less than the four bytes of its
	// header, so that the next one cannot be found from it.
	CodeZeroLength = "zero_length"
	// CodeNoEndMarker: no structure is of type 127.
	CodeNoEndMarker = "no_end_marker"
	// CodeGarbage: bytes that are not a structure were skipped.
	CodeGarbage = "garbage"
	// CodeDuplicateHandle: two structures have the same handle.
	CodeDuplicateHandle = "duplicate_handle"
	// CodeDanglingHandle: a reference leads to no structure of the right type.
	CodeDanglingHandle = "dangling_handle"
	// CodeOutOfSpec: a field has a value the specification does not define.
	CodeOutOfSpec = "field_out_of_spec"
	// CodeText: a line of dmidecode's text could not be read.
	CodeText = "text"
	// CodeNoStructures: the input is SMBIOS, but holds no structure.
	CodeNoStructures = "no_structures"
	// CodeTooLarge: the table describes more than any machine has.
	CodeTooLarge = "too_large"
	// CodeMore: there are more problems than are listed.
	CodeMore = "more"
)

// Problem is a defect of the table that did not stop the decoding.
type Problem struct {
	// Code is one of the Code constants.
	Code string
	// Text says what was found and what was expected, lower case.
	Text string
	// Offset is the position in the table or text, in bytes; -1 without one.
	Offset int
	// Handle is the structure's handle, -1 without one.
	Handle int
	// Harmless is true when every structure was still read in full and no
	// reference the audit follows is involved.
	Harmless bool
}

// maxProblems bounds the list against tables that consist of defects.
const maxProblems = 500

// The errors of Parse. Everything else is a Table with Problems.
var (
	// ErrEmpty: no data.
	ErrEmpty = errors.New("smbios: empty input: expected a dmidecode --dump-bin file, a structure table or dmidecode's text")
	// ErrUnrecognised: nothing in the data is SMBIOS.
	ErrUnrecognised = errors.New("smbios: not SMBIOS data")
	// ErrNoTable: dmidecode's text says that the machine has no SMBIOS.
	ErrNoTable = errors.New("smbios: dmidecode found no SMBIOS on the machine")
	// ErrDenied: dmidecode's text says that it was not allowed to read.
	ErrDenied = errors.New("smbios: dmidecode was not permitted to read the table")
	// ErrNoHandles: the text was printed with `dmidecode -q`, which leaves out
	// the handles that tell the slots apart.
	ErrNoHandles = errors.New("smbios: dmidecode text has no handles (printed with -q?): print it without -q")
)
