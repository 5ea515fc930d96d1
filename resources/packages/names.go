package packages

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	// packageName is what a package can be called, for any of the managers.
	packageName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9+._-]*$`)
	// versionText is what versions are made of: 1:2.3~rc1+dfsg-4.el9_2^git1.
	versionText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+:~^_-]*$`)
)

// maxName is longer than any name of a package is.
const maxName = 200

// checkName accepts the name of a package. What managers take for something else
// is none: apt removes what has a dash at its end.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a package has a name")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d characters", maxName)
	case strings.ContainsAny(name, ":="):
		return errors.New("write the name alone: the version goes into the attribute version, and an architecture cannot be chosen")
	case !packageName.MatchString(name) || strings.HasSuffix(name, "-"):
		return errors.New("a name of a package has letters, digits and + . _ -, begins with a letter or digit and has no dash at its end; " +
			"options, patterns, groups and files are none")
	}
	return nil
}

// Version is a version of a package, or the beginning of one and a star.
type Version string

// MarshalText is the text as it is.
func (v Version) MarshalText() ([]byte, error) { return []byte(v), nil }

// UnmarshalText refuses what no manager would take for a version.
func (v *Version) UnmarshalText(text []byte) error {
	begins, _ := strings.CutSuffix(string(text), "*")
	switch {
	case string(text) == "*":
		return errors.New("leave version out where any will do")
	case !versionText.MatchString(begins):
		return errors.New("a version is written as the package manager writes it, as 1.24.0-2 or 1:2.3-1.el9, or as its beginning and a star, as 1.24.*")
	}
	*v = Version(text)
	return nil
}

// pattern reports whether it is the beginning of one and a star.
func (v Version) pattern() bool { return strings.HasSuffix(string(v), "*") }

// matches reports whether a version is this one, or begins like it. Nothing is any.
func (v Version) matches(version string) bool {
	if begins, is := strings.CutSuffix(string(v), "*"); is {
		return strings.HasPrefix(version, begins)
	}
	return v == "" || string(v) == version
}
