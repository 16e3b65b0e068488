package exporter

import (
	"log/slog"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
)

// sandbox gives up, for the rest of the process, every file but those that an
// audit reads, every right to write, and, unless audits ask a host, every new
// TCP connection and port. A kernel without Landlock, or with an older one,
// gives up as much as it can.
func sandbox(readable []string, network bool, log *slog.Logger) {
	restrict(landlock.V5.BestEffort(), readable, network, log)
}

// restricter is landlock.Config.
type restricter interface {
	RestrictPaths(rules ...landlock.Rule) error
	RestrictNet(rules ...landlock.Rule) error
}

func restrict(best restricter, readable []string, network bool, log *slog.Logger) {
	dirs, files := []string{"/sys", "/proc", "/dev/cpu"}, []string{}
	for _, name := range readable {
		st, err := os.Stat(name)
		switch {
		case err != nil: // it is not there, so nobody reads it
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
