package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIdentify(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}}
	for name, c := range map[string]struct {
		version, revision         string
		info                      *debug.BuildInfo
		wantVersion, wantRevision string
	}{
		"linker's":       {"1.2.3", "abc", &debug.BuildInfo{Main: debug.Module{Version: "v9.9.9"}, Settings: commit}, "1.2.3", "abc"},
		"go install":     {"", "", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3", ""},
		"checkout":       {"", "", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: commit}, "devel", "0123456789ab"},
		"no information": {"", "", nil, "devel", ""},
	} {
		t.Run(name, func(t *testing.T) {
			version, revision := identify(c.version, c.revision, c.info)
			assert.Equal(t, c.wantVersion, version)
			assert.Equal(t, c.wantRevision, revision)
		})
	}
}
