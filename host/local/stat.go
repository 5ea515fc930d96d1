//go:build unix && !aix && !solaris

package local

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

func fileType(mode fs.FileMode) host.FileType {
	switch mode.Type() {
	case 0:
		return host.TypeRegular
	case fs.ModeDir:
		return host.TypeDirectory
	case fs.ModeSymlink:
		return host.TypeSymlink
	case fs.ModeNamedPipe:
		return host.TypeFIFO
	case fs.ModeSocket:
		return host.TypeSocket
	case fs.ModeDevice:
		return host.TypeBlockDevice
	case fs.ModeDevice | fs.ModeCharDevice:
		return host.TypeCharDevice
	}
	return host.TypeUnknown
}

func wantType(stat fs.FileInfo, want host.FileType) error {
	if got := fileType(stat.Mode()); got != want {
		return &host.TypeError{Want: want, Got: got}
	}
	return nil
}

// checkType returns an error unless the object at path has the type.
func checkType(path string, want host.FileType) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return wantType(stat, want)
}

// notFollowed returns the reason why an object of the right type could not be opened.
// Systems report different errors for O_NOFOLLOW and O_DIRECTORY, and none distinguishes
// the last element of the path from those before it.
func notFollowed(path string, want host.FileType, err error) error {
	switch {
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EMLINK), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		if again := checkType(path, want); again != nil {
			return again
		}
	}
	return err
}

// closing closes a file that was only read, and returns the first error.
func closing(file *os.File, err error) error {
	return cmp.Or(err, file.Close())
}

func errorIs(err error, errno syscall.Errno) bool { return errors.Is(err, errno) }

func sortEntries(entries []host.DirEntry) {
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
}

// undone joins err with the error of undoing its effects.
func undone(err, undo error) error {
	if undo == nil {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
