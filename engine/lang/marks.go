package lang

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/ctymarks"

	"github.com/posixform/terraform-provider-posix/marks"
)

// Mark is a property of a value that all values derived from it inherit.
type Mark = marks.Mark

// The marks of package marks.
const (
	Sensitive = marks.Sensitive
	Ephemeral = marks.Ephemeral
)

// Deprecation is the mark of values that are derived from a deprecated source.
type Deprecation struct {
	// Source is the address of the deprecated output, block or attribute.
	Source string
	// Message describes the replacement, or is "".
	Message string
}

// TakeDeprecations returns v without deprecations, and calls found for each of them.
func TakeDeprecations(v cty.Value, found func(cty.Path, Deprecation)) cty.Value {
	v, _ = v.WrangleMarksDeep(func(mark any, path cty.Path) (ctymarks.WrangleAction, error) {
		d, ok := mark.(Deprecation)
		if !ok {
			return ctymarks.WrangleKeep, nil
		}
		found(path.Copy(), d)
		return ctymarks.WrangleDrop, nil
	})
	return v
}

// MarkPaths returns v with the mark at each of the paths. Paths that do not exist in v
// are ignored.
func MarkPaths(v cty.Value, paths []cty.Path, mark Mark) cty.Value {
	if len(paths) == 0 {
		return v
	}
	all := make([]cty.PathValueMarks, len(paths))
	for i, path := range paths {
		all[i] = cty.PathValueMarks{Path: path, Marks: cty.NewValueMarks(mark)}
	}
	return v.MarkWithPaths(all)
}

// UnmarkDeepSensitivePaths returns v without marks, and the sensitive paths. Other
// marks are lost; call [MarkedPaths] first to keep them.
func UnmarkDeepSensitivePaths(v cty.Value) (cty.Value, []cty.PathValueMarks) {
	if !v.ContainsMarked() {
		return v, nil
	}
	plainValue, marked := v.UnmarkDeepWithPaths()
	var sensitive []cty.PathValueMarks
	for _, at := range marked {
		if _, ok := at.Marks[Sensitive]; ok {
			sensitive = append(sensitive, cty.PathValueMarks{Path: at.Path, Marks: cty.NewValueMarks(Sensitive)})
		}
	}
	return plainValue, sensitive
}

// MarkedPaths returns the paths of the values in v that have the mark themselves, outermost first.
func MarkedPaths(v cty.Value, mark Mark) []cty.Path {
	if !v.ContainsMarked() {
		return nil
	}
	var paths []cty.Path
	_, marked := v.UnmarkDeepWithPaths()
	for _, at := range marked {
		if _, ok := at.Marks[mark]; ok {
			paths = append(paths, at.Path)
		}
	}
	return paths
}

// Carries reports whether v or anything in it has the mark.
func Carries(v cty.Value, mark Mark) bool {
	if !v.ContainsMarked() {
		return false
	}
	_, all := v.UnmarkDeep()
	_, ok := all[mark]
	return ok
}
