package archtest_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayCallShort has the packages that may call testing.Short: package tier, packages for
// tests in other modules, and those that decide where tests run.
var mayCallShort = []string{"internal/tier", "acctest", "acctest/conformance", "internal/roottest"}

// TestEveryTestHasATier checks that each test runs in at least one tier: only the packages of
// mayCallShort call testing.Short, no test is skipped without an environment variable unless another test runs
// it, and no test requires a build tag other than those of platforms and Go versions.
func TestEveryTestHasATier(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		if path.Ext(file) != ".go" || strings.Contains(file, "testdata/") {
			continue
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		mayCall := slices.Contains(mayCallShort, path.Dir(file))
		for _, found := range hidden(syntax, mayCall, strings.HasSuffix(file, "_test.go")) {
			t.Errorf("%s: %s", fset.Position(found.at), found.what)
		}
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"short":             {"func f() { if testing.Short() { return } }", "testing.Short"},
		"a variable":        {`func f(t T) { if os.Getenv("X") == "" { t.Skip("no") } }`, `skips where "X" is unset`},
		"a constant":        {`func f(t T) { if v := os.Getenv(name); v == "" { t.Skipf("no") } }`, "skips where name is unset"},
		"looked up":         {`func f(t T) { if _, ok := os.LookupEnv("X"); !ok { t.SkipNow() } }`, `skips where "X" is unset`},
		"a child's part":    {`func f(t T) { if os.Getenv("X") != "" { t.Skip("this is such a process") } }`, ""},
		"a part":            {`func f(t T) { if os.Getenv("X") == "" { t.Skip("part of another test") } }`, ""},
		"two reasons":       {`func f(t T) { if os.Getenv("X") == "" { if g() { t.Skip("no") }; t.Skip("part of another test") } }`, `skips where "X" is unset`},
		"another condition": {"func f(t T) { if missing() { t.Skip() } }", ""},
		"a tag":             {"//go:build slow", "slow"},
		"a system":          {"//go:build linux && !arm || unix && go1.26", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := tt.text+"\n\n", ""
			if !strings.HasPrefix(tt.text, "//") {
				before, after = after, before
			}
			syntax, err := parser.ParseFile(token.NewFileSet(), "a_test.go", before+"package a\n\n"+after, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, found := range hidden(syntax, false, true) {
				got = append(got, found.what)
			}
			if text := strings.Join(got, "; "); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
				t.Errorf("found %q, want %q", text, tt.want)
			}
		})
	}
}

// hidden returns the places in a file that call testing.Short, unless mayCallShort is set, or keep
// a test out of every tier.
func hidden(syntax *ast.File, mayCallShort, isTest bool) (found []finding) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if !mayCallShort && isCall(n, "testing", "Short") {
				found = append(found, finding{n.Pos(), "call tier.CI, tier.Nightly or tier.Pick instead of testing.Short"})
			}
		case *ast.IfStmt:
			if name := unset(n); isTest && name != "" && skips(n.Body) {
				found = append(found, finding{n.Pos(), "skips where " + name + " is unset: no tier runs the test"})
			}
		}
		return true
	})
	if !isTest {
		return found
	}
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err != nil {
				continue
			}
			for _, tag := range tags(expr) {
				if !systems[tag] && !strings.HasPrefix(tag, "go1.") {
					found = append(found, finding{c.Pos(), "no tier sets the build tag " + tag})
				}
			}
		}
	}
	return found
}

// systems has the build tags of operating systems and architectures that tests may require.
var systems = map[string]bool{
	"aix": true, "amd64": true, "arm": true, "arm64": true, "darwin": true, "freebsd": true, "linux": true,
	"netbsd": true, "openbsd": true, "solaris": true, "unix": true, "windows": true,
}

func tags(expr constraint.Expr) []string {
	switch x := expr.(type) {
	case *constraint.TagExpr:
		return []string{x.Tag}
	case *constraint.NotExpr:
		return tags(x.X)
	case *constraint.AndExpr:
		return append(tags(x.X), tags(x.Y)...)
	case *constraint.OrExpr:
		return append(tags(x.X), tags(x.Y)...)
	}
	return nil
}

// unset returns the environment variable that must be unset for the condition to hold, or
// "" if there is no such variable.
func unset(n *ast.IfStmt) string {
	variable := ""
	condition := []ast.Node{n.Cond}
	if n.Init != nil {
		condition = append(condition, n.Init)
	}
	for _, part := range condition {
		ast.Inspect(part, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && (isCall(call.Fun, "os", "Getenv") || isCall(call.Fun, "os", "LookupEnv")) {
				variable = source(call.Args[0])
			}
			return true
		})
	}
	switch cond := n.Cond.(type) {
	case *ast.UnaryExpr:
		return variable
	case *ast.BinaryExpr:
		if cond.Op == token.EQL && source(cond.Y) == `""` {
			return variable
		}
	}
	return ""
}

func source(expr ast.Expr) string {
	switch x := expr.(type) {
	case *ast.BasicLit:
		return x.Value
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return source(x.X) + "." + x.Sel.Name
	}
	return strconv.Quote("?")
}

func isCall(expr ast.Expr, pkg, name string) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == name && source(selector.X) == pkg
}

// partOfTest is the reason for skipping a test that another test runs in a separate
// process.
const partOfTest = `"part of another test"`

// skips reports whether a body skips its test for a reason other than partOfTest.
func skips(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
			found = found || len(call.Args) == 0 || source(call.Args[0]) != partOfTest
		}
		return true
	})
	return found
}

// TestFuzzInputsHaveTargets checks that each directory of recorded inputs has the name of a fuzz target of
// its package, because go test ignores other directories.
func TestFuzzInputsHaveTargets(t *testing.T) {
	t.Parallel()
	all, checked := files(t), map[string]bool{}
	for _, file := range all {
		pkg, input, is := strings.Cut(file, "/testdata/fuzz/")
		target := path.Dir(input)
		if !is || checked[pkg+" "+target] {
			continue
		}
		checked[pkg+" "+target] = true
		if !slices.ContainsFunc(all, func(file string) bool {
			return path.Dir(file) == pkg && strings.HasSuffix(file, "_test.go") && strings.Contains(readFile(t, file), "\nfunc "+target+"(")
		}) {
			t.Errorf("%s is an input of %s, which does not exist", file, target)
		}
	}
	if len(checked) == 0 {
		t.Error("there are no recorded inputs")
	}
}

// TestEveryModuleIsTested checks that make runs the tests of modules within this one.
func TestEveryModuleIsTested(t *testing.T) {
	t.Parallel()
	makefile := readFile(t, "Makefile")
	all := files(t)
	for _, file := range all {
		dir := path.Dir(file)
		if path.Base(file) != "go.mod" || dir == "." {
			continue
		}
		hasTests := slices.ContainsFunc(all, func(f string) bool {
			return strings.HasPrefix(f, dir+"/") && strings.HasSuffix(f, "_test.go")
		})
		if hasTests && !strings.Contains(makefile, "cd "+dir+" && go vet ./... && go test ") && !strings.Contains(makefile, "gotest -in "+dir+" ") {
			t.Errorf("no target of the Makefile runs the tests of the module in %s", dir)
		}
	}
}
