package packages

import (
	"cmp"
	"slices"
	"strings"
)

// newestFirst sorts versions in place, the newest first, and returns them without duplicates.
func newestFirst(versions []string, compare func(a, b string) int) []string {
	slices.SortFunc(versions, func(a, b string) int { return compare(b, a) })
	return slices.Compact(versions)
}

// compareVersions compares versions in the order of rpm: epoch, version and release. A missing epoch is 0.
// Versions that are equal for rpm, but differ as texts, are compared as texts.
func compareVersions(a, b string) int {
	epochA, a := cutEpoch(a)
	epochB, b := cutEpoch(b)
	versionA, releaseA, _ := strings.Cut(a, "-")
	versionB, releaseB, _ := strings.Cut(b, "-")
	return cmp.Or(compareParts(epochA, epochB), compareParts(versionA, versionB), compareParts(releaseA, releaseB), cmp.Compare(a, b))
}

func cutEpoch(version string) (epoch, rest string) {
	if epoch, rest, ok := strings.Cut(version, ":"); ok {
		return epoch, rest
	}
	return "0", version
}

// compareParts compares runs of digits and runs of letters from left to right. Digits are
// compared as numbers, and are newer than letters. A version with a tilde is older than the
// same version without the tilde and the rest, and one with a caret is newer.
func compareParts(a, b string) int {
	for {
		a, b = strings.TrimLeftFunc(a, separates), strings.TrimLeftFunc(b, separates)
		for _, sign := range []string{"~", "^"} {
			hasA, hasB := strings.HasPrefix(a, sign), strings.HasPrefix(b, sign)
			switch {
			case hasA && hasB:
			case hasA || hasB:
				return compareSigned(sign, hasA, a, b)
			}
		}
		if a != "" && b != "" && strings.ContainsAny(a[:1], "~^") { // both start with the same sign
			a, b = a[1:], b[1:]
			continue
		}
		if a == "" || b == "" {
			return cmp.Compare(len(a), len(b))
		}
		var runA, runB string
		digits := isDigit(rune(a[0]))
		runA, a = cutRun(a)
		runB, b = cutRun(b)
		if digits != isDigit(rune(runB[0])) {
			if digits {
				return 1
			}
			return -1
		}
		if digits {
			runA, runB = strings.TrimLeft(runA, "0"), strings.TrimLeft(runB, "0")
			if c := cmp.Compare(len(runA), len(runB)); c != 0 {
				return c
			}
		}
		if c := cmp.Compare(runA, runB); c != 0 {
			return c
		}
	}
}

// compareSigned compares a and b if only one of them starts with the sign: a if hasA is true, and otherwise b.
func compareSigned(sign string, hasA bool, a, b string) int {
	older, newer := -1, 1
	if !hasA {
		older, newer = 1, -1
	}
	if sign == "~" {
		return older
	}
	if other := map[bool]string{true: b, false: a}[hasA]; other == "" {
		return newer
	}
	return older
}

func separates(r rune) bool { return !isDigit(r) && !isLetter(r) && r != '~' && r != '^' }
func isDigit(r rune) bool   { return r >= '0' && r <= '9' }
func isLetter(r rune) bool  { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// cutRun cuts off the leading digits or letters.
func cutRun(text string) (run, rest string) {
	same := isLetter
	if isDigit(rune(text[0])) {
		same = isDigit
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !same(r) }); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
