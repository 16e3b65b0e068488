package reference

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"

	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
)

// Pages makes every page of the folder with the rules: Markdown by its path
// below the folder. seen is the table of what places the slots of each platform,
// testdata/corpus/slot-maps.tsv; examples says of a rule's id on which of the
// project's example servers it fails, passes or cannot tell.
func Pages(k fs.FS, seen []byte, examples map[string]string) (map[string]string, error) {
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
	AddWays(known.profiles, tables)
	out := map[string]string{}
	for _, file := range known.documents() {
		if out[pageOf(file)], err = markdown(known.document(file)); err != nil {
			return nil, err
		}
	}
	for i := range platforms {
		p := &platforms[i]
		if out["platforms/"+p.ID+".md"], err = markdown(slices.Concat(Platform(p), slots.of(p.ID), known.refines(p.ID))); err != nil {
			return nil, err
		}
	}
	out[byNamePage], err = markdown(known.byName(examples))
	return out, err
}

func markdown(blocks []page.Block) (string, error) {
	var b bytes.Buffer
	err := page.WriteMarkdown(&b, blocks)
	return b.String(), err
}
