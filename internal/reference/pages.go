package reference

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
)

// The lines of rules/README.md between which the index stands.
const (
	indexBegin = "<!-- made by go generate: begin -->\n"
	indexEnd   = "<!-- made by go generate: end -->\n"
)

// Pages makes every page of the folder with the rules: Markdown by its path
// below the folder. README.md keeps its hand-written part. seen is the table of
// what places the slots of each platform, testdata/corpus/slot-maps.tsv.
func Pages(k fs.FS, seen []byte) (map[string]string, error) {
	packs, err := rulepack.LoadBuiltin(k)
	if err != nil {
		return nil, fmt.Errorf("load the packs: %w", err)
	}
	platforms, err := platform.Describe(k)
	if err != nil {
		return nil, err
	}
	maps, err := place.Describe(k)
	if err != nil {
		return nil, err
	}
	slots := readPlacers(seen, maps)
	tables, err := settings.Load(k, "settings")
	if err != nil {
		return nil, fmt.Errorf("load the vendors' tables: %w", err)
	}
	known := &knowledge{rulepack.Describe(packs), rulepack.DescribeProfiles(packs)}
	SetBy(known.profiles, tables)
	out := map[string]string{}
	for _, file := range known.files() {
		if out[pageOf(file)], err = markdown(known.pack(file)); err != nil {
			return nil, err
		}
	}
	for i := range platforms {
		p := &platforms[i]
		if out["platforms/"+p.ID+".md"], err = markdown(slices.Concat(Platform(p), slots.of(p.ID), known.refines(p.ID))); err != nil {
			return nil, err
		}
	}
	if out[byNamePage], err = markdown(known.byName()); err != nil {
		return nil, err
	}
	out["README.md"], err = readme(k, known, platforms)
	return out, err
}

func markdown(blocks []page.Block) (string, error) {
	var b bytes.Buffer
	err := page.WriteMarkdown(&b, blocks)
	return b.String(), err
}

// readme puts the index between its two lines.
func readme(k fs.FS, known *knowledge, platforms []platform.Info) (string, error) {
	raw, err := fs.ReadFile(k, "README.md")
	if err != nil {
		return "", fmt.Errorf("read README.md: %w", err)
	}
	before, rest, ok := strings.Cut(string(raw), indexBegin)
	_, after, ended := strings.Cut(rest, indexEnd)
	if !ok || !ended {
		return "", fmt.Errorf("README.md of the rules: expected the lines %q and %q", strings.TrimSpace(indexBegin), strings.TrimSpace(indexEnd))
	}
	index, err := markdown(known.index(platforms))
	return before + indexBegin + "\n" + index + "\n" + indexEnd + after, err
}
