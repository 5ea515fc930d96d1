package published_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	theirs = "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	ours   = "github.com/posixform/terraform-provider-posix/acctest"
)

// entries has the functions that run a test case, which the packages theirs and ours have.
var entries = []string{"Test", "UnitTest", "ParallelTest"}

// Move copies a module to dir and replaces the calls of entries in its tests. It returns
// an error if a file cannot be copied or its calls cannot be replaced.
func Move(module, dir string) error {
	files := os.DirFS(module)
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, name), 0o700)
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			if content, err = moveFile(content); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return os.WriteFile(filepath.Join(dir, name), content, 0o600)
	})
}

// moveFile replaces the calls of entries in a file. A file without calls is unchanged.
func moveFile(source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	spec, name := imported(file, theirs)
	if spec == nil {
		return source, nil
	}
	calls, used := 0, 0
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := selector.X.(*ast.Ident)
		switch {
		case !ok || pkg.Name != name:
		case slices.Contains(entries, selector.Sel.Name):
			pkg.Name = "acctest"
			calls++
		default:
			used++
		}
		return true
	})
	if calls == 0 {
		return source, nil
	}
	path := &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(ours)}
	if used == 0 {
		spec.Name, spec.Path = nil, path
	} else if !add(file, &ast.ImportSpec{Path: path}) {
		return nil, errors.New("the file has no import declaration in parentheses")
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, file); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// imported returns the import of a package, or nil, and the name of the package in the file.
func imported(file *ast.File, path string) (*ast.ImportSpec, string) {
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(path) {
			continue
		}
		if spec.Name != nil {
			return spec, spec.Name.Name
		}
		return spec, path[strings.LastIndex(path, "/")+1:]
	}
	return nil, ""
}

// add adds an import to the first import declaration in parentheses, and reports whether
// there is one.
func add(file *ast.File, spec *ast.ImportSpec) bool {
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT && d.Lparen.IsValid() {
			d.Specs = append(d.Specs, spec)
			return true
		}
	}
	return false
}

// ReplaceFuncs adds test files to the package in dir. In the existing test files, it renames the
// functions with the given names to _, so that these functions are still compiled and their
// imports are still used, and the functions of the added files replace them. ReplaceFuncs returns
// an error unless the existing test files declare each name exactly once.
func ReplaceFuncs(dir string, names []string, files ...string) error {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	declared := map[string]int{}
	for _, test := range tests {
		source, err := os.ReadFile(test)
		if err != nil {
			return err
		}
		for _, name := range names {
			declaration := []byte("\nfunc " + name + "(")
			declared[name] += bytes.Count(source, declaration)
			source = bytes.ReplaceAll(source, declaration, []byte("\nfunc _("))
		}
		if err := os.WriteFile(test, source, 0o600); err != nil {
			return err
		}
	}
	for _, name := range names {
		if declared[name] != 1 {
			return fmt.Errorf("the tests in %s declare %s %d times, want once", dir, name, declared[name])
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
