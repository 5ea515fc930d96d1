package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"slices"
)

// Digester is a host that can compute a file's SHA-256 without transferring its content.
type Digester interface {
	// Digest has the same result as calling [Files.Open] and hashing the content.
	Digest(ctx context.Context, path string) (FileInfo, [sha256.Size]byte, error)
}

// Digest returns the SHA-256 of a regular file and the FileInfo of the same file.
func Digest(ctx context.Context, h Host, path string) (FileInfo, [sha256.Size]byte, error) {
	if d, ok := h.(Digester); ok {
		return d.Digest(ctx, path)
	}
	var sum [sha256.Size]byte
	info, content, err := h.Open(ctx, path)
	if err != nil {
		return FileInfo{}, sum, err
	}
	defer func() { _ = content.Close() }() // read only: no write can be lost
	hash := sha256.New()
	buffer := make([]byte, min(max(info.Size+1, 512), 64<<10)) // most files are small
	if _, err := io.CopyBuffer(hash, content, buffer); err != nil {
		return FileInfo{}, sum, err
	}
	hash.Sum(sum[:0])
	return info, sum, nil
}

// Editor is a host that can edit a file in one step if the file is as the caller expects.
type Editor interface {
	// EditFile makes an edit of the file at path, and sets its attributes. An attribute that is
	// nil is that of the file whose content was read, even if path is replaced at the same time.
	// During the edit, EditFile holds a lock on the directory of the file, as flock(1) does. If the file is not as edit
	// requires, nothing is changed, and now is the content of the file; otherwise now is nil. An
	// error that matches [errors.ErrUnsupported] means that the host cannot edit the file at the
	// moment and has changed nothing. After an error that matches [ErrLost] but not [ErrSilent], the
	// edit has been made or will never be made.
	EditFile(ctx context.Context, path string, edit Edit, attrs Attributes) (info FileInfo, now []byte, err error)
}

// Edit replaces Old with New in a file.
type Edit struct {
	Old, New []byte
	// Was is the information that [Files.Open] returned with the content Old: the file must have
	// this content, mode, owner and group. If Was is nil, Old is a part of the file, or its end if Old is
	// empty. That part must be at the start of a line, Mark must not occur in the rest of the
	// file, and the file must not contain the byte CR, FE or FF: an edit is not for text with
	// other line endings or in UTF-16.
	Was  *FileInfo
	Mark string
}

// ParentMaker is a host that creates all missing parents of a path in one step.
type ParentMaker interface {
	MakeParents(ctx context.Context, path string, attrs Attributes) ([]string, error)
}

// MakeParents creates the missing directories above path, each as Mkdir would with attrs.
// It returns those that it created, outermost first, even if it then fails. It is cheapest
// to call it only after an operation failed with [fs.ErrNotExist].
func MakeParents(ctx context.Context, h Host, path string, attrs Attributes) ([]string, error) {
	if m, ok := h.(ParentMaker); ok {
		return m.MakeParents(ctx, path, attrs)
	}
	if err := CheckPath(path); err != nil {
		return nil, &Error{Op: "make parents of", Host: h.Name(), Path: path, Err: err}
	}
	return MakeDirs(ctx, h, parent(path), attrs)
}

// MakeDirs creates dir and its missing parents, and returns the directories that it created. It
// tries dir first, because most directories exist. It does not check whether an existing path is
// a directory: Mkdir of the next level then fails.
func MakeDirs(ctx context.Context, h Files, dir string, attrs Attributes) ([]string, error) {
	if dir == "/" {
		return nil, nil
	}
	_, err := h.Mkdir(ctx, dir, attrs)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	var made []string
	if errors.Is(err, fs.ErrNotExist) {
		if made, err = MakeDirs(ctx, h, parent(dir), attrs); err != nil {
			return made, err
		}
		_, err = h.Mkdir(ctx, dir, attrs)
		if errors.Is(err, fs.ErrExist) { // created by another process in the meantime
			return made, nil
		}
	}
	if err != nil {
		return made, err
	}
	return append(slices.Clip(made), dir), nil
}

func parent(p string) string { return path.Dir(p) }

// RootHost is a host that can report without a request to it that operations run as root.
type RootHost interface {
	RunsAsRoot() bool
}

// RunsAsRoot reports whether operations on h are known to run as root. It sends no request.
func RunsAsRoot(h Host) bool {
	r, ok := h.(RootHost)
	return ok && r.RunsAsRoot()
}

// TypedRemover is a host that checks the type of an object and removes it in one step.
type TypedRemover interface {
	RemoveOnly(ctx context.Context, path string, want FileType) error
}

// RemoveOnly is [Files.Remove] for an object of the wanted type, which must not be [TypeDirectory]. An object
// of a different type is kept, and the error is a [*TypeError]. If the object is replaced between the check and the
// removal, the new one may be removed.
func RemoveOnly(ctx context.Context, h Host, path string, want FileType) error {
	if r, ok := h.(TypedRemover); ok {
		return r.RemoveOnly(ctx, path, want)
	}
	info, err := h.Lstat(ctx, path)
	if err != nil {
		return err
	}
	if info.Type != want {
		return &Error{Op: "remove", Host: h.Name(), Path: path, Err: &TypeError{Want: want, Got: info.Type}}
	}
	return h.Remove(ctx, path)
}

// Dialer is a host that can open network connections to its own sockets and to addresses
// that it can reach.
type Dialer interface {
	// DialHost connects from the host to an address: network "tcp" with "name:port", or
	// network "unix" with the absolute path of a socket. ctx limits only the dialling; the
	// caller closes the connection. The connection has a method CloseWrite, as
	// [net.TCPConn] has. Errors are made with [DialError].
	DialHost(ctx context.Context, network, address string) (net.Conn, error)
}

// Dial checks the address and calls DialHost. If the address is valid but h is not a [Dialer],
// the error matches [errors.ErrUnsupported].
func Dial(ctx context.Context, h Host, network, address string) (net.Conn, error) {
	if err := checkAddress(network, address); err != nil {
		return nil, DialError(h, network, address, err)
	}
	if d, ok := h.(Dialer); ok {
		return d.DialHost(ctx, network, address)
	}
	return nil, DialError(h, network, address, fmt.Errorf("this host does not support outgoing connections: %w", errors.ErrUnsupported))
}

// DialError returns the error of a connection attempt that failed with cause.
func DialError(h Host, network, address string, cause error) error {
	if network == "unix" {
		return &Error{Op: "connect to", Host: h.Name(), Path: address, Err: cause}
	}
	return &Error{Op: "connect to " + address, Host: h.Name(), Err: cause}
}

func checkAddress(network, address string) error {
	switch network {
	case "tcp":
		_, _, err := net.SplitHostPort(address)
		return err
	case "unix":
		return CheckPath(address)
	default:
		return fmt.Errorf("network %q: %w", network, errors.ErrUnsupported)
	}
}

// Resetter is a host that keeps a connection, or the error of a rejected one.
type Resetter interface {
	// Reset closes the connection, which ends everything that runs on it, and clears stored
	// errors. The next operation connects again.
	Reset()
}

// Reset resets h if it is a [Resetter]. Callers that wait for a host to boot use it,
// because errors during the boot are not permanent.
func Reset(h Host) {
	if r, ok := h.(Resetter); ok {
		r.Reset()
	}
}
