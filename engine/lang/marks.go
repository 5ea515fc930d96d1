package lang

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/marks"
)

// Mark is a property of a value that all values derived from it inherit.
type Mark = marks.Mark

// The marks of package marks.
const (
	Sensitive = marks.Sensitive
	Ephemeral = marks.Ephemeral
)

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

// MarkedPaths returns the paths at which v itself has the mark, outermost first.
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
