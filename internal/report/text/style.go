package text

// The styling of the text writer: a few basic colours for severity words. It does not use lipgloss, because
// importing it queries the terminal before main runs and inside tmux starts "tmux info" for that: a program
// found by PATH, run by root, from an audit that promises to start none. A test compares these sequences and
// the widths of package printable with lipgloss's.

// The words in capitals at the start of parts of a report.
const (
	wordCritical = "CRITICAL"
	wordWarning  = "WARNING"
	wordInfo     = "INFO"
	wordPass     = "PASS"
	wordOK       = "OK"
	wordUnknown  = "UNKNOWN"
	wordError    = "ERROR"
)

const styleReset = "\x1b[m"

// wordStyle returns the escape sequence before a word in capitals, "" for a plain word.
func wordStyle(word string) string {
	switch word {
	case wordCritical, wordError:
		return "\x1b[1;31m"
	case wordWarning:
		return "\x1b[1;33m"
	case wordInfo:
		return "\x1b[1;36m"
	case wordPass, wordOK:
		return "\x1b[1;32m"
	case wordUnknown:
		return "\x1b[1;35m"
	default:
		return ""
	}
}

func severityWord(severity string) string {
	switch severity {
	case "critical":
		return wordCritical
	case "warning":
		return wordWarning
	default:
		return wordInfo
	}
}
