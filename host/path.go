package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// PathError means that a text is not a valid path or link target. Clean is a valid form of the
// path, as [path.Clean] returns it, if there is one. A PathError matches [ErrInvalidPath].
type PathError struct {
	Path    string
	Problem string
	Clean   string // empty if there is no valid form
}

func (e *PathError) Error() string {
	if e.Clean != "" {
		return fmt.Sprintf("path %s %s: write %s", QuotePath(e.Path), e.Problem, QuotePath(e.Clean))
	}
	return fmt.Sprintf("path %s %s", QuotePath(e.Path), e.Problem)
}

// Is reports whether target is [ErrInvalidPath].
func (e *PathError) Is(target error) bool { return target == ErrInvalidPath }

// CheckPath returns a [*PathError] unless p is absolute and clean. Each path has one valid
// form, so it can identify a file: two resources cannot manage the same file as "/a/./b"
// and "/a/b". Paths are not cleaned silently, because "/a/../b" is not the same file as
// "/b" if a is a symbolic link.
func CheckPath(p string) error {
	switch {
	case p == "":
		return &PathError{Path: p, Problem: "is empty: an absolute path is needed"}
	case strings.IndexByte(p, 0) >= 0:
		return &PathError{Path: p, Problem: "contains a NUL byte"}
	case p[0] == '~':
		return &PathError{Path: p, Problem: "is not absolute: only a shell replaces ~. Write the home directory itself, such as /root or /home/NAME"}
	case p[0] != '/':
		return &PathError{Path: p, Problem: "is not absolute: it must start with /"}
	}
	clean := path.Clean(p)
	if clean == p {
		return nil
	}
	problem := "has an empty or . element"
	switch {
	case strings.Contains(p+"/", "/../"):
		problem = "has a .. element"
	case strings.TrimRight(p, "/") == clean:
		problem = "ends with a slash"
	}
	return &PathError{Path: p, Problem: problem, Clean: clean}
}

// CheckLinkTarget returns a [*PathError] if target cannot be the target of a symbolic link.
func CheckLinkTarget(target string) error {
	switch {
	case target == "":
		return &PathError{Path: target, Problem: "is empty: a link needs a target"}
	case strings.IndexByte(target, 0) >= 0:
		return &PathError{Path: target, Problem: "contains a NUL byte"}
	}
	return nil
}

// CheckTarget is [CheckPath] for a path at which something is created: the root and names
// of temporary files ([IsTempPath]) are errors. The methods of a host that create objects,
// except Rename and Link, return these errors too; resources call CheckTarget while planning.
func CheckTarget(p string) error {
	switch err := CheckPath(p); {
	case err != nil:
		return err
	case p == "/":
		return &PathError{Path: p, Problem: "is the root directory, which always exists"}
	case IsTempPath(p):
		return &PathError{Path: p, Problem: "has the form of a temporary file's name, .NAME.posix-tmp, which is reserved"}
	}
	return nil
}

// The name of a temporary file is derived from the name of its target, so that the leftovers of
// killed writers of a target can be found. People and programs can recognise such a name.
const (
	tempPrefix = "."
	tempSuffix = ".posix-tmp"
	tempMax    = 80 // bytes of the target's name that are repeated; a longer name is shortened
)

// IsWithin reports whether p is dir or a path below it. Both paths must be clean, and dir must not be the
// root directory.
func IsWithin(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// TempPath returns the path at which an implementation of [Files] writes the replacement of
// target: in the same directory, with a name derived from the target's. variant
// distinguishes temporary files of one target; it may be empty. With a variant of up to
// 32 bytes, the name has at most 124 bytes; the shortest limit of common file systems is 143.
func TempPath(target, variant string) string {
	dir, name := path.Split(target)
	if len(name) > tempMax {
		sum := sha256.Sum256([]byte(name))
		name = shorten(name, tempMax-17) + "~" + hex.EncodeToString(sum[:8])
	}
	if variant != "" {
		variant = "-" + variant
	}
	return dir + tempPrefix + name + tempSuffix + variant
}

// IsTempPath reports whether p has the form of [TempPath]. Resources must not use such a
// name, because it would be removed as a leftover of another file.
func IsTempPath(p string) bool {
	name := path.Base(p)
	i := strings.LastIndex(name, tempSuffix)
	if i <= 0 || !strings.HasPrefix(name, tempPrefix) {
		return false
	}
	rest := name[i+len(tempSuffix):]
	return rest == "" || rest[0] == '-'
}

// shorten cuts s to at most n bytes without splitting a character: some file systems accept
// only valid UTF-8.
func shorten(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
