package sshconfig

import (
	"slices"
	"strings"
)

// Algorithms applies a list as ssh writes them to those that there are: a list
// of names and patterns stands alone; with + before it, it is added after the
// usual ones, with ^ put before them, with - taken out of them.
func Algorithms(spec string, usual, supported []string) []string {
	if spec == "" {
		return usual
	}
	op := spec[0]
	if strings.IndexByte("+-^", op) >= 0 {
		spec = spec[1:]
	}
	if op == '-' {
		return slices.DeleteFunc(slices.Clone(usual), func(name string) bool { return matchList(name, spec) })
	}
	var named []string
	for pattern := range strings.SplitSeq(spec, ",") {
		for _, name := range supported {
			if matchPattern(name, pattern) && !slices.Contains(named, name) {
				named = append(named, name)
			}
		}
	}
	isNamed := func(name string) bool { return slices.Contains(named, name) }
	switch op {
	case '+':
		return append(slices.Clone(usual), slices.DeleteFunc(named, func(name string) bool { return slices.Contains(usual, name) })...)
	case '^':
		return append(slices.Clone(named), slices.DeleteFunc(slices.Clone(usual), isNamed)...)
	default:
		return named
	}
}
