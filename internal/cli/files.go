package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
)

// withoutName returns a file error without the name, which the caller adds.
func withoutName(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readInput is readBounded, or reads standard input for "-".
func (p *Program) readInput(name string, limit int64) ([]byte, error) {
	if name == "-" {
		return readAll(p.Stdin, limit)
	}
	return readBounded(name, limit)
}

// readBounded reads a regular file up to a limit. Its errors do not contain the name, which is printed with the
// flag.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // do not block on a pipe
	if err != nil {
		return nil, withoutName(err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, withoutName(err)
	}
	if st.IsDir() {
		return nil, errors.New("is a folder, expected a file")
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := readAll(f, limit)
	return data, withoutName(err)
}

// readAll reads all of in and returns an error if it is longer than most bytes, because a truncated file is
// another file.
func readAll(in io.Reader, most int64) ([]byte, error) {
	if f, ok := in.(*os.File); ok {
		// A long file is refused before it is read. Others may grow, and many of the kernel's have size 0.
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > most {
			return nil, longer(most)
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, longer(most)
	}
	return data, err
}

func longer(most int64) error { return fmt.Errorf("longer than %d bytes", most) }

func inputState(err error) fact.State {
	var read *host.ReadError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, smbios.ErrNoTable), errors.Is(err, smbios.ErrEmpty), errors.Is(err, bios.ErrEmpty):
		return fact.Absent
	case errors.Is(err, fs.ErrPermission), errors.Is(err, smbios.ErrDenied):
		return fact.Denied
	case errors.Is(err, smbios.ErrUnrecognised), errors.Is(err, smbios.ErrNoHandles), errors.Is(err, smbios.ErrNoFields),
		errors.Is(err, bios.ErrUnrecognised), errors.Is(err, bios.ErrMalformed), errors.Is(err, redfish.ErrLog):
		return fact.Malformed
	case errors.As(err, &read):
		return read.State
	default:
		return fact.Refused
	}
}
