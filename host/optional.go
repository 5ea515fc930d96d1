package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
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
