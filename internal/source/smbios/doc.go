// Package smbios decodes SMBIOS tables (DMTF DSP0134) and dmidecode's text of
// them into one set of typed structures.
//
// Three inputs are told apart by content (see Parse): a dump made by
// `dmidecode --dump-bin`, a bare structure table as in
// /sys/firmware/dmi/tables/DMI, and dmidecode's text. The bytes and the text
// of one machine give the same typed values, so callers do not need to know which one
// was read.
//
// The length byte of a structure decides which fields exist, never the version that
// the entry point declares. A decoded value comes with a Status, which says whether
// firmware stated it, declared it unknown, wrote a value that the specification does
// not define, or has no such field. Damage is listed in Table.Problems; whatever is not
// damaged is decoded all the same.
package smbios
