package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// goPackage has the declarations of a package and their comments.
type goPackage struct {
	name    string
	files   *token.FileSet
	structs map[string]*structType
	// types has the named types other than structs.
	types map[string]ast.Expr
	// functions has the functions without a receiver.
	functions map[string]*ast.FuncDecl
	// declared has the names of all declarations, methods as Type.Method.
	declared map[string]bool
	// imports has the import paths of all files by local package name.
	imports map[string]string
}

// structType is a struct type, which may be part of a schema.
type structType struct {
	doc     *ast.CommentGroup
	fields  []structField
	generic bool
}

// structField is a field that may become an attribute.
type structField struct {
	name string
	doc  *ast.CommentGroup
	typ  ast.Expr
	pos  token.Pos
	// attribute is the name of the attribute in the schema.
	attribute string
	// embedded is set for an embedded type that is not a pointer and has no tf tag. Its fields are
	// attributes, unless the type is a string in the schema.
	embedded bool
}

// parsePackage parses the package in dir without tests, the generated file and programs beside the package.
func parsePackage(dir string) (*goPackage, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &goPackage{
		files: token.NewFileSet(), structs: map[string]*structType{}, types: map[string]ast.Expr{}, functions: map[string]*ast.FuncDecl{},
		declared: map[string]bool{}, imports: map[string]string{},
	}
	for _, name := range paths {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == outputName {
			continue
		}
		file, err := parser.ParseFile(p.files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if ignored(file) {
			continue
		}
		p.name = file.Name.Name
		for _, spec := range file.Imports {
			p.addImport(spec)
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				p.addFunc(decl)
			case *ast.GenDecl:
				p.addDecl(decl)
			}
		}
	}
	if p.name == "" {
		return nil, fmt.Errorf("no Go package in %s", dir)
	}
	return p, nil
}

// ignored reports whether a file is a program that is not part of the package: such files have the build
// constraint "ignore", which excludes them from every build.
func ignored(file *ast.File) bool {
	return slices.ContainsFunc(file.Comments, func(group *ast.CommentGroup) bool {
		return group.Pos() < file.Package &&
			slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return c.Text == "//go:build ignore" })
	})
}

func (p *goPackage) addImport(spec *ast.ImportSpec) {
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser has checked it
		return
	}
	name := path.Base(importPath)
	if spec.Name != nil {
		name = spec.Name.Name
	}
	p.imports[name] = importPath
}

func (p *goPackage) addFunc(decl *ast.FuncDecl) {
	name := decl.Name.Name
	if decl.Recv != nil && len(decl.Recv.List) == 1 {
		receiver, _ := typeName(decl.Recv.List[0].Type)
		name = receiver + "." + name
	} else {
		p.functions[name] = decl
	}
	p.declared[name] = true
}

func (p *goPackage) addDecl(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				p.declared[name.Name] = true
			}
		case *ast.TypeSpec:
			p.declared[spec.Name.Name] = true
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				p.types[spec.Name.Name] = spec.Type
				continue
			}
			doc := spec.Doc
			if doc == nil && len(decl.Specs) == 1 {
				doc = decl.Doc
			}
			s := &structType{doc: doc, generic: spec.TypeParams != nil}
			for _, f := range st.Fields.List {
				s.fields = append(s.fields, attributeFields(f)...)
			}
			p.structs[spec.Name.Name] = s
		}
	}
}

// attributeFields returns the fields that a declaration adds to the schema, as in
// package runtime.
func attributeFields(f *ast.Field) []structField {
	tag := ""
	if f.Tag != nil {
		if text, err := strconv.Unquote(f.Tag.Value); err == nil { // the parser has checked it
			tag = reflect.StructTag(text).Get("tf")
		}
	}
	if tag == "-" {
		return nil
	}
	doc := cmp.Or(f.Doc, f.Comment)
	named, _, _ := strings.Cut(tag, ",")
	field := func(name string, pos token.Pos) structField {
		return structField{name: name, doc: doc, typ: f.Type, pos: pos, attribute: cmp.Or(named, snakeCase(name))}
	}
	if len(f.Names) == 0 {
		name, pointer := typeName(f.Type)
		one := field(name, f.Pos())
		one.embedded = !pointer && tag == ""
		if !one.embedded && !ast.IsExported(name) {
			return nil
		}
		return []structField{one}
	}
	var fields []structField
	for _, id := range f.Names {
		if id.IsExported() {
			fields = append(fields, field(id.Name, id.Pos()))
		}
	}
	return fields
}

// typeName returns the name of a type without package and type arguments, or "", and
// whether it is a pointer.
func typeName(expr ast.Expr) (name string, pointer bool) {
	switch t := expr.(type) {
	case *ast.Ident:
		return t.Name, false
	case *ast.StarExpr:
		name, _ = typeName(t.X)
		return name, true
	case *ast.SelectorExpr:
		return t.Sel.Name, false
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.ParenExpr:
		return typeName(t.X)
	}
	return "", false
}

// isFlat reports whether a field is an embedded struct without an attribute of its own.
func (p *goPackage) isFlat(f structField) bool {
	return f.embedded && !p.isText(f.name) && p.isStruct(f.name)
}

// isStruct reports whether a type is a struct. Types of other packages count as structs.
func (p *goPackage) isStruct(name string) bool {
	for range len(p.types) + 1 { // a type may be declared as another named type
		switch t := p.types[name].(type) {
		case nil:
			return types.Universe.Lookup(name) == nil
		case *ast.Ident:
			name = t.Name
		case *ast.SelectorExpr:
			return true
		default:
			return false
		}
	}
	return false
}

// isText reports whether the type is a string in the schema.
func (p *goPackage) isText(name string) bool {
	return p.declared[name+".MarshalText"] && p.declared[name+".UnmarshalText"]
}

// reach returns the named structs and the structs of the package that they
// contain, in depth-first order. It skips structs that are strings in the schema
// and structs of other packages, which have their own descriptions. A struct with type
// parameters is skipped if it is not named and has no attributes; otherwise it is an error.
func (p *goPackage) reach(named []string) ([]string, error) {
	var found []string
	var errs []error
	var visit func(name string)
	visit = func(name string) {
		s := p.structs[name]
		if s == nil || slices.Contains(found, name) || p.isText(name) {
			return
		}
		if s.generic {
			if len(s.fields) == 0 && !slices.Contains(named, name) {
				return // it has no attributes, and needs no description
			}
			errs = append(errs, fmt.Errorf("the struct type %s has type parameters, which descriptions do not support: declare a struct without type parameters", name))
			return
		}
		found = append(found, name)
		for _, f := range s.fields {
			errs = append(errs, p.walkType(f.typ, visit, p.at(f)+": "+name+"."+f.name))
		}
	}
	for _, name := range named {
		if p.structs[name] == nil {
			errs = append(errs, fmt.Errorf("package %s has no struct type or function %s", p.name, name))
		}
		visit(name)
	}
	return found, errors.Join(errs...)
}

// walkType calls visit with the name of each struct of the package that a type contains,
// and with the names of other types, such as string. An anonymous struct with fields is an error.
func (p *goPackage) walkType(expr ast.Expr, visit func(name string), where string) error {
	seen := map[string]bool{} // a type may contain itself
	var walk func(expr ast.Expr) error
	walk = func(expr ast.Expr) error {
		switch t := expr.(type) {
		case *ast.Ident:
			underlying := p.types[t.Name]
			if underlying == nil || p.isText(t.Name) {
				visit(t.Name)
				return nil
			}
			if seen[t.Name] {
				return nil
			}
			seen[t.Name] = true
			return walk(underlying)
		case *ast.StarExpr:
			return walk(t.X)
		case *ast.ParenExpr:
			return walk(t.X)
		case *ast.ArrayType:
			return walk(t.Elt)
		case *ast.MapType:
			return walk(t.Value)
		case *ast.IndexExpr: // a runtime.Value, or a generic struct
			return errors.Join(walk(t.X), walk(t.Index))
		case *ast.IndexListExpr:
			err := walk(t.X)
			for _, arg := range t.Indices {
				err = errors.Join(err, walk(arg))
			}
			return err
		case *ast.StructType:
			if len(t.Fields.List) > 0 {
				return fmt.Errorf("%s has an anonymous struct type, which descriptions do not support: declare a named type", where)
			}
		}
		return nil
	}
	return walk(expr)
}

// missing returns an error for each field that needs a comment and has none.
func (p *goPackage) missing(named, types []string) error {
	var errs []error
	for _, name := range types {
		for _, f := range p.structs[name].fields {
			if p.isFlat(f) || !ast.IsExported(f.name) || f.doc != nil || slices.Contains(named, name) && p.describedBy(named, f.attribute) {
				continue
			}
			errs = append(errs, fmt.Errorf("%s: %s.%s has no comment: add one, because it is also the description of the attribute %s (-undocumented allows missing comments)",
				p.at(f), name, f.name, f.attribute))
		}
	}
	return errors.Join(errs...)
}

// describedBy reports whether one of the types has a comment on the attribute's field.
func (p *goPackage) describedBy(types []string, attribute string) bool {
	return slices.ContainsFunc(types, func(name string) bool {
		return slices.ContainsFunc(p.structs[name].fields, func(f structField) bool {
			return f.attribute == attribute && f.doc != nil
		})
	})
}

func (p *goPackage) at(f structField) string {
	pos := p.files.Position(f.pos)
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

// texts returns the descriptions of types, keyed by name, and of fields, keyed by
// Type.Field.
func (p *goPackage) texts(types []string) map[string]string {
	texts := map[string]string{}
	add := func(key, name string, doc *ast.CommentGroup) {
		if text := p.markdown(trimName(name, doc.Text())); text != "" {
			texts[key] = text
		}
	}
	for _, name := range types {
		s := p.structs[name]
		add(name, name, s.doc)
		for _, f := range s.fields {
			if !p.isFlat(f) {
				add(name+"."+f.name, f.name, f.doc)
			}
		}
	}
	return texts
}
