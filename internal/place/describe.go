package place

import "io/fs"

// MapInfo describes a slot map for a reader.
type MapInfo struct {
	// File is its place below the rules.
	File, ID string
	Models   []string
	// Check says how it was checked: doc, field, label, infer.
	Check []string
	Note  string
}

// Describe reads every slot map, by id.
func Describe(k fs.FS) (map[string]MapInfo, error) {
	out := map[string]MapInfo{}
	err := eachMapFile(k, func(name string, file *mapFile) error {
		for i := range file.Maps {
			m := &file.Maps[i]
			out[m.ID] = MapInfo{File: name, ID: m.ID, Models: m.Models, Check: m.Check, Note: m.Note}
		}
		return nil
	})
	return out, err
}
