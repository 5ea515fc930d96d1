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

// violations collects what is wrong, at the place where its walk has got to.
type violations struct {
	at    steps
	found []violation
	// probe asks only whether anything is wrong: no path and no text is kept.
	probe  bool
	failed bool
}

type violation struct {
	path cty.Path
	text string
}

// enter and leave move the walk one step down and up again.
func (v *violations) enter(next step) { v.at.push(next) }
func (v *violations) leave()          { v.at.pop() }

func (v *violations) add(text string) {
	v.failed = true
	if !v.probe {
		v.found = append(v.found, violation{v.at.path(), text})
	}
}

// addCounts is for a wrong number of things, a of them instead of b; a text has
// no other figures.
func (v *violations) addCounts(format string, a int, noun string, b int) {
	v.failed = true
	if !v.probe {
		v.add(fmt.Sprintf(format, diag.Count(a, noun), b))
	}
}

// done reports that a probe has its answer, so that the rest need not be
// looked at.
func (v *violations) done() bool { return v.probe && v.failed }

// collapse replaces by one what was found since there were from violations.
func (v *violations) collapse(from int, text string) {
	if len(v.found) > from {
		v.found = v.found[:from]
		v.add(text)
	}
}

// errors is what was found, sorted by path; violations at the same place are
// sorted by text.
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

// comparePaths orders outer before inner, names and string keys bytewise and
// indices by number. Elements of sets, whose keys have no order that could be
// relied on, stay as they were found.
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
