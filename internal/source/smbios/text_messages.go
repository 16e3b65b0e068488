package smbios

import (
	"fmt"
	"strings"
)

// outside parses a line between structures: dmidecode's header, its messages, or other lines in a captured
// log.
func (p *textParser) outside(pos int, content string) {
	if p.message(pos, content) {
		return
	}
	switch content {
	case "Memory Device", "Physical Memory Array", "Processor Information", "BIOS Information", "System Information":
		p.said.titles++
	}
}

func (p *textParser) message(pos int, content string) bool {
	t := p.t
	bare := strings.TrimLeft(content, "# ")
	switch {
	case strings.HasPrefix(bare, "dmidecode ") && p.version(bare[len("dmidecode "):]):
	case strings.HasPrefix(bare, "SMBIOS ") && strings.HasSuffix(bare, " present."):
		p.header = true
		t.EntryPoint.Declared = parseVersion(bare[len("SMBIOS "):])
		t.Version = t.EntryPoint.Declared
	case strings.HasPrefix(bare, "Legacy DMI ") && strings.HasSuffix(bare, " present."):
		p.header = true
		t.EntryPoint.Declared = parseVersion(bare[len("Legacy DMI "):])
		t.Version = t.EntryPoint.Declared
	case strings.Contains(bare, " structures occupying "):
		if n, rest, ok := leadingInt(bare); ok {
			t.all = true
			p.announced = int(min(n, 1<<16))
			size, _, _ := leadingInt(strings.TrimPrefix(rest, " structures occupying "))
			t.EntryPoint.TableLength = int(min(size, 1<<32))
		}
	case strings.HasPrefix(bare, "Invalid entry length"):
		if !strings.Contains(bare, "Fixed up") { // otherwise dmidecode continued
			t.problem(CodeZeroLength, pos, false, "dmidecode stopped here: %s", clipLine(bare))
		}
	case strings.HasPrefix(bare, "Wrong DMI structures count"):
		t.problem(CodeCount, pos, true, "dmidecode says: %s", clipLine(bare))
	case strings.HasPrefix(bare, "Wrong DMI structures length"):
		t.problem(CodeLength, pos, !strings.Contains(bare, "available"), "dmidecode says: %s", clipLine(bare))
	case strings.HasPrefix(bare, "Table at 0x"):
		t.all = true // `dmidecode -t` prints no such line
	case strings.HasPrefix(bare, "Getting SMBIOS data"),
		strings.HasPrefix(bare, "Reading SMBIOS"), strings.HasPrefix(bare, "Scanning "),
		strings.HasPrefix(bare, "SMBIOS version fixup"), strings.HasPrefix(bare, "Total read length"),
		strings.HasPrefix(content, "# "):
		p.refused(bare)
	default:
		return p.refused(bare)
	}
	return true
}

// refused recognises and keeps messages that explain why there is no table.
func (p *textParser) refused(bare string) bool {
	switch {
	case strings.Contains(bare, "ermission denied"), strings.Contains(bare, "peration not permitted"),
		strings.Contains(bare, "Can't read memory from"):
		p.said.denied = bare
	case strings.Contains(bare, "No SMBIOS nor DMI entry point found"),
		strings.Contains(bare, "SMBIOS entry point missing"),
		strings.Contains(bare, "No such file or directory") && strings.Contains(bare, "/mem"):
		p.said.none = bare
	default:
		return false
	}
	return true
}

// version reads the version from "# dmidecode 3.4".
func (p *textParser) version(s string) bool {
	major, rest, ok := leadingInt(s)
	if !ok || !strings.HasPrefix(rest, ".") {
		return false
	}
	minor, _, ok := leadingInt(rest[1:])
	if !ok {
		return false
	}
	p.header = true
	p.t.dmi = int(major*100 + min(minor, 99))
	return true
}

// parseVersion reads a version from "3.2.1 present." or "2.8 present.".
func parseVersion(s string) (v Version) {
	for _, field := range []*int{&v.Major, &v.Minor, &v.Revision} {
		n, rest, ok := leadingInt(s)
		if !ok || n > 255 {
			return v
		}
		*field = int(n)
		if s = strings.TrimPrefix(rest, "."); s == rest {
			return v
		}
	}
	return v
}

// failure returns the error for text without structures and without dmidecode's header.
func (p *textParser) failure() error {
	if err := p.refusal(); err != nil {
		return err
	}
	first, _, _ := strings.Cut(strings.TrimLeft(p.text, " \t\r\n"), "\n")
	return fmt.Errorf("%w: text starts with %q: expected dmidecode's text, a dmidecode --dump-bin file or a structure table",
		ErrUnrecognised, clipLine(printable(strings.TrimRight(first, "\r"))))
}

func (p *textParser) refusal() error {
	switch {
	case p.said.denied != "":
		return fmt.Errorf("%w: it says %q", ErrDenied, clipLine(p.said.denied))
	case p.said.none != "":
		return fmt.Errorf("%w: it says %q", ErrNoTable, clipLine(p.said.none))
	case p.said.titles > 0:
		return ErrNoHandles
	}
	return nil
}
