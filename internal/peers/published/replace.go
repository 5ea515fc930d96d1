package published

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
)

// ReplaceFuncs adds test files to the package in dir. A function of these files replaces the
// one with the same name in the test files of the package, which is renamed to _, so that it
// is still compiled and its imports are still used. There must be at least one.
func ReplaceFuncs(dir string, files ...string) error {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	added := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		declared, err := funcs(content)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, f := range declared {
			added[f.name] = true
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600); err != nil {
			return err
		}
	}
	replaced := 0
	for _, test := range tests {
		source, err := os.ReadFile(test)
		if err != nil {
			return err
		}
		declared, err := funcs(source)
		if err != nil {
			return fmt.Errorf("%s: %w", test, err)
		}
		for _, f := range slices.Backward(declared) { // the last one first, so that offsets stay valid
			if added[f.name] {
				source = slices.Replace(source, f.offset, f.offset+len(f.name), '_')
				replaced++
			}
		}
		if err := os.WriteFile(test, source, 0o600); err != nil {
			return err
		}
	}
	if replaced == 0 {
		return fmt.Errorf("%s replace no function of the tests in %s", files, dir)
	}
	return nil
}

// function is the name of a function, and its offset in the source.
type function struct {
	name   string
	offset int
}

// funcs returns the functions of a file in the order of the source, without methods.
func funcs(source []byte) ([]function, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []function
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
			out = append(out, function{f.Name.Name, fset.Position(f.Name.Pos()).Offset})
		}
	}
	return out, nil
}
