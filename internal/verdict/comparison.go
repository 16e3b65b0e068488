package verdict

// Comparison is one machine held against every profile that a document gives
// for it.
type Comparison struct {
	// Held are the profiles written for this machine, in file order.
	Held []Held
	// Undecided are profiles of which it is not known whether they are written
	// for it; they are never compared.
	Undecided []Undecided
	// Why says why Held is empty.
	Why string
}

// Held is a machine beside one profile.
type Held struct {
	Profile Profile
	// Intents are all that the profile answers.
	Intents []string
	// Analogy says which machines the document itself speaks of, when this one
	// is none of them; "" otherwise.
	Analogy string
	// Findings has one entry for each setting, in the order of the document,
	// with the profile's own levels.
	Findings []Finding
	// Rows is aligned with Findings: the document's own row, also where it does
	// not speak of this machine.
	Rows    []HeldRow
	Summary Summary
	// Closest marks the profiles from which the fewest settings are known to
	// differ, and of those the ones with which the most agree. A profile with
	// which no setting is known to agree is never closest.
	Closest bool
}

// Undecided is a profile that may or may not be written for the machine.
type Undecided struct {
	ID, Reason string
}

// HeldRow is what a document wants of one setting.
type HeldRow struct {
	// Want are the values, each of which the document accepts.
	Want []string
	// Note and Exceptions are the document's own, "" and nil where it has none.
	Note       string
	Exceptions []string
}
