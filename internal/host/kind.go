package host

import "golang.org/x/sys/unix"

// Kind is the type of a file below the root, after following links.
type Kind uint8

// The kinds.
const (
	KindNone Kind = iota
	KindFile
	KindDir
	// KindOther is a FIFO, device or socket. None is opened as a file; /dev/kmsg and the devices of
	// the msr driver are read as what they are.
	KindOther
)

func kindOf(fd int) (Kind, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return KindNone, err
	}
	return kindOfMode(st.Mode), nil
}

func kindOfMode(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindFile
	case unix.S_IFDIR:
		return KindDir
	default:
		return KindOther
	}
}
