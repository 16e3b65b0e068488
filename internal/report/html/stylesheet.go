package html

// Style returns the style sheet of the pages.
func Style() string { return styleSheet }
