// Package host reads what a Linux kernel says about processors, memory and
// their settings in /sys and /proc: of the live machine, of a machine mounted
// or unpacked elsewhere, or of a capture archive.
//
// A Root reads single files and folders with a limit on their size. A reader such as
// ReadNUMA returns values that each say from which file they come, or why they are not
// known. That a file is absent, denied, refused, cut short, malformed or was never
// captured are six different states, and none of them is a value. What a hostile tree may try,
// and which bound stops it, is listed in docs/threat-model.md.
package host
