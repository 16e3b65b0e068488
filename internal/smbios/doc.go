// Package smbios decodes SMBIOS tables (DMTF DSP0134) and dmidecode's text of
// them into one set of typed structures.
//
// Three inputs are told apart by content (see Parse): a dump made by
// `dmidecode --dump-bin`, a bare structure table as in
// /sys/firmware/dmi/tables/DMI, and dmidecode's text. The bytes and the text
// of one machine give the same typed values, so that nothing behind this
// package needs to know which one was read.
//
// Which field exists is decided by the length byte of its structure, never by
// the version the entry point declares. A value is never a bare number: its
// Status says whether firmware stated it, declared it unknown, stated nonsense
// or has no such field. Damage costs what is damaged and is listed in
// Table.Problems; the rest is decoded.
package smbios
