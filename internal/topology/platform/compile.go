package platform

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/lazy"
)

// readFiles reads every platform file. Platforms that match the remaining processors of a CPUID come last.
func readFiles(k fs.FS) ([]*Info, error) {
	ids, err := IDs(k)
	if err != nil {
		return nil, err
	}
	var files, last []*Info
	for _, id := range ids {
		f, err := readFile(k, id)
		switch {
		case err != nil:
			return nil, err
		case f.Rest:
			last = append(last, f)
		default:
			files = append(files, f)
		}
	}
	return append(files, last...), nil
}

func readFile(k fs.FS, id string) (*Info, error) {
	name := "platforms/" + id + ".yaml"
	raw, err := fs.ReadFile(k, name)
	if err != nil {
		return nil, err
	}
	f := &Info{Platform: Platform{NUMA: true, SpeedDependsOnDPC: true, Verified: true, BoardDepth: 3}}
	if err := datafile.Decode(raw, &f.Platform, &f.recogniseFile); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.ID != id {
		return nil, fmt.Errorf("%s: the platform's id is %q, expected in platforms/%s.yaml", name, f.ID, f.ID)
	}
	return f, nil
}

// ListIndexRows lists how the platforms are recognised, from their files.
func ListIndexRows(k fs.FS) ([]IndexRow, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	var out []IndexRow
	for _, f := range files {
		for _, row := range f.Recognise {
			row.ID, row.Rest = f.ID, f.Rest
			out = append(out, row)
		}
	}
	return out, nil
}

// EncodeRows returns the platforms of a folder of rules with their documents, each encoded, by its part.
func EncodeRows(k fs.FS) (map[string][]byte, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, f := range files {
		p := &f.Platform
		if err := p.addDocuments(k); err != nil {
			return nil, err
		}
		if out[RowPart(p.ID)], err = compiled.Encode(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Documents reads the list of platforms' documents by key; none if there is no list.
func Documents(k fs.FS) map[string]Document {
	listed, _ := platformDocuments(k, nil)
	return listed
}

// Validate checks a platform: known documents, expressions that compile, and speeds that fall with depth and have a cell
// for every depth. The documents of one of the project's own (shipped) are in the list; a site's own may be in its
// citation only.
func Validate(f *datafile.File, listed map[string]Document, shipped bool) {
	at := f.Place(0)
	if len(f.Docs) == 1 && at.Has("id") && at.Has("recognise") {
		at.Key("recognise").RecordWrong("belongs in a second document, after a line of --- alone")
		return
	}
	if len(f.Docs) != 2 || !at.Has("id") || !f.Place(1).Has("recognise") {
		at.RecordFault("%s, expected two: the platform, then --- and how it is recognised", humanize.Plural(len(f.Docs), "document"))
		return
	}
	var p Platform
	var r recogniseFile
	at.Require("id", "name")
	first, second := f.Decode(0, &p), f.Decode(1, &r)
	if !first || !second {
		return
	}
	at.Key("id").Match(`^[a-z0-9][a-z0-9-]*$`, "small letters, the file's name")
	if p.Policy != "" {
		at.Key("policy").OneOf(PolicyAny, PolicySymmetricIMC, PolicyEX, PolicyAMD, PolicyZen4)
	}
	p.validateDocuments(at, listed, shipped)
	p.validateFacts(at)
	validateSpeeds(at.Key("also_normal"), p.AlsoNormal, p.MaxDPC, true)
	p.validateChannels(at)
	for i := range p.Parts {
		part, depth := &p.Parts[i], p.MaxDPC
		if part.MaxDPC > 0 {
			depth = part.MaxDPC
		}
		where := at.Key("parts").Item(i)
		where.Require("brand")
		where.Key("brand").Expression()
		validateSpeeds(where.Key("speeds"), part.Speeds, depth, false)
	}
	for _, list := range []struct {
		key    string
		boards []Board
	}{{"boards", p.Boards}, {"lockstep_boards", p.LockstepBoards}} {
		for i := range list.boards {
			at.Key(list.key).Item(i).Require("product")
		}
	}
	for i := range p.EDACOrder {
		at.Key("edac_order").Item(i).Require("maker", "source")
	}
	r.validate(f.Place(1))
}

func (p *Platform) validateFacts(at datafile.Place) {
	validateSpeeds(at.Key("speeds"), p.Speeds, p.MaxDPC, false)
	for kind := range p.Speeds {
		at.Key("speeds").WrongIf(!moduleKind().MatchString(kind),
			"unknown kind %s, expected rdimm, lrdimm, udimm or mrdimm, with ranks and voltage where they matter (rdimm-2r-1.35v)", kind)
	}
	for kind, most := range p.MostDPC {
		where := at.Key("max_dpc_of")
		where.WrongIf(p.Speeds[kind] == nil, "%s has no row in speeds", kind)
		where.Key(kind).WrongIf(most >= p.MaxDPC, "%d, expected fewer than max_dpc, %d", most, p.MaxDPC)
	}
}

var moduleKind = lazy.Pattern(`^(rdimm|lrdimm|udimm|mrdimm)(-(\dr)+)?(-\d\.\d+v)?$`)

// A cell is 0 if not supported or not documented. A table of single boards may be short: a board may have fewer slots.
func validateSpeeds(at datafile.Place, table map[string][]int, depth int, short bool) {
	for kind, row := range table {
		where := at.Key(kind)
		if cells := len(row); depth > 0 && cells > depth || depth > 0 && cells < depth && !short {
			where.RecordWrong("%d cells, but max_dpc is %d", cells, depth)
		}
		last := 0
		for i, mts := range row {
			where.Item(i).FaultIf(mts != 0 && last != 0 && mts > last, "speeds.%s: %d after %d: the speed rises with depth", kind, mts, last)
			if named := ddr.Nominal(mts); named != mts {
				where.Item(i).RecordFault("speeds.%s: %d MT/s is printed as %d", kind, mts, named)
			}
			if mts != 0 {
				last = mts
			}
		}
	}
}

// Controllers have equally many channels, and each of a lockstep pair exists on the CPU and is in no other pair.
func (p *Platform) validateChannels(at datafile.Place) {
	at.Key("controllers").WrongIf(p.Controllers > 0 && p.ChannelsPerSocket%p.Controllers != 0,
		"%d, expected a divisor of channels_per_socket, which is %d", p.Controllers, p.ChannelsPerSocket)
	seen := map[int]bool{}
	for i, pair := range p.LockstepChannels {
		at.Key("lockstep_channels").Item(i).WrongIf(len(pair) != 2, "%s, expected 2", humanize.Plural(len(pair), "channel"))
		for j, channel := range pair {
			where := at.Key("lockstep_channels").Item(i).Item(j)
			where.FaultIf(channel >= p.ChannelsPerSocket,
				"lockstep_channels: channel %d, but channels_per_socket is %d", channel, p.ChannelsPerSocket)
			where.FaultIf(seen[channel], "lockstep_channels: channel %d is listed twice", channel)
			seen[channel] = true
		}
	}
}

// Boards and measured layouts must name documents of the platform, and the citation agree with the list.
func (p *Platform) validateDocuments(at datafile.Place, listed map[string]Document, shipped bool) {
	if row, ok := listed[p.Citation.Key]; ok {
		p.Citation.validate(at.Key("citation"), &row.Citation)
	}
	for key, keys := range map[string][]string{"sources": p.Sources, "guides": p.Guides} {
		for i, source := range keys {
			switch _, ok := listed[source]; {
			case ok || source == p.Citation.Key && !shipped:
			case shipped:
				at.Key(key).Item(i).RecordFault("%s: %s is not in rules/%s", key, source, documentsFile)
			default:
				at.Key(key).Item(i).RecordFault("%s: %s is not in rules/%s, nor the citation's key", key, source, documentsFile)
			}
		}
	}
	own := func(key string, i int, source string) {
		at.Key(key).Item(i).Key("source").FaultIf(source != "" && !slices.Contains(p.Sources, source),
			"%s: source %s is not one of the platform's sources", key, source)
	}
	for i := range p.Boards {
		own("boards", i, p.Boards[i].Source)
	}
	if l := &p.Loaded; l.Source != "" || l.Saturated != nil || l.Half != nil {
		where := at.Key("loaded_latency")
		where.Require("saturated", "of", "source")
		for key, ns := range map[string][]float64{"half": l.Half, "saturated": l.Saturated} {
			where.Key(key).WrongIf(ns != nil && (len(ns) != 2 || ns[0] > ns[1]), "%v, expected the lowest and the highest latency", ns)
		}
		where.Key("source").FaultIf(!slices.Contains(p.Sources, l.Source),
			"loaded_latency: source %s is not one of the platform's sources", l.Source)
	}
	for i := range p.Measured {
		where := at.Key("measured").Item(i)
		where.Require("source")
		where.WrongIf(len(p.Measured[i].Layouts)+len(p.Measured[i].DIMMs) == 0, "neither layouts nor dimms")
		for dimms, bounds := range p.Measured[i].DIMMs {
			where.Key("dimms").Key(strconv.Itoa(dimms)).WrongIf(len(bounds) != 2,
				"%d numbers, expected the lowest and the highest share", len(bounds))
		}
		own("measured", i, p.Measured[i].Source)
	}
}

func (c *Citation) validate(at datafile.Place, row *Citation) {
	for _, field := range []struct{ name, said, want any }{
		{"vendor", c.Vendor, row.Vendor}, {"title", c.Title, row.Title}, {"year", c.Year, row.Year}, {"place", c.Place, row.Place}, {"url", c.URL, row.URL},
	} {
		at.WrongIf(field.said != field.want,
			"the %s of %s is \"%v\", in rules/%s \"%v\"", field.name, row.Key, field.said, documentsFile, field.want)
	}
}

func (r *recogniseFile) validate(at datafile.Place) {
	at.Key("recognise").WrongIf(len(r.Recognise) == 0, "empty: no machine would be recognised as this platform")
	for i := range r.Recognise {
		r.Recognise[i].validate(at.Key("recognise").Item(i))
	}
	for i := range r.Cases {
		where := at.Key("cases").Item(i)
		where.Require("name", "dimms", "slots", "finds")
		for _, rule := range slices.Sorted(maps.Keys(r.Cases[i].Finds)) {
			where.Key("finds").Key(rule).OneOf("pass", "unknown", "not_applicable", "info", "warning", "critical")
		}
	}
}

// plainMark matches a trade mark in an expression without its backslash.
var plainMark = lazy.Pattern(`(?i)(^|[^\\])\((R|TM)\)`)

// printedVendors are the words that processors print, by their makers' names.
var printedVendors = map[string]string{"Intel": "GenuineIntel", "AMD": "AuthenticAMD"}

// validate checks a row: a vendor that no CPU reports, or a trade mark without backslashes, never matches.
func (r *IndexRow) validate(at datafile.Place) {
	if printed := printedVendors[r.Vendor]; printed != "" {
		at.Key("vendor").RecordWrong("%q, expected %s: the processor's own word", r.Vendor, printed)
	}
	at.Key("brand").WrongIf(plainMark().MatchString(r.Brand),
		`%q, expected \(R\) and \(TM\): without \ they are groups of the expression`, r.Brand)
	for key, expression := range map[string]string{"brand": r.Brand, "product": r.Product} {
		if expression != "" {
			at.Key(key).Expression()
		}
	}
	at.WrongIf(r.Family < 0 && r.Brand == "" && r.Product == "", "needs family and model, a brand or a product")
}
