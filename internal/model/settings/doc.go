// Package settings has the vocabulary of BIOS settings: the canonical ids and
// words that rules, reports and metrics use. Its tables translate each vendor's
// attribute names and values into them, and back into the command or menu path
// with which an operator changes a setting.
package settings
