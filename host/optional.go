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

// Digester is a host that knows a file's SHA-256 without moving its content.
type Digester interface {
	// Digest is to [Files.Open] and hashing what it answers.
	Digest(ctx context.Context, path string) (FileInfo, [sha256.Size]byte, error)
}

// Digest is the SHA-256 of a regular file, with the info of the same file.
func Digest(ctx context.Context, h Host, path string) (FileInfo, [sha256.Size]byte, error) {
	if d, ok := h.(Digester); ok {
		return d.Digest(ctx, path)
	}
	var sum [sha256.Size]byte
	info, content, err := h.Open(ctx, path)
	if err != nil {
		return FileInfo{}, sum, err
	}
	defer func() { _ = content.Close() }() // nothing was written that it could lose
	hash := sha256.New()
	buffer := make([]byte, min(max(info.Size+1, 512), 64<<10)) // most files are small
	if _, err := io.CopyBuffer(hash, content, buffer); err != nil {
		return FileInfo{}, sum, err
	}
	hash.Sum(sum[:0])
	return info, sum, nil
}

// ParentMaker is a host that makes all missing parents of a path at once.
type ParentMaker interface {
	MakeParents(ctx context.Context, path string, attrs Attributes) ([]string, error)
}

// MakeParents makes the missing directories above path, each as Mkdir would
// with attrs, and says which it made, the outermost first, also when it then
// fails. It is cheapest called after an operation said [fs.ErrNotExist].
func MakeParents(ctx context.Context, h Host, path string, attrs Attributes) ([]string, error) {
	if m, ok := h.(ParentMaker); ok {
		return m.MakeParents(ctx, path, attrs)
	}
	if err := CheckPath(path); err != nil {
		return nil, &Error{Op: "make parents of", Host: h.Name(), Path: path, Err: err}
	}
	return makeDirs(ctx, h, parent(path), attrs)
}

// makeDirs leaves it to the next level to find that what exists is a file: that
// Mkdir then fails with the error that names it.
func makeDirs(ctx context.Context, h Host, dir string, attrs Attributes) ([]string, error) {
	if dir == "/" {
		return nil, nil
	}
	_, err := h.Mkdir(ctx, dir, attrs)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	var made []string
	if errors.Is(err, fs.ErrNotExist) {
		if made, err = makeDirs(ctx, h, parent(dir), attrs); err != nil {
			return made, err
		}
		_, err = h.Mkdir(ctx, dir, attrs)
		if errors.Is(err, fs.ErrExist) { // made by another meanwhile
			return made, nil
		}
	}
	if err != nil {
		return made, err
	}
	return append(slices.Clip(made), dir), nil
}

func parent(p string) string { return path.Dir(p) }

// TypedRemover is a host that looks what is at a path and removes it in one step.
type TypedRemover interface {
	RemoveOnly(ctx context.Context, path string, want FileType) error
}

// RemoveOnly is [Files.Remove] of what is of a type, which is not that of
// directories. Anything else at path is a [*TypeError], and stays. What takes the
// place of the one that was looked at, in that instant, may go instead of it.
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

// Dialer is a host that makes connections from where it is: to its own sockets,
// and to whatever can be reached from there and perhaps not from here.
type Dialer interface {
	// DialHost connects to an address as the host sees it: of network "tcp" to
	// "name:port", of network "unix" to the socket at an absolute path. ctx governs
	// the dialling alone, not the connection, which the caller closes. The
	// connection has CloseWrite, as [net.TCPConn] has, which ends one direction.
	// Its errors are made by [DialError].
	DialHost(ctx context.Context, network, address string) (net.Conn, error)
}

// Dial connects from the host, where that is a [Dialer]; of another the error
// matches [errors.ErrUnsupported].
func Dial(ctx context.Context, h Host, network, address string) (net.Conn, error) {
	if err := checkAddress(network, address); err != nil {
		return nil, DialError(h, network, address, err)
	}
	if d, ok := h.(Dialer); ok {
		return d.DialHost(ctx, network, address)
	}
	return nil, DialError(h, network, address, fmt.Errorf("this host makes no connections: %w", errors.ErrUnsupported))
}

// DialError is the error of a connection that could not be made.
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
