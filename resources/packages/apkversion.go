package packages

import (
	"cmp"
	"regexp"
	"strings"
)

// apkToken matches the parts of a version of apk: the first number, further numbers, a
// letter, suffixes, their numbers, a commit and the release.
var apkToken = regexp.MustCompile(`^(?:\.?[0-9]+|[a-z]|_[a-z]+|~[0-9a-f]+|-r[0-9]+)`)

// Kinds of parts, in ascending order: if two versions have a common prefix, the one whose next
// part is of the later kind is newer. apkEnd is the end of a version.
const (
	apkOther = iota // anything else
	apkBefore
	apkEnd
	apkRelease
	apkCommit
	apkAfter
	apkLetter
	apkNumber
)

// apkSuffixes maps suffixes of versions to their rank. A version with a suffix of negative
// rank is older than the same version without a suffix, and one of positive rank is newer.
var apkSuffixes = map[string]int{
	"_alpha": -4, "_beta": -3, "_pre": -2, "_rc": -1,
	"_cvs": 1, "_svn": 2, "_git": 3, "_hg": 4, "_p": 5,
}

// compareAPK compares versions in the order of apk.
func compareAPK(a, b string) int {
	restA, restB := a, b
	for first := true; restA != "" || restB != ""; first = false {
		var partA, partB string
		partA, restA = cutAPK(restA)
		partB, restB = cutAPK(restB)
		kind := apkKind(partA)
		if c := cmp.Compare(kind, apkKind(partB)); c != 0 {
			return c
		}
		if c := compareAPKParts(kind, partA, partB, first); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// cutAPK cuts off the first part of a version.
func cutAPK(version string) (part, rest string) {
	if part = apkToken.FindString(version); part == "" {
		return version, ""
	}
	return part, version[len(part):]
}

func apkKind(part string) int {
	switch {
	case part == "":
		return apkEnd
	case apkToken.FindString(part) != part:
		return apkOther
	case part[0] == '-':
		return apkRelease
	case part[0] == '~':
		return apkCommit
	case part[0] == '_' && apkSuffixes[part] < 0:
		return apkBefore
	case part[0] == '_' && apkSuffixes[part] > 0:
		return apkAfter
	case part[0] == '_':
		return apkOther
	case isLetter(rune(part[0])):
		return apkLetter
	default:
		return apkNumber
	}
}

// compareAPKParts compares parts of one kind. A number with a leading zero is a fraction,
// unless it is the first.
func compareAPKParts(kind int, a, b string, first bool) int {
	switch kind {
	case apkBefore, apkAfter:
		return cmp.Compare(apkSuffixes[a], apkSuffixes[b])
	case apkNumber, apkRelease:
		a, b = strings.TrimLeft(a, ".-r"), strings.TrimLeft(b, ".-r")
		if !first && (a[0] == '0' || b[0] == '0') {
			return cmp.Compare(a, b)
		}
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	default:
		return cmp.Compare(a, b)
	}
}
