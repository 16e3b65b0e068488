package inventory

import (
	"cmp"
	"strconv"
	"strings"
)

// Subject is what a finding is about. The zero value is the machine as a whole.
type Subject struct {
	Kind SubjectKind
	// Number is that of a socket or a node, Handle a slot's.
	Number int
	Handle Handle
	// Name is a slot's locator, a setting's id, or all the text of a subject of no known kind.
	Name string
}

// SubjectKind is the kind of a subject, in the word that its text begins with.
type SubjectKind string

// The kinds of subjects. AboutOther is what a document from elsewhere names and this program does not know.
const (
	AboutMachine SubjectKind = ""
	AboutSocket  SubjectKind = "socket"
	AboutSlot    SubjectKind = "slot"
	AboutNode    SubjectKind = "node"
	AboutSetting SubjectKind = "setting"
	AboutOther   SubjectKind = "other"
)

// SocketSubject names a socket, or the machine for a negative number: memory behind a controller outside the processors.
func SocketSubject(id int) Subject {
	if id < 0 {
		return Subject{}
	}
	return Subject{Kind: AboutSocket, Number: id}
}

// NodeSubject names a NUMA node.
func NodeSubject(id int) Subject { return Subject{Kind: AboutNode, Number: id} }

// SlotSubject names a slot by its handle and its locator, "" for none.
func SlotSubject(handle Handle, locator string) Subject {
	return Subject{Kind: AboutSlot, Handle: handle, Name: locator}
}

// Subject names the slot.
func (s *Slot) Subject() Subject { return SlotSubject(s.Handle, s.Locator.Or("")) }

// SettingSubject names a BIOS setting.
func SettingSubject(id string) Subject { return Subject{Kind: AboutSetting, Name: id} }

// unnamed is printed for a slot without a locator.
const unnamed = "no name"

// String prints a subject as docs/interface.md names it: "machine", "socket 0", "slot 0x1101 (DIMM_A4)".
func (s Subject) String() string {
	switch s.Kind {
	case AboutMachine:
		return "machine"
	case AboutSocket, AboutNode:
		return string(s.Kind) + " " + strconv.Itoa(s.Number)
	case AboutSlot:
		return "slot " + s.Handle.String() + " (" + cmp.Or(s.Name, unnamed) + ")"
	case AboutSetting:
		return "setting " + s.Name
	default:
		return s.Name
	}
}

// MarshalText writes the subject into a document.
func (s Subject) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the subject of a document. Text of no known kind is kept as it is.
func (s *Subject) UnmarshalText(text []byte) error {
	kind, rest, _ := strings.Cut(string(text), " ")
	var read Subject
	switch SubjectKind(kind) {
	case AboutSocket, AboutNode:
		n, _ := strconv.Atoi(rest)
		read = Subject{Kind: SubjectKind(kind), Number: n}
	case AboutSlot:
		handle, name, _ := strings.Cut(rest, " ")
		var number Handle
		_ = number.UnmarshalText([]byte(handle))
		read = SlotSubject(number, strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"))
		if read.Name == unnamed {
			read.Name = ""
		}
	case AboutSetting:
		read = SettingSubject(rest)
	default:
	}
	if read.String() != string(text) {
		read = Subject{Kind: AboutOther, Name: string(text)}
	}
	*s = read
	return nil
}
