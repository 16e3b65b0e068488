package smbios

import "errors"

// The codes of problems (Problem.Code).
const (
	// CodeChecksum: a checksum of the entry point is wrong.
	CodeChecksum = "checksum"
	// CodeEntryPoint: the entry point is cut short, or its length is not used by the specification or known
	// firmware.
	CodeEntryPoint = "entry_point"
	// CodeVersion: an impossible version was corrected.
	CodeVersion = "version"
	// CodeLength: the length of the table is not the announced one, or a structure is shorter than
	// its oldest form.
	CodeLength = "length"
	// CodeCount: the number of structures is not the announced one.
	CodeCount = "count"
	// CodeTruncated: the data end inside a structure.
	CodeTruncated = "truncated"
	// CodeStringIndex: a field names a string that the structure does not have.
	CodeStringIndex = "string_index"
	// CodeZeroLength: a structure announces fewer than the four bytes of its header, so the start
	// of the next one is unknown.
	CodeZeroLength = "zero_length"
	// CodeNoEndMarker: there is no end marker (type 127).
	CodeNoEndMarker = "no_end_marker"
	// CodeEarlyEnd: structures follow the end marker.
	CodeEarlyEnd = "early_end"
	// CodeDevices: a memory array announces more devices than the table lists, and the list was not
	// cut off.
	CodeDevices = "devices"
	// CodeCopy: a processor or module is listed twice.
	CodeCopy = "copy"
	// CodeGarbage: bytes that do not belong to the table or to a structure were skipped.
	CodeGarbage = "garbage"
	// CodeDuplicateHandle: two structures have the same handle.
	CodeDuplicateHandle = "duplicate_handle"
	// CodeDanglingHandle: a reference leads to no structure of the right type.
	CodeDanglingHandle = "dangling_handle"
	// CodeOutOfSpec: a field has a value the specification does not define.
	CodeOutOfSpec = "field_out_of_spec"
	// CodeText: a line of dmidecode's text could not be read.
	CodeText = "text"
	// CodeNoStructures: the input is SMBIOS without a structure.
	CodeNoStructures = "no_structures"
	// CodeTooLarge: the table describes more than any machine has.
	CodeTooLarge = "too_large"
	// CodeMore: the list ends here although there are more problems.
	CodeMore = "more"
)

// Problem is a defect of the table that did not stop the decoding.
type Problem struct {
	// Code is one of the Code constants.
	Code string
	// Text describes the problem, in lower case, and what was expected if that helps.
	Text string
	// Offset is the position in the table or text in bytes, -1 if there is none.
	Offset int
	// Handle is the structure's handle, -1 if the problem is not about one structure.
	Handle int
	// Harmless is set for a defect that does not affect the audit of the memory: no structure is lost, and no
	// reference that it follows.
	Harmless bool
}

// maxProblems limits the list for tables that consist of defects.
const maxProblems = 500

// The errors of Parse, with ErrTooLarge. All other defects are in Table.Problems.
var (
	// ErrEmpty: no data.
	ErrEmpty = errors.New("smbios: empty input: expected a dmidecode --dump-bin file, a structure table or dmidecode's text")
	// ErrUnrecognised is returned for data without SMBIOS.
	ErrUnrecognised = errors.New("smbios: not SMBIOS data")
	// ErrNoTable is returned if dmidecode's text reports that the machine has no SMBIOS.
	ErrNoTable = errors.New("smbios: dmidecode found no SMBIOS on the machine")
	// ErrDenied is returned if dmidecode's text reports that it had no permission to read.
	ErrDenied = errors.New("smbios: dmidecode was not permitted to read the table")
	// ErrNoHandles: the text has titles but no handles, without which slots cannot be distinguished.
	// `dmidecode -q` prints it like that.
	ErrNoHandles = errors.New("smbios: dmidecode text has no handles (printed with -q?): print it without -q")
	// ErrNoFields: the text has structures and not one field of them.
	ErrNoFields = errors.New("smbios: dmidecode text has handles but no fields below them (layout lost, or lines filtered): give the unchanged output of dmidecode")
)
