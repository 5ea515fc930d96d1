package packages

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	// packageName matches package names of all package managers.
	packageName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9+._-]*$`)
	// versionText matches versions, such as 1:2.3~rc1+dfsg-4.el9_2^git1.
	versionText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+:~^_-]*$`)
)

// maxName is the maximum length of names of packages, repositories and keys.
const maxName = 200

// checkName returns an error if name is not a valid package name. It also rejects names
// with a special meaning: apt-get install removes a package if a dash follows its name.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name must not be empty")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d characters", maxName)
	case strings.ContainsAny(name, ":="):
		return errors.New("use only the name: set the version with the attribute version; an architecture cannot be selected")
	case !packageName.MatchString(name) || strings.HasSuffix(name, "-"):
		return errors.New("a package name must consist of letters, digits and + . _ -, begin with a letter or digit, and not end with a dash; " +
			"options, patterns, groups and files are not supported")
	}
	return nil
}

// Version is a version of a package, or a prefix of versions followed by a star.
type Version string

// MarshalText implements [encoding.TextMarshaler].
func (v Version) MarshalText() ([]byte, error) { return []byte(v), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *Version) UnmarshalText(text []byte) error {
	prefix, _ := strings.CutSuffix(string(text), "*")
	switch {
	case string(text) == "*":
		return errors.New("must have a prefix before the star; leave version out to accept any version")
	case !versionText.MatchString(prefix):
		return errors.New("a version must be written as by the package manager, such as 1.24.0-2 or 1:2.3-1.el9, or as a prefix with a star, such as 1.24.*")
	}
	*v = Version(text)
	return nil
}

// isPrefix reports whether v ends with a star.
func (v Version) isPrefix() bool { return strings.HasSuffix(string(v), "*") }

// matches reports whether version is v or has the prefix v. The empty Version matches all.
func (v Version) matches(version string) bool {
	if prefix, is := strings.CutSuffix(string(v), "*"); is {
		return strings.HasPrefix(version, prefix)
	}
	return v == "" || string(v) == version
}
