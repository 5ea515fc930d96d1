package runtime

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// requiredMethods are the methods that Go requires of the types of all families.
var requiredMethods = []string{
	"Create", "Read", "Update", "Delete", "Open", "Invoke", "List", "Write", "Lock", "Unlock",
}

// misnamedMethods returns an error for each method that is probably meant as an optional one
// and has another name: it would never be called. A method without parameters and results,
// such as that of an embedded lock, can only be meant as Defaults.
func misnamedMethods(pointer reflect.Type, optional []optionalMethod, p *typeArgs) (errs []error) {
	for i := range pointer.NumMethod() { //nolint:modernize // the iterator allocates
		m := pointer.Method(i)
		if slices.Contains(requiredMethods, m.Name) || isOptional(m.Name, optional) || isOptional(m.Name, managedMethods) {
			continue
		}
		var meant []string
		for j := range optional {
			opt := &optional[j]
			bare := m.Type.NumIn() == 1 && m.Type.NumOut() == 0
			if opt.resembles(m.Name) && (!bare || opt.name == "Defaults") {
				meant = append(meant, fmt.Sprintf("%s %s of runtime.%s", opt.name, opt.want.filled(p), opt.iface))
			}
		}
		if len(meant) > 0 {
			errs = append(errs, fmt.Errorf("method %s would never be called: the optional method is %s; rename it, also if it is meant for something else",
				m.Name, strings.Join(meant, " or ")))
		}
	}
	return errs
}

func isOptional(name string, methods []optionalMethod) bool {
	return slices.ContainsFunc(methods, func(o optionalMethod) bool { return o.name == name })
}

// resembles reports whether name is probably meant as that of the method: one of its other
// names, the singular or plural, or, if it is not short, a misspelling.
func (o *optionalMethod) resembles(name string) bool {
	a, b := strings.ToLower(name), strings.ToLower(o.name)
	switch {
	case slices.Contains(o.others, name), strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s"):
		return true
	case len(b) < 7:
		return false
	case len(b) < 10:
		return distance(a, b) <= 1
	default:
		return distance(a, b) <= 2
	}
}

// distance returns the number of letters to insert, remove, replace, or swap with the next
// one, that turn a into b.
func distance(a, b string) int {
	// Rows of the usual table; the last three are needed.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
