package wording

// Tally sums by name in the order of first appearance.
type Tally []Tallied

// Tallied is one name with its sum.
type Tallied struct {
	Name string
	N    int64
}

// Add adds n to the sum of name.
func (t *Tally) Add(name string, n int64) {
	for i := range *t {
		if (*t)[i].Name == name {
			(*t)[i].N += n
			return
		}
	}
	*t = append(*t, Tallied{name, n})
}
