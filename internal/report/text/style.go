package text

// The styling of the text writer, all of it: a few basic colours for severity
// words. lipgloss is not linked for it on purpose. Its import alone looks the
// terminal up before main runs, and inside tmux it starts "tmux info" for
// that: a program found by PATH, run by root, from an audit that promises to
// start none. A test checks these sequences and the widths of printable against
// lipgloss.

// The words in capitals that a report leads with.
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

// severityWord returns the word in capitals for a severity.
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
