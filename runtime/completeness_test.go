package runtime_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// required are the interfaces whose methods a type must have: the registration of a type
// without them does not compile.
var required = map[string]bool{
	"TypedResource": true, "TypedDataSource": true, "TypedEphemeral": true, "TypedLister": true, "TypedAction": true, "TypedStateStore": true,
	"Number": true, // a type constraint
}

// TestEveryOptionalInterface checks that each optional interface is in the documentation of
// the package, and has an example, a test for a wrong signature, and a use in the
// demonstration provider, which is tested over gRPC and with Terraform or OpenTofu.
func TestEveryOptionalInterface(t *testing.T) {
	t.Parallel()
	optional := map[string][]string{} // methods by interface
	examples := map[string]bool{}
	nearMisses := map[string]bool{} // methods of types whose names contain near
	for _, decl := range declarations(t, "*.go") {
		switch d := decl.(type) {
		case *ast.GenDecl:
			collectInterfaces(d, optional)
		case *ast.FuncDecl:
			switch receiver := receiverName(d); {
			case receiver == "" && strings.HasPrefix(d.Name.Name, "Example"):
				examples[strings.TrimPrefix(d.Name.Name, "Example")] = true
			case strings.Contains(strings.ToLower(receiver), "near"):
				nearMisses[d.Name.Name] = true
			}
		}
	}
	used := map[string]bool{}
	for _, decl := range declarations(t, filepath.Join("..", "internal", "demo", "*.go")) {
		if d, ok := decl.(*ast.FuncDecl); ok && receiverName(d) != "" {
			used[d.Name.Name] = true
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(optional) < 15 {
		t.Fatalf("only %d optional interfaces were found, want at least 15", len(optional))
	}
	for _, name := range slices.Sorted(maps.Keys(optional)) {
		if !strings.Contains(string(doc), "["+name+"]") {
			t.Errorf("doc.go does not list %s", name)
		}
		if !examples[name] {
			t.Errorf("%s has no Example%s", name, name)
		}
		for _, method := range optional[name] {
			if !nearMisses[method] {
				t.Errorf("%s: no type with near in its name has a wrong method %s, so no test checks that New rejects it", name, method)
			}
			if !used[method] {
				t.Errorf("%s: internal/demo has no method %s", name, method)
			}
		}
	}
}

func declarations(t *testing.T, pattern string) []ast.Decl {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, error %v, want at least one file", pattern, len(files), err)
	}
	var all []ast.Decl
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if name := parsed.Name.Name; name == "runtime" || name == "runtime_test" || name == "demo" {
			all = append(all, parsed.Decls...)
		}
	}
	return all
}

func collectInterfaces(d *ast.GenDecl, into map[string][]string) {
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok || !ts.Name.IsExported() || required[ts.Name.Name] {
			continue
		}
		if it, ok := ts.Type.(*ast.InterfaceType); ok {
			for _, m := range it.Methods.List {
				for _, name := range m.Names {
					if !name.IsExported() {
						continue // types of other packages cannot have it
					}
					into[ts.Name.Name] = append(into[ts.Name.Name], name.Name)
				}
			}
		}
	}
}

// receiverName returns the type name of a method's receiver, or "" for a function.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
