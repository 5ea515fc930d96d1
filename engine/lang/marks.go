package lang

import (
	"github.com/zclconf/go-cty/cty"
)

// Mark is something that is true of a value besides what it is, and of
// everything that is made from it.
type Mark string

const (
	// Sensitive values are not shown to people.
	Sensitive Mark = "sensitive"
	// Ephemeral values exist during one run and are stored nowhere.
	Ephemeral Mark = "ephemeral"
)

// MarkPaths is v with the mark at each of the paths. Paths that lead nowhere in
// v are passed over.
func MarkPaths(v cty.Value, paths []cty.Path, mark Mark) cty.Value {
	if len(paths) == 0 {
		return v
	}
	marks := make([]cty.PathValueMarks, len(paths))
	for i, path := range paths {
		marks[i] = cty.PathValueMarks{Path: path, Marks: cty.NewValueMarks(mark)}
	}
	return v.MarkWithPaths(marks)
}

// UnmarkDeepSensitivePaths is v without any mark, and where it was sensitive.
// Other marks are lost: who has to keep them asks [MarkedPaths] first.
func UnmarkDeepSensitivePaths(v cty.Value) (cty.Value, []cty.PathValueMarks) {
	if !v.ContainsMarked() {
		return v, nil
	}
	bare, marked := v.UnmarkDeepWithPaths()
	var sensitive []cty.PathValueMarks
	for _, at := range marked {
		if _, ok := at.Marks[Sensitive]; ok {
			sensitive = append(sensitive, cty.PathValueMarks{Path: at.Path, Marks: cty.NewValueMarks(Sensitive)})
		}
	}
	return bare, sensitive
}

// MarkedPaths is where v carries the mark itself, outermost first.
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
	_, marks := v.UnmarkDeep()
	_, ok := marks[mark]
	return ok
}
