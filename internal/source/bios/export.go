// Package bios decodes exports of a machine's BIOS settings: Redfish Bios resources and their registries, and the files
// of the vendors' command-line tools. It recognises the formats by content. Names and values stay as the vendor writes
// them; what they mean is in the vendor's table, by which Read translates them.
package bios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
)

// Limits of one export. The largest known registry is smaller than 4 MiB and has fewer than 2000 attributes; the
// deepest file has 9 levels.
const (
	// MaxBytes is the longest file that is read.
	MaxBytes      = 16 << 20
	maxAttributes = 20000
	maxDepth      = 64
	maxJSONValues = 500000
	maxValue      = 64 << 10
	maxProblems   = 100
	maxLines      = 200000
)

// The errors of Decode and DecodeRedfish, for errors.Is.
var (
	// ErrUnrecognised: the content is not of a known format.
	ErrUnrecognised = errors.New("not a known export of BIOS settings")
	// ErrEmpty is returned for a file that is empty or has only white space.
	ErrEmpty = errors.New("the file is empty")
	// ErrMalformed: the format is known, but the content breaks its rules or a limit.
	ErrMalformed = errors.New("malformed")
)

const expected = "expected a Redfish Bios resource, settings object or attribute registry (JSON), Dell racadm, syscfg, SCP, " +
	"omreport or WS-Man output, Supermicro SUM output, HPE ilorest or conrep output, Ansible's redfish_info, Lenovo/IBM ASU or OneCLI output, Intel syscfg INI, " +
	"AMI SCELNX text or a dump of SCE (JSON), an eLCM profile of Fujitsu's iRMC, ironic's list of BIOS settings, metal3 HostFirmwareSettings, UCS Manager XML, a table of BIOS setup's names and values, or memaudit's own words, one \"setting: value\" a line"

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
	UCSXML      Format = "ucs-xml"
	// Menu is a table of the names and values that BIOS setup shows, written by a person.
	Menu Format = "menu"
	// OwnWords is a file of memaudit's canonical values, written by a person.
	OwnWords Format = "settings"
	// FirmwareAttributes is not a file but the kernel's class firmware-attributes.
	FirmwareAttributes Format = "firmware-attributes"
)

// The vendors of exports, as their tables and machines name them; "" if the export does not show its vendor.
const (
	Dell       = "Dell"
	HPE        = "HPE"
	Lenovo     = "Lenovo"
	IBM        = "IBM"
	Supermicro = "Supermicro"
	Cisco      = "Cisco"
	Intel      = "Intel"
	Gigabyte   = "GIGABYTE"
	// AMI makes firmware but no machines. Its names are in the table of GIGABYTE, which uses them unchanged.
	AMI        = "AMI"
	ZT         = "ZT Systems"
	Cray       = "HPE Cray"
	ASRockRack = "ASRockRack"
	Fujitsu    = "FUJITSU"
	// IntelReference and AMDReference are not vendors: the attribute names are those of Intel's reference code
	// or AMD's common BIOS settings (CBS), which several vendors ship unchanged.
	IntelReference = "Intel reference code"
	AMDReference   = "AMD CBS"
)

var vendors = []string{"", Dell, HPE, Lenovo, IBM, Supermicro, Cisco, Intel, Gigabyte, AMI, ZT, Cray, ASRockRack, Fujitsu, IntelReference, AMDReference}

// Attribute is one attribute of an export, with name and values as the vendor writes them.
type Attribute struct {
	// Name is the attribute's name. Display is its text in BIOS setup and Menu its path in setup, if the export or
	// its registry has them.
	Name, Display, Menu string
	// Value is the current value. Stated is false if the export has none: it is null or a password, or the file
	// lists only pending values.
	Value  string
	Stated bool
	// Pending is the value after the next boot; HasPending is set if the export has one.
	Pending    string
	HasPending bool
	// Text and PendingText are what BIOS setup shows for Value and Pending; "" if that is not known.
	Text, PendingText string
	// Default is the factory value, "" when not stated.
	Default string
	// ReadOnly is set if the attribute cannot currently be changed.
	ReadOnly bool
	// Options are the possible values that the export lists. OptionTexts maps them to their texts in BIOS setup,
	// if a registry has these.
	Options     []string
	OptionTexts map[string]string
	// Bare is true for a JSON value that is not a string, for example a number or a boolean: it is
	// written without quotation marks.
	Bare bool
	// Place is the line ("line 12") or the JSON path of the value.
	Place string
}

// Export is one decoded file, or several files that belong together (see Join).
type Export struct {
	// Name is the file name that was given to Decode.
	Name   string `json:"name"`
	Format Format `json:"format"`
	// Vendor is one of the vendor constants, "" if unknown.
	Vendor string `json:"vendor,omitempty"`
	// Guessed is true if fewer than two attribute names indicate the vendor. That is not enough to
	// conclude that the machine does not offer an attribute.
	Guessed bool `json:"guessed,omitempty"`
	// Product, Firmware and RegistryName are what the export states, "" if it does not.
	Product      string `json:"product,omitempty"`
	Firmware     string `json:"firmware,omitempty"`
	RegistryName string `json:"registry_name,omitempty"`
	// Complete is true if the file seems to list all attributes that the machine offers: what it
	// does not list is not offered. It is false for an excerpt.
	Complete bool `json:",omitempty"`
	// PendingOnly is set if the file lists changes to be made and not current values: a settings object or a batch of
	// set commands. Its values are in Pending.
	PendingOnly bool `json:"Wishes,omitempty"`
	// ReadsPending is true for a tool that prints a changed value at once although it takes effect
	// at the next boot (Dell syscfg).
	ReadsPending bool        `json:",omitempty"`
	Attributes   []Attribute `json:"attributes"`
	// Problems lists defects of single attributes, at most maxProblems and a line with the number of others.
	Problems []string `json:"problems,omitempty"`
	// Settings is the path of the settings object that a Redfish resource names; Path is that of the resource itself.
	Settings string `json:"settings,omitempty"`
	Path     string `json:"path,omitempty"`
	// Locks are the dependencies of an attribute registry, and of the registry by which the attributes were resolved:
	// attributes, and the conditions under which they can be changed.
	Locks map[string][]dependency `json:"locks,omitempty"`

	// Table translates the attributes, nil if memaudit has no table of the vendor. Use sets it.
	Table   *settings.Table `json:"-"`
	product string
	byName  map[string][]*Attribute
	// failed is the first attribute that breaks a limit.
	failed error
}

// Attribute finds an attribute by its exact name.
func (e *Export) Attribute(name string) (*Attribute, bool) {
	i := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Name == name })
	if i < 0 {
		return nil, false
	}
	return &e.Attributes[i], true
}

func (e *Export) adoptProblems(from *Export) {
	for _, p := range from.Problems {
		e.recordProblem("%s", p)
	}
}

func (e *Export) recordProblem(format string, args ...any) {
	switch {
	case len(e.Problems) < maxProblems:
		e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
	case len(e.Problems) == maxProblems:
		e.Problems = append(e.Problems, "further problems are not listed")
	}
}

// add appends an attribute, without its value if its name is that of a password. Too many attributes, or one that is too
// long, make the export fail; one without a name is a problem.
func (e *Export) add(a Attribute) {
	switch {
	case e.failed != nil:
	case len(e.Attributes) >= maxAttributes:
		e.failed = malformedError(a.Place, "more than %d attributes", maxAttributes)
	case len(a.Name)+len(a.Value)+len(a.Pending) > maxValue:
		e.failed = malformedError(a.Place, "an attribute longer than %d bytes", maxValue)
	case a.Name == "":
		e.recordProblem("%s: an attribute without a name", a.Place)
	default:
		if isSecretName(a.Name) {
			a.dropValues()
		}
		e.Attributes = append(e.Attributes, a)
	}
}

func (e *Export) errorIfEmpty(place, format string, args ...any) error {
	if e.failed != nil || len(e.Attributes) > 0 {
		return e.failed
	}
	return malformedError(place, format, args...)
}

func (a *Attribute) dropValues() {
	a.Value, a.Text, a.Stated = "", "", false
	a.Pending, a.PendingText, a.HasPending = "", "", false
	a.Default = ""
}

func malformedError(place, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMalformed, place, fmt.Sprintf(format, args...))
}

func lineOrigin(n int) string { return fmt.Sprintf("line %d", n) }

// dependency is one entry of a registry's Dependencies (DMTF DSP8010, AttributeRegistry): whether
// an attribute can be changed while other attributes have certain values.
type dependency struct {
	// Locks is true if the attribute cannot be changed while the terms hold, and false if it can.
	Locks bool             `json:"locks"`
	Terms []dependencyTerm `json:"terms"`
}

// dependencyTerm compares the current value of an attribute. It is combined with the previous terms by OR if Or is
// set, otherwise by AND.
type dependencyTerm struct {
	Attribute string `json:"attribute"`
	Condition string `json:"condition"`
	Value     string `json:"value"`
	Or        bool   `json:"or,omitempty"`
}

func (e *Export) addPlain(name, value, place string) {
	e.add(Attribute{Name: cleanValue(name), Value: cleanValue(value), Stated: true, Place: place})
}

// isSecretName reports whether the name of an attribute is that of a password or a key. Its value is never kept.
func isSecretName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "passwd", "passphrase", "privatekey", "private key"}, func(word string) bool { return strings.Contains(lower, word) })
}

// JoinExports combines exports that belong together. A settings object provides the pending values of its resource. A registry
// provides names and texts for the exports that name it, or another version of it if that is not among the files, and
// for those that do not name a registry. The result has all exports except for the merged settings objects.
func JoinExports(exports []*Export) []*Export {
	var out []*Export
	used := map[*Export]bool{}
	for _, e := range exports {
		if e.Format != Redfish || e.PendingOnly {
			continue
		}
		for _, s := range exports {
			if s.PendingOnly && s.Format == Redfish && !used[s] && e.isSettledBy(s) {
				e.mergePending(s)
				used[s] = true
			}
		}
	}
	for _, e := range exports {
		if e.Format != Registry {
			e.applyRegistry(registriesOf(e, exports)...)
		}
		if !used[e] {
			out = append(out, e)
		}
	}
	return out
}

func registriesOf(e *Export, exports []*Export) []*Export {
	var own, others []*Export
	stem, _, _ := strings.Cut(e.RegistryName, ".")
	for _, r := range exports {
		switch other, _, _ := strings.Cut(r.RegistryName, "."); {
		case r.Format != Registry:
		case e.RegistryName != "" && strings.EqualFold(e.RegistryName, r.RegistryName):
			own = append(own, r)
		case e.RegistryName == "" || r.RegistryName == "" || strings.EqualFold(stem, other):
			others = append(others, r)
		}
	}
	if own != nil {
		return own
	}
	return others
}

// isSettledBy reports whether s is the settings object of e: by the path in e or, if a path is missing, by the vendor.
func (e *Export) isSettledBy(s *Export) bool {
	if e.Settings != "" && s.Path != "" {
		return strings.EqualFold(strings.TrimRight(e.Settings, "/"), strings.TrimRight(s.Path, "/"))
	}
	return e.Vendor == s.Vendor
}

func (e *Export) mergePending(s *Export) {
	e.adoptProblems(s)
	at := map[string]*Attribute{}
	for i := range e.Attributes {
		at[e.Attributes[i].Name] = &e.Attributes[i]
	}
	for _, p := range s.Attributes {
		switch a := at[p.Name]; {
		case !p.HasPending:
		case a == nil:
			e.recordProblem("%s: the settings object names %q, which the resource does not have", p.Place, p.Name)
		default:
			a.Pending, a.PendingText, a.HasPending = p.Pending, a.OptionTexts[p.Pending], true
		}
	}
}

// Check returns an error if Decode could not have returned this export: it has too many or too long attributes, or one
// without a name. It checks exports from captures. Values of passwords are dropped, and dependencies without terms,
// which would always apply.
func (e *Export) Check() error {
	if len(e.Attributes) > maxAttributes {
		return malformedError(e.Name, "more than %d attributes", maxAttributes)
	}
	for i := range e.Attributes {
		switch a := &e.Attributes[i]; {
		case a.Name == "":
			return malformedError(e.Name, "attributes[%d] has no name", i)
		case len(a.Name)+len(a.Value)+len(a.Pending) > maxValue:
			return malformedError(e.Name, "attributes[%d] is longer than %d bytes", i, maxValue)
		case isSecretName(a.Name):
			a.dropValues()
		}
	}
	for name, list := range e.Locks {
		e.Locks[name] = slices.DeleteFunc(list, func(d dependency) bool { return len(d.Terms) == 0 })
	}
	if !slices.Contains(vendors, e.Vendor) { // earlier versions had other names for them
		e.Vendor, e.Guessed = vendorByNames(e.Attributes)
	}
	return nil
}

// WithoutValues returns a copy without the values of attributes that keep rejects, such as serial numbers and passwords. Their
// names, places and flags are kept.
func (e *Export) WithoutValues(keep func(name, display string) bool) *Export {
	out := *e
	out.Attributes = make([]Attribute, len(e.Attributes))
	for i, a := range e.Attributes {
		if !keep(a.Name, a.Display) {
			a = Attribute{Name: a.Name, Display: a.Display, Menu: a.Menu, Stated: a.Stated, HasPending: a.HasPending, ReadOnly: a.ReadOnly, Place: a.Place}
		}
		out.Attributes[i] = a
	}
	return &out
}
