package patch

// Make finds the change. A row that the export cannot carry out is left open
// with its reason; nothing is guessed.
func Make(src Source, goal Goal) *Patch {
	m := &patchMaker{src: src, goal: goal, out: &Patch{Export: src.Export}}
	m.out.maker = m
	for _, w := range goal.Wants {
		if m.isPreset(w.ID) {
			continue // the preset is dealt with as what it is
		}
		m.row(w)
	}
	m.presets()
	m.awake()
	m.locked()
	m.hold()
	return m.out
}
