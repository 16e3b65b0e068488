package exporter

import (
	"log/slog"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// sandbox restricts this process for the rest of its life with Landlock. It can read only /sys, /proc, /dev/cpu and
// readable, and write nothing. Unless network is set, it can open no TCP connection and no TCP port. A kernel without
// Landlock, or with an older version, restricts what it can; the rest is logged.
func sandbox(readable []string, network bool, log *slog.Logger) {
	warnLacking(landlockVersion(), network, log)
	restrict(landlock.V5.BestEffort(), readable, network, log)
}

func warnLacking(version int, network bool, log *slog.Logger) {
	if lacks := lacking(version, network); lacks != "" {
		log.Warn("not sandboxed in full: "+lacks, "expected", "Linux 5.13 with landlock among lsm=, 6.7 for the network")
	}
}

// landlockVersion returns the kernel's version of Landlock, 0 if there is none or it is switched
// off (landlock_create_ruleset(2) then returns -1).
func landlockVersion() int {
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return max(int(version), 0)
}

// lacking names the rights that a version of Landlock cannot drop, "" if it can drop all that the daemon wants
// to. Restrictions of the network came with version 4.
func lacking(version int, network bool) string {
	switch {
	case version < 1:
		return "this kernel has no Landlock, so the daemon keeps its rights to files and network"
	case version < 4 && !network:
		return "this kernel's Landlock does not know the network"
	default:
		return ""
	}
}

type restricter interface {
	RestrictPaths(rules ...landlock.Rule) error
	RestrictNet(rules ...landlock.Rule) error
}

func restrict(best restricter, readable []string, network bool, log *slog.Logger) {
	dirs, files := []string{"/sys", "/proc", "/dev/cpu"}, []string{"/dev/kmsg"}
	for _, name := range readable {
		st, err := os.Stat(name)
		switch {
		case err != nil: // does not exist, so no audit reads it
		case st.IsDir():
			dirs = append(dirs, name)
		default:
			files = append(files, name)
		}
	}
	if err := best.RestrictPaths(landlock.RODirs(dirs...).IgnoreIfMissing(), landlock.ROFiles(files...).IgnoreIfMissing()); err != nil {
		log.Warn("no sandbox for files", "error", err)
		return
	}
	if !network {
		if err := best.RestrictNet(); err != nil {
			log.Warn("no sandbox for the network", "error", err)
			return
		}
	}
	log.Debug("sandboxed", "folders", dirs, "files", files)
}
