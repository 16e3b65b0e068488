package verdict

// Comparison is one machine checked against every profile that a document gives
// for it.
type Comparison struct {
	// Profiles are those written for this machine, in file order.
	Profiles []ProfileComparison
	// Undecided are profiles of which it is not known whether they are written
	// for it; they are never compared.
	Undecided []Undecided
	// Why says why Profiles is empty.
	Why string
}

// ProfileComparison is a machine beside one profile.
type ProfileComparison struct {
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
	Rows    []ProfileRow
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

// ProfileRow is what a document wants of one setting.
type ProfileRow struct {
	// Want are the values, each of which the document accepts.
	Want []string
	// Note and Exceptions are the document's own, "" and nil where it has none.
	Note       string
	Exceptions []string
}
