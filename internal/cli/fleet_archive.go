package cli

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/source/host"
)

// archive reads the capture of one machine, of several, or an archive of inputs. It closes the file.
func (g *gatherer) archive(name string, in io.ReadSeekCloser, from inputOrigin) {
	capture, machines, err := containsTree(in)
	if _, again := in.Seek(0, io.SeekStart); again != nil {
		capture, err = false, again
	}
	switch {
	case capture && machines < 2:
		g.pool.submit(name, func(a *fleetAuditor) fleetInput {
			defer func() { _ = in.Close() }()
			return a.root(name, func() (*host.Root, error) { return host.OpenCapture(name, in) })
		})
		return
	case capture && from != fromArchive:
		if err = g.captures(name, in); err == nil {
			_, err = in.Seek(0, io.SeekStart)
		}
		if err == nil {
			err = g.members(name, in)
		}
	case from != fromArchive:
		err = g.members(name, in) // also of an archive that is truncated
	case err == nil:
		err = errors.New("an archive in an archive, expected the capture of one machine")
	}
	if err != nil {
		g.refuse(name, err)
	}
	_ = in.Close()
}

func (g *gatherer) captures(name string, in io.Reader) error {
	roots, err := host.OpenCaptures(name, in)
	for _, root := range roots {
		if !g.count() {
			return errEntries()
		}
		g.pool.submit(root.Name(), func(a *fleetAuditor) fleetInput {
			return a.root(root.Name(), func() (*host.Root, error) { return root, nil })
		})
	}
	return err
}

var errFound = errors.New("found")

// containsTree reports whether a member of an archive belongs to a machine's tree, and how many machines' trees it
// has: 0, 1, or 2 for several.
func containsTree(in io.Reader) (tree bool, machines int, err error) {
	folders := map[string]bool{}
	err = host.EachMember(in, maxFleetArchive, func(h *tar.Header, _ io.Reader) error {
		tree = tree || ofTree(h.Name)
		if folder, ok := host.MachineFolder(h.Name); ok {
			folders[folder] = true
		}
		if len(folders) > 1 {
			return errFound
		}
		return nil
	})
	if tree || errors.Is(err, errFound) {
		err = nil // a truncated capture is reported when it is read
	}
	return tree, len(folders), err
}

// ofTree reports whether a member of an archive belongs to a machine: anything in its sys and proc, also below
// one leading folder, or a file of memaudit's captures, which have neither if only SMBIOS was readable.
func ofTree(name string) bool {
	parts := strings.Split(strings.TrimPrefix(name, "./"), "/")
	parts = parts[:min(2, len(parts))]
	_, ok := host.MachineFolder(name)
	return ok || slices.Contains(parts, "sys") || slices.Contains(parts, "proc")
}

func (g *gatherer) members(path string, in io.Reader) error {
	unpacked := int64(0)
	return host.EachMember(in, maxFleetArchive, func(h *tar.Header, body io.Reader) error {
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || isHidden(h.Name) || ofTree(h.Name) {
			return nil
		}
		if !g.count() {
			return errEntries()
		}
		name := path + "/" + memberLabel(h.Name)
		switch {
		case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse:
			g.refuse(name, errors.New("is a link or a device in an archive, expected a file"))
			return nil
		case h.Size > maxSMBIOSFile:
			g.refuse(name, longer(maxSMBIOSFile))
			return nil
		}
		// The holes of a sparse file are not in the archive.
		if unpacked += h.Size; unpacked > maxFleetArchive {
			return fmt.Errorf("more than %d bytes unpacked", int64(maxFleetArchive))
		}
		data, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		g.content(name, data, fromArchive)
		return nil
	})
}

// isHidden reports whether a member is hidden or in a hidden folder, which is skipped in a folder, too.
func isHidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// memberLabel returns a member's name for printing, shortened, because a name may have a megabyte.
func memberLabel(name string) string {
	const most = 1 << 10
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "..."
	}
	return strings.TrimPrefix(name, "./")
}

const tarHead = 512

func isArchive(head []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	const at = 257 // offset of the magic in a tar header
	return len(head) > at && bytes.HasPrefix(head[at:], []byte("ustar"))
}
