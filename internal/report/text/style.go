package text

// The styling of the text writer: a few basic colours for severity words. It does not use lipgloss, because
// importing it queries the terminal before main runs and inside tmux starts "tmux info" for that: a program
// found by PATH, run by root, from an audit that promises to start none. A test compares these sequences and
// the widths of package printable with lipgloss's.

const styleReset = "\x1b[m"

// wordStyle returns the escape sequence before a word in capitals, "" for a plain word.
func wordStyle(word string) string {
	switch word {
	case "CRITICAL", "ERROR":
		return "\x1b[1;31m"
	case "WARNING":
		return "\x1b[1;33m"
	case "INFO":
		return "\x1b[1;36m"
	case "OK":
		return "\x1b[1;32m"
	case "UNKNOWN":
		return "\x1b[1;35m"
	default:
		return ""
	}
}
