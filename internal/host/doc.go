// Package host reads what a Linux kernel says about processors, memory and
// their settings in /sys and /proc: of the live machine, of a machine mounted
// or unpacked elsewhere, or of a capture archive.
//
// A Root answers bounded reads of single files and folders; parsers take the
// bytes; a reader such as ReadNUMA names the files it looks at and returns
// values that each carry where they came from or why they are not known. An
// absent, denied, refused, cut short, malformed or never captured file is six
// different things here and none of them is a value. What a hostile tree may try,
// and which bound stops it, is listed in docs/threat-model.md.
package host
