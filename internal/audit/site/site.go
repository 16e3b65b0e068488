// Package site adds a site's own data files to the built-in knowledge: platforms, slot maps, label patterns,
// processors and their citations, in the same form, from the folders given by --rules. Rule packs are loaded by
// rulepack.
package site

import (
	"cmp"
	_ "embed" // the skeletons
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"text/template"

	"memaudit.example/memaudit/internal/audit/knowledge"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// maxBytes limits the size of one data file.
const maxBytes = 4 << 20

// The data files of a folder, by their path in it.
var patterns = [...]string{"platforms/*.yaml", "platforms/sources.tsv", "slots/*.yaml", "processors.csv"}

// Names of files that are merged with the built-in ones, not added to them.
const (
	processorList = "processors.csv"
	documents     = "platforms/sources.tsv"
	mapDocuments  = "slots/sources.yaml"
	labelPatterns = "slots/locators.yaml"
)

var together = [...]string{processorList, documents, mapDocuments, labelPatterns}

// JoinFolders returns the built-in knowledge with the data files of folders; later folders take precedence. A folder
// without data files adds nothing. Errors: datafile.Complaints, or a folder or the built-in knowledge that cannot be read.
func JoinFolders(builtin fs.FS, dirs []string) (fs.FS, error) {
	k := builtin
	for _, dir := range dirs {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue // one rule file; a missing one is reported when rules are loaded
		}
		own, err := readData(dir)
		if err != nil {
			return nil, err
		}
		if len(own) == 0 {
			continue
		}
		if k, err = joinFiles(k, own, dir); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// HasData reports whether a folder contains data files, or unreadable ones, which Join reports.
func HasData(dir string) bool {
	own, err := readData(dir)
	return err != nil || len(own) > 0
}

// RulesFolder returns the folder that a data file or a folder of them is part of: a complete rules folder around it, or the
// folder around its platforms or slots.
func RulesFolder(path string) string {
	path = filepath.Clean(path)
	for _, dir := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if isRulesFolder(dir) {
			return dir
		}
	}
	dir := path
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		dir = filepath.Dir(path)
	}
	if name := filepath.Base(dir); name == "platforms" || name == "slots" {
		return filepath.Dir(dir)
	}
	return dir
}

// isRulesFolder reports whether a folder is a complete rules folder, such as the project's.
func isRulesFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, compiled.Dir))
	return err == nil
}

// KnowledgeFiles returns the knowledge of a folder: the built-in files with those of the folder added, as Join, or a complete rules
// folder alone, whether or not its files are compiled.
func KnowledgeFiles(builtin fs.FS, dir string) (fs.FS, error) {
	if !isRulesFolder(dir) {
		return JoinFolders(builtin, []string{dir})
	}
	own, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	out := &joined{FS: os.DirFS(dir), own: fstest.MapFS{}}
	if err := out.compileParts(builtin, own); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return out, nil
}

// Overlay returns the knowledge with the data files of a folder added, unchecked, for checking one of them
// against the others. A complete rules folder is used alone.
func Overlay(k fs.FS, dir string) fs.FS {
	if isRulesFolder(dir) {
		return os.DirFS(dir)
	}
	own, err := readFiles(dir)
	if err != nil || len(own) == 0 {
		return k
	}
	return overlayFiles(k, own)
}

// InRulesFolder reports whether a data file is in a complete rules folder, such as the project's.
func InRulesFolder(file string) bool { return isRulesFolder(filepath.Join(filepath.Dir(file), "..")) }

// A complete rules folder, such as the project's, has nothing of a site.
func readData(dir string) (fstest.MapFS, error) {
	if isRulesFolder(dir) {
		return nil, nil
	}
	return readFiles(dir)
}

func readFiles(dir string) (fstest.MapFS, error) {
	own := fstest.MapFS{}
	from := os.DirFS(dir)
	for _, folder := range []string{"platforms", "slots"} {
		if err := checkReadable(from, folder); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, folder), err)
		}
	}
	for _, pattern := range patterns {
		names, err := fs.Glob(from, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			info, err := fs.Stat(from, name)
			if err == nil && (!info.Mode().IsRegular() || info.Size() > maxBytes) {
				err = fmt.Errorf("not a file of at most %d bytes", maxBytes)
			}
			if err == nil {
				var data []byte
				data, err = fs.ReadFile(from, name)
				own[name] = &fstest.MapFile{Data: data}
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
			}
		}
	}
	return own, nil
}

// Glob ignores a folder that cannot be listed, and a file may only lack the right extension.
func checkReadable(from fs.FS, folder string) error {
	entries, err := fs.ReadDir(from, folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil // the folder does not exist
	}
	for _, e := range entries {
		if path.Ext(e.Name()) == ".yml" {
			return fmt.Errorf("%s would not be read, expected the ending .yaml", e.Name())
		}
	}
	return err
}

func joinFiles(k fs.FS, own fstest.MapFS, dir string) (fs.FS, error) {
	out := overlayFiles(k, own)
	schemas := knowledge.NewBase(out)
	var faults datafile.Complaints
	for name, file := range own {
		where := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := fs.Stat(k, name); err == nil && !slices.Contains(together[:], name) {
			faults = append(faults, datafile.OfFile(where, "a built-in file has this name; expected another, so that both can be used"))
		}
		faults = append(faults, knowledge.Parse(where, file.Data).Check(schemas, false)...)
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b datafile.Complaint) int { return strings.Compare(a.String(), b.String()) })
		return nil, faults
	}
	if err := out.compileParts(k, own); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return out, nil
}

// Some files are merged with a built-in table; citations and patterns are kept in a folder of their own.
func overlayFiles(k fs.FS, own fstest.MapFS) *joined {
	out := &joined{FS: k, own: fstest.MapFS{}}
	for name, file := range own {
		switch name {
		case processorList, documents:
			text, _ := fs.ReadFile(k, name) // without a built-in table the site's is complete
			out.own[name] = &fstest.MapFile{Data: mergeTables(text, file.Data, name == processorList)}
		case mapDocuments, labelPatterns:
			out.own[place.SiteFolder+path.Base(name)] = file
		default:
			out.own[name] = file
		}
	}
	return out
}

// compileParts rebuilds the parts of k that the site's files change: its rows precede the built-in ones, and the
// first match is used. Platforms with documents, some of which the site may replace, are then read from their
// files.
func (j *joined) compileParts(k, own fs.FS) error {
	rows, err := platform.ListIndexRows(own)
	if err != nil {
		return err
	}
	patterns, err := place.LocatorRules(own)
	if err != nil {
		return err
	}
	ownMaps, err := place.MapIndex(own)
	if err != nil {
		return err
	}
	var builtinRows []platform.IndexRow
	var builtinPatterns []place.LocatorRule
	builtinMaps := map[string]string{}
	for _, part := range []struct {
		name    string
		builtin any
		joined  func() any
	}{
		{platform.Part, &builtinRows, func() any { return append(rows, builtinRows...) }},
		{place.LocatorPart, &builtinPatterns, func() any { return append(patterns, builtinPatterns...) }},
		{place.MapPart, &builtinMaps, func() any {
			maps.Copy(builtinMaps, ownMaps)
			return builtinMaps
		}},
	} {
		if err := compiled.ReadPart(k, part.name, part.builtin); err != nil {
			return err
		}
		data, err := compiled.Encode(part.joined())
		if err != nil {
			return err
		}
		j.own[compiled.File(part.name)] = &fstest.MapFile{Data: data}
	}
	if _, err := fs.Stat(own, documents); err == nil {
		j.hidden = compiled.File(platform.RowPart("*"))
	}
	return nil
}

// Lines with the same key are replaced. A table with a head keeps it first and is sorted below.
func mergeTables(builtin, own []byte, head bool) []byte {
	first, separator := "", "\t"
	if head {
		separator = ","
	}
	rows := map[string]string{}
	for i, text := range []string{string(builtin), string(own)} {
		for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if head && n == 0 {
				if i == 0 {
					first = line + "\n"
				}
				continue
			}
			key, _, _ := strings.Cut(line, separator)
			rows[key] = line
		}
	}
	var out strings.Builder
	out.WriteString(first)
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		out.WriteString(rows[key] + "\n")
	}
	return []byte(out.String())
}

// joined is a file system with files added to those of another.
type joined struct {
	fs.FS
	own fstest.MapFS
	// hidden is the pattern of built-in files that are left out.
	hidden string
}

// Open implements fs.FS.
func (j *joined) Open(name string) (fs.File, error) {
	if j.own[name] != nil {
		return j.own.Open(name)
	}
	if hidden, _ := path.Match(j.hidden, name); hidden {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return j.FS.Open(name)
}

// Glob implements fs.GlobFS.
func (j *joined) Glob(pattern string) ([]string, error) {
	builtin, err := fs.Glob(j.FS, pattern)
	if err != nil {
		return nil, err
	}
	own, err := j.own.Glob(pattern)
	return slices.Compact(slices.Sorted(slices.Values(append(builtin, own...)))), err
}

//go:embed draft.tmpl
var draftText string

var draftTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("draft").Parse(draftText)) })

// draft is what the skeletons say of a machine.
type draft struct {
	// Processor is nil if the platform is known, or nothing is known of the processor; Reason is why the platform is unknown.
	Processor *processor
	Reason    string
	// Unread are the labels that no pattern reads; of the Numbered ones the channel is unknown, and Patterns read them.
	Unread, Numbered []string
	Patterns         string
	// Channels is the number of a processor's channels, 0 if it is unknown.
	Channels      int
	Vendor, Model string
}

type processor struct {
	Vendor, Brand string
	Family, Model int
}

// DraftFiles returns a skeleton of the data files for an unknown machine: a platform, label patterns, a slot map.
// Values of the machine are filled in; values from its vendor's documents are left to fill in, and validation
// fails until then. If nothing is missing, it says what is known.
func DraftFiles(sys *inventory.System, topo *population.Result) (string, error) {
	d := draft{Reason: topo.Platform.Reason, Vendor: vendorSpelling(sys), Model: sys.Machine.Product.Or(sys.Machine.Board.Or("FILL IN"))}
	known, recognised := topo.Platform.Get()
	if recognised {
		d.Channels = known.ChannelsPerSocket
	} else if p := firstProcessor(sys); p.Vendor != "" && p.Family >= 0 && !sys.Machine.Virtual.Or(false) {
		d.Processor = &p
	}
	var patterns []string
	for i := range topo.Placements {
		label := fmt.Sprintf("%q, %q", sys.Slots[i].Locator.Or(""), sys.Slots[i].BankLocator.Or(""))
		switch p := &topo.Placements[i]; {
		case p.Channel >= 0:
		case p.Rule == "":
			d.Unread = humanize.AddNew(d.Unread, label)
		default:
			d.Numbered, patterns = humanize.AddNew(d.Numbered, label), humanize.AddNew(patterns, p.Rule)
		}
	}
	d.Patterns = strings.Join(patterns, ", ")
	if d.Processor != nil || len(d.Unread)+len(d.Numbered) > 0 {
		var out strings.Builder
		err := draftTemplate().Execute(&out, d)
		return out.String(), err
	}
	slots := fmt.Sprintf("all %d memory slots have their channel", len(sys.Slots))
	if len(sys.Slots) == 0 {
		slots = "firmware lists no memory slots"
	}
	if recognised {
		return fmt.Sprintf("# Nothing to draft: the platform is %s, and %s.\n", known.ID, slots), nil
	}
	return fmt.Sprintf("# Nothing to draft: %s, and %s.\n", cmp.Or(topo.Platform.Reason, "the platform is not known"), slots), nil
}

func firstProcessor(sys *inventory.System) processor {
	for i := range sys.Sockets {
		s := &sys.Sockets[i]
		if f, ok := s.Family.Get(); ok {
			return processor{cmp.Or(s.Vendor.Or(""), sys.CPU.Vendor.Or("")), cmp.Or(s.Brand.Or(""), sys.CPU.Brand.Or("")), f, s.Model.Or(-1)}
		}
	}
	return processor{sys.CPU.Vendor.Or(""), sys.CPU.Brand.Or(""), sys.CPU.Family.Or(-1), sys.CPU.Model.Or(-1)}
}

func vendorSpelling(sys *inventory.System) string {
	words := strings.Fields(strings.ToLower(sys.Machine.Vendor.Or("")))
	if len(words) == 0 {
		return "FILL IN"
	}
	return strings.Trim(words[0], ".,")
}
