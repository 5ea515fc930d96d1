package host

import (
	"fmt"
	"path"
	"strings"
)

// PathError says why a text is refused as a path and, where there is one, how
// the same path is spelled properly. It matches [ErrInvalidPath].
type PathError struct {
	Path    string
	Problem string
	Clean   string // empty when there is no proper spelling
}

func (e *PathError) Error() string {
	if e.Clean != "" {
		return fmt.Sprintf("path %s %s: write %s", QuotePath(e.Path), e.Problem, QuotePath(e.Clean))
	}
	return fmt.Sprintf("path %s %s", QuotePath(e.Path), e.Problem)
}

// Is matches [ErrInvalidPath].
func (e *PathError) Is(target error) bool { return target == ErrInvalidPath }

// CheckPath accepts absolute paths in their one clean spelling, the root among
// them, and answers others with a [*PathError]. One spelling a path lets it be
// an identity: two resources cannot meet in one file by "/a/./b" and "/a/b".
// Where links are among the directories, "/a/../b" is not even the same file
// as "/b", so nothing is cleaned silently.
func CheckPath(p string) error {
	switch {
	case p == "":
		return &PathError{Path: p, Problem: "is empty: an absolute path is needed"}
	case strings.IndexByte(p, 0) >= 0:
		return &PathError{Path: p, Problem: "contains a NUL byte"}
	case p[0] != '/':
		return &PathError{Path: p, Problem: "is not absolute: it must begin with /"}
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

// CheckLinkTarget refuses what no symbolic link can lead to, with a [*PathError].
func CheckLinkTarget(target string) error {
	switch {
	case target == "":
		return &PathError{Path: target, Problem: "is empty: a link needs a target"}
	case strings.IndexByte(target, 0) >= 0:
		return &PathError{Path: target, Problem: "contains a NUL byte"}
	}
	return nil
}

// CheckTarget is [CheckPath] for a path at which something is to be made: it
// refuses the root and the names that temporary files have ([IsTempPath]).
// Methods that make files refuse them too; a resource asks when it plans.
func CheckTarget(p string) error {
	switch err := CheckPath(p); {
	case err != nil:
		return err
	case p == "/":
		return &PathError{Path: p, Problem: "is the root directory, which is always there"}
	case IsTempPath(p):
		return &PathError{Path: p, Problem: "has the form of a temporary file's name, .NAME.posix-tmp, which is reserved"}
	}
	return nil
}
