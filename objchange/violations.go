package objchange

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// violations collects violations at the current path of a walk.
type violations struct {
	at    steps
	found []violation
	// probe means that only the existence of a violation matters: no path and
	// no text is stored.
	probe  bool
	failed bool
	// nulls are the paths of null elements of nested types that were compared; they
	// are collected if findNulls is set.
	findNulls bool
	nulls     []cty.Path
	// nullBlocks means that blocks may be null in a plan if they are null in the configuration.
	nullBlocks bool
}

type violation struct {
	path cty.Path
	text string
}

// enter appends a step to the current path, and leave removes the last one.
func (v *violations) enter(next step) { v.at.push(next) }
func (v *violations) leave()          { v.at.pop() }

func (v *violations) add(text string) {
	v.failed = true
	if !v.probe {
		v.found = append(v.found, violation{v.at.path(), text})
	}
}

// addCounts adds a violation about two numbers that differ: a, with the noun, and b.
func (v *violations) addCounts(format string, a int, noun string, b int) {
	v.failed = true
	if !v.probe {
		v.add(fmt.Sprintf(format, diag.Count(a, noun), b))
	}
}

// done reports whether a probe has found a violation, so that the walk can
// stop.
func (v *violations) done() bool { return v.probe && v.failed }

// collapse replaces the violations that start at index from, if any, with a single violation.
func (v *violations) collapse(from int, text string) {
	if len(v.found) > from {
		v.found = v.found[:from]
		v.add(text)
	}
}

// errors returns the violations, sorted by path and then by text.
func (v *violations) errors() []error {
	if len(v.found) == 0 {
		return nil
	}
	slices.SortStableFunc(v.found, func(a, b violation) int {
		if c := comparePaths(a.path, b.path); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	errs := make([]error, len(v.found))
	for i, f := range v.found {
		errs[i] = f.path.NewError(errors.New(f.text))
	}
	return errs
}

// comparePaths orders outer paths before inner ones, names and string keys by
// bytes, and indices by number. Elements of sets, whose keys have no order,
// compare as equal.
func comparePaths(a, b cty.Path) int {
	return slices.CompareFunc(a, b, func(a, b cty.PathStep) int {
		aRank, aKey, aIndex := stepOrder(a)
		bRank, bKey, bIndex := stepOrder(b)
		return cmp.Or(cmp.Compare(aRank, bRank), strings.Compare(aKey, bKey), cmp.Compare(aIndex, bIndex))
	})
}

func stepOrder(s cty.PathStep) (rank int, key string, index float64) {
	switch s := s.(type) {
	case cty.GetAttrStep:
		return 0, s.Name, 0
	case cty.IndexStep:
		if isKnown(s.Key) && s.Key.Type() == cty.Number {
			f, _ := s.Key.AsBigFloat().Float64()
			return 1, "", f
		}
		if isKnown(s.Key) && s.Key.Type() == cty.String {
			return 2, s.Key.AsString(), 0
		}
	}
	return 3, "", 0
}

// step is one step of a path: an attribute step, or an index step if it has a
// key.
type step struct {
	name string
	key  cty.Value
}

// steps is the path of the current value, as a stack. It is converted to a
// [cty.Path] only for a violation or a null element, so that checking a valid value
// allocates no path.
type steps struct {
	outer [8]step
	inner []step
	depth int
}

func (s *steps) push(next step) {
	if s.depth < len(s.outer) {
		s.outer[s.depth] = next
	} else {
		s.inner = append(s.inner, next)
	}
	s.depth++
}

func (s *steps) pop() {
	s.depth--
	if s.depth >= len(s.outer) {
		s.inner = s.inner[:len(s.inner)-1]
	}
}

func (s *steps) path() cty.Path {
	path := make(cty.Path, s.depth)
	for i := range path {
		var at step
		if i < len(s.outer) {
			at = s.outer[i]
		} else {
			at = s.inner[i-len(s.outer)]
		}
		if at.key == cty.NilVal {
			path[i] = cty.GetAttrStep{Name: at.name}
		} else {
			path[i] = cty.IndexStep{Key: at.key}
		}
	}
	return path
}
