package bios

import (
	"errors"
	"fmt"
	"strings"
)

// Bounds on one export. The largest known registry is under 4 MiB and holds
// under 2000 attributes; the deepest file nests 9 levels.
const (
	// MaxBytes is the longest file that is read.
	MaxBytes      = 16 << 20
	maxAttributes = 20000
	maxDepth      = 64
	maxValue      = 64 << 10
	maxProblems   = 100
	maxLines      = 200000
)

// Errors that a caller tells apart with errors.Is.
var (
	// ErrUnrecognised: the content is not of a known format.
	ErrUnrecognised = errors.New("not a known export of BIOS settings")
	// ErrEmpty: the file holds nothing.
	ErrEmpty = errors.New("the file is empty")
	// ErrMalformed: the format is known and the content breaks it.
	ErrMalformed = errors.New("malformed")
)

// expected names what Decode reads, for its error text.
const expected = "expected a Redfish Bios resource, settings object or attribute registry (JSON), Dell racadm, syscfg, SCP, " +
	"omreport or WS-Man output, Supermicro SUM output, HPE ilorest or conrep output, Ansible's redfish_info, Lenovo/IBM ASU or OneCLI output, Intel syscfg INI, " +
	"an AMI SCE dump (JSON), or memaudit's own words, one \"setting: value\" a line"

// Format is the kind of an export.
type Format string

// The formats.
const (
	Redfish     Format = "redfish"
	Registry    Format = "redfish-registry"
	ILORest     Format = "ilorest"
	Racadm      Format = "racadm"
	DellSyscfg  Format = "dell-syscfg"
	SCPXML      Format = "scp-xml"
	SCPJSON     Format = "scp-json"
	WSMan       Format = "ws-man"
	SUMXML      Format = "sum-xml"
	SUMText     Format = "sum-text"
	Conrep      Format = "conrep"
	ASU         Format = "asu"
	ASUBatch    Format = "asu-batch"
	IntelSyscfg Format = "intel-syscfg"
	SCE         Format = "ami-sce"
	Omreport    Format = "omreport"
	// OwnWords is a file of memaudit's own words, written by a person.
	OwnWords Format = "settings"
	// FirmwareAttributes are those of the kernel's class of that name; no file.
	FirmwareAttributes Format = "firmware-attributes"
)

// Vendors whose tables exist; "" is a vendor that the export does not tell.
const (
	Dell       = "dell"
	HPE        = "hpe"
	Lenovo     = "lenovo"
	IBM        = "ibm"
	Supermicro = "supermicro"
	Cisco      = "cisco"
	Intel      = "intel"
	Gigabyte   = "gigabyte"
	AMI        = "ami"
	ZT         = "zt"
	Cray       = "cray"
	ASRockRack = "asrockrack"
	Fujitsu    = "fujitsu"
	// IntelReference and AMDReference are not vendors: the names of Intel's
	// reference code and of AMD's common BIOS settings, used as they are by every
	// maker that ships them.
	IntelReference = "intel-reference"
	AMDReference   = "amd-cbs"
)

// Attribute is one attribute of an export, as the vendor spells it.
type Attribute struct {
	// Name is the attribute's name; Display the text beside it in setup, when
	// the export or its registry gives one. Menu is the path in setup.
	Name, Display, Menu string
	// Value is the value that the export states as current. Stated is false
	// when there is none (null, a password, a batch of wishes).
	Value  string
	Stated bool
	// Pending is the value after the next boot, where the export states one.
	Pending    string
	HasPending bool
	// Text and PendingText are what setup prints for the values, "" when that
	// is not known or the values themselves.
	Text, PendingText string
	// Default is the factory value, "" when not stated.
	Default string
	// ReadOnly attributes cannot be changed now.
	ReadOnly bool
	// Options are the values on offer, as far as the export lists them;
	// OptionTexts are what setup prints for them where that is another word.
	Options     []string
	OptionTexts map[string]string
	// Bare is true for a JSON number or boolean, which is written without
	// quotation marks.
	Bare bool
	// Place is the line or the JSON path of the value.
	Place string
}

// Export is one decoded file, or several that belong together.
type Export struct {
	// Name is the file's name as given.
	Name   string
	Format Format
	// Vendor is one of the vendor words, "" when the export does not tell.
	Vendor string
	// Guessed is true where no more than one attribute name tells the vendor: not
	// enough to say of an attribute that the machine does not offer it.
	Guessed bool
	// Product, Firmware and RegistryName are as stated in the export, "" when
	// they are not.
	Product, Firmware, RegistryName string
	// Complete is true for a dump of all attributes that the machine offers:
	// what it does not list is not offered. False for single attributes.
	Complete bool
	// Wishes is true when the file says what is to be set, not what is set: a
	// settings object, a batch of set commands. Values are then in Pending.
	Wishes bool
	// ReadsPending is true for a tool that shows a changed value at once
	// although it takes effect at the next boot (Dell syscfg).
	ReadsPending bool
	Attributes   []Attribute
	// Problems are defects that cost single attributes.
	Problems []string
	// Settings is the path of the settings object that the resource names;
	// Path is the resource's own.
	Settings, Path string
	// registry is set when the file holds one.
	registry *registry
	// locks are those of the registry that the attributes were resolved by.
	locks map[string][]dependency
}

// Attribute finds an attribute by its exact name.
func (e *Export) Attribute(name string) (*Attribute, bool) {
	for i := range e.Attributes {
		if e.Attributes[i].Name == name {
			return &e.Attributes[i], true
		}
	}
	return nil, false
}

// HasRegistry reports whether the export carries an attribute registry.
func (e *Export) HasRegistry() bool { return e.registry != nil }

// problem records a defect, up to a bound.
func (e *Export) problem(format string, args ...any) {
	switch {
	case len(e.Problems) < maxProblems:
		e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
	case len(e.Problems) == maxProblems:
		e.Problems = append(e.Problems, "further problems are not listed")
	}
}

// add appends an attribute; too many, or one too long, are an error, and one
// without a name is a problem.
func (e *Export) add(a Attribute) error {
	if len(e.Attributes) >= maxAttributes {
		return malformed(a.Place, "more than %d attributes", maxAttributes)
	}
	if len(a.Name)+len(a.Value)+len(a.Pending) > maxValue {
		return malformed(a.Place, "an attribute longer than %d bytes", maxValue)
	}
	if a.Name == "" {
		e.problem("%s: an attribute without a name", a.Place)
		return nil
	}
	e.Attributes = append(e.Attributes, a)
	return nil
}

// malformed is an error at a place: "line 12: ..." or "$.Attributes: ...".
func malformed(place, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMalformed, place, fmt.Sprintf(format, args...))
}

// lineOrigin names a line, counted from 1.
func lineOrigin(n int) string { return fmt.Sprintf("line %d", n) }

// registry is a DMTF attribute registry (DSP8010 BiosAttributeRegistry).
type registry struct {
	name       string
	attributes map[string]*registered
	// locks say, by attribute, when it can be changed.
	locks map[string][]dependency
}

// registered is one attribute of a registry.
type registered struct {
	display, menu, fallback string
	readOnly                bool
	// names are the values on offer, texts what setup prints for them.
	names []string
	texts map[string]string
}

// dependency is one entry of a registry's Dependencies (DMTF DSP8010,
// AttributeRegistry): what holds of one attribute while others have values.
type dependency struct {
	// locks is true where the attribute cannot be changed while the terms hold,
	// false where it then can.
	locks bool
	terms []dependencyTerm
}

// dependencyTerm compares one attribute's current value. or joins it to the terms before
// it, which otherwise must hold, too.
type dependencyTerm struct {
	attribute, condition, value string
	or                          bool
}

// addPlain appends a name and its value.
func (e *Export) addPlain(name, value string, readOnly bool, place string) error {
	a := Attribute{Name: cleanValue(name), Value: cleanValue(value), Stated: true, ReadOnly: readOnly, Place: place}
	if secret(a.Name) {
		a.Value, a.Stated = "", false
	}
	return e.add(a)
}

// secret reports an attribute whose value is nobody's business: it is not
// even kept.
func secret(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"password", "passwd", "passphrase", "privatekey", "private key"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
