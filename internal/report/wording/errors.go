package wording

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/report"
)

// Errors is what was counted on a module in words: "120 corrected errors", with
// the uncorrected ones where there are any; "" where nobody counts or none were.
func Errors(e *report.Errors) string {
	switch {
	case e == nil:
		return ""
	case e.Uncorrected != nil && *e.Uncorrected > 0:
		return Counted(e.Corrected) + " corrected and " + Counted(e.Uncorrected) + " uncorrected errors"
	case e.Corrected != nil && *e.Corrected > 0:
		return Counted(e.Corrected) + " corrected errors"
	default:
		return ""
	}
}

// Counted is a number that may not be known: "?" then.
func Counted(n *int64) string {
	if n == nil {
		return "?"
	}
	return strconv.FormatInt(*n, 10)
}
