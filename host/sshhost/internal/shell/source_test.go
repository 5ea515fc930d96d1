package shell_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinesComeFromTexts checks that only this package creates text for a shell: other packages
// start a line that was passed to them, or one returned by [shell.Text.Line]. The type ensures
// that a Text has no unquoted value.
func TestLinesComeFromTexts(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				n, bad := startedLines(f)
				found += n
				for _, line := range bad {
					t.Errorf("%s: %s starts %s, which is not returned by shell.Text.Line", path, f.Name.Name, line)
				}
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("found %d started lines, error %v, want at least 1 and no error", found, err)
	}
}

func TestStartedLines(t *testing.T) {
	t.Parallel()
	for body, good := range map[string]bool{
		`func f() { s.Start(ctx, "ls "+path) }`:                       false,
		`func f() { s.Start(ctx, fmt.Sprintf("ls %s", path)) }`:       false,
		`func f() { line := "ls " + path; s.Start(ctx, line) }`:       false,
		`func f(line string) { s.Start(ctx, line) }`:                  false,
		`func f() { line, err := text.Line(); s.Start(ctx, line) }`:   true,
		`func Start(line string) { s.inner.Start(ctx, line) }`:        true,
		`func f() { s.Start(ctx, boot) }`:                             true,
		`func Start(line string) { s.inner.Start(ctx, "x; " + line)}`: false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+body, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		n, bad := startedLines(file.Decls[0].(*ast.FuncDecl))
		if n != 1 || (len(bad) == 0) != good {
			t.Errorf("%s: got %d lines, bad lines %q, want 1 line that is good: %t", body, n, bad, good)
		}
	}
}

// startedLines counts the lines that a function passes to a remote.Starter, and returns
// those of unknown origin.
func startedLines(f *ast.FuncDecl) (n int, bad []string) {
	known := map[string]bool{"boot": true}
	if f.Name.Name == "Start" {
		for _, field := range f.Type.Params.List {
			for _, name := range field.Names {
				known[name.Name] = true
			}
		}
	}
	ast.Inspect(f.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			call, ok := node.Rhs[0].(*ast.CallExpr)
			if name, isName := node.Lhs[0].(*ast.Ident); ok && isName {
				method, ok := call.Fun.(*ast.SelectorExpr)
				known[name.Name] = ok && method.Sel.Name == "Line"
			}
		case *ast.CallExpr:
			method, ok := node.Fun.(*ast.SelectorExpr)
			if !ok || method.Sel.Name != "Start" || len(node.Args) != 2 {
				return true
			}
			n++
			line, ok := node.Args[1].(*ast.Ident)
			switch {
			case !ok:
				bad = append(bad, "an expression")
			case !known[line.Name]:
				bad = append(bad, line.Name)
			}
		}
		return true
	})
	return n, bad
}
