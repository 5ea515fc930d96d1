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

// checkType makes sure that what is at path has the type.
func checkType(path string, want host.FileType) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return wantType(stat, want)
}

// notFollowed says why what was of the right type could not be opened: the
// system's answers to O_NOFOLLOW and O_DIRECTORY differ from one to another,
// and none tells the path's last element from those before.
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

// closing closes what was only read and keeps the first error.
func closing(file *os.File, err error) error {
	return cmp.Or(err, file.Close())
}

func errorIs(err error, errno syscall.Errno) bool { return errors.Is(err, errno) }

func sortEntries(entries []host.DirEntry) {
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
}

// undone is err after what it leaves half done was undone, which may have
// failed as well.
func undone(err, undo error) error {
	if undo == nil {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
