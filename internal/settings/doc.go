// Package settings is the vocabulary of BIOS settings: the canonical ids and
// words that rules, reports and metrics use, and the tables that translate
// each vendor's attribute names and values into them and back into the command
// or menu path by which an operator changes them.
package settings
