package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// startsPrograms has the packages below resources, besides remotecmd, that may create
// commands for a host themselves.
var startsPrograms = map[string]bool{
	"resources/command": true, // the text is the user's program
	"resources/file":    true, // validate is the user's argument vector
}

// TestNoShellTextFromValues checks that no shell interprets configured values, except for the user's
// own programs: packages below resources, other than those of startsPrograms, run programs with
// package remotecmd, whose scripts are constants.
func TestNoShellTextFromValues(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !within(p.dir, "resources") {
			continue
		}
		for _, file := range p.files {
			if file.test {
				continue
			}
			fset := token.NewFileSet()
			syntax, err := parser.ParseFile(fset, filepath.Join(root, file.path), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if p.dir == "resources/remotecmd" {
				continue // the type of its scripts accepts only constants
			}
			for _, found := range shellTexts(syntax, startsPrograms[p.dir]) {
				t.Errorf("%s: %s", fset.Position(found.at), found.what)
			}
		}
	}
}

type finding struct {
	at   token.Pos
	what string
}

// shellTexts returns the places that run a shell with a script that is not a constant and,
// unless mayStart is set, the places that create a [host.Command].
func shellTexts(syntax *ast.File, mayStart bool) (found []finding) {
	constants := map[string]bool{}
	for _, decl := range syntax.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
			for _, spec := range gen.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names { //nolint:forcetypeassert // as the token determines
					constants[name.Name] = true
				}
			}
		}
	}
	look := func(list []ast.Expr) {
		for i, e := range list {
			if text, ok := literal(e); !ok || text != "-c" || i == 0 || i+1 == len(list) {
				continue
			}
			if shell, ok := literal(list[i-1]); !ok || !strings.HasSuffix(shell, "sh") {
				continue
			}
			_, isText := literal(list[i+1])
			name, isName := list[i+1].(*ast.Ident)
			if !isText && (!isName || !constants[name.Name]) {
				found = append(found, finding{e.Pos(), "the script of a shell is not a constant of this file: use remotecmd.Shell, and pass values as arguments"})
			}
		}
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if selector, ok := n.Type.(*ast.SelectorExpr); ok && !mayStart && selector.Sel.Name == "Command" {
				if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "host" {
					found = append(found, finding{n.Pos(), "host.Command is created directly: run programs with package remotecmd"})
				}
			}
			look(n.Elts)
		case *ast.CallExpr:
			look(n.Args)
		}
		return true
	})
	return found
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func TestShellTexts(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		`var _ = host.Command{Args: x}`:                             1,
		`var _ = []string{"sh", "-c", "echo " + name}`:              1,
		`var _ = f("/bin/bash", "-c", text)`:                        1,
		`const text = "x"; var _ = f("sh", "-c", text, "sh", name)`: 0,
		`var _ = []string{"sh", "-c", "true", "sh", name}`:          0,
		`var _ = f("grep", "-c", name)`:                             0,
		`var _ = remotecmd.Call{Args: []string{"useradd", name}}`:   0,
		`var _ = []string{"sh", "-c", fmt.Sprintf("%s", name)}`:     1,
	} {
		syntax, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found := shellTexts(syntax, false); len(found) != want {
			t.Errorf("%s: %d findings, want %d", source, len(found), want)
		}
	}
}
