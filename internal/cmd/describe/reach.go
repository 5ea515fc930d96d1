package main

import (
	"errors"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
)

// reach are the named structs and those of the package that they contain, in
// the order in which they are come to. A struct that the schema shows as a string
// is none of them, and those of other packages describe themselves.
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
			errs = append(errs, fmt.Errorf("the struct type %s has type parameters, which have no place in the name under which a description is found; declare a struct without them", name))
			return
		}
		found = append(found, name)
		for _, f := range s.fields {
			errs = append(errs, p.walkType(f.typ, visit, p.at(f)+": "+name+"."+f.name))
		}
	}
	for _, name := range named {
		if p.structs[name] == nil {
			errs = append(errs, fmt.Errorf("package %s has no struct type %s, nor a function of that name", p.name, name))
		}
		visit(name)
	}
	return found, errors.Join(errs...)
}

// walkType calls visit for the structs of the package that a type consists of.
func (p *goPackage) walkType(expr ast.Expr, visit func(name string), where string) error {
	switch t := expr.(type) {
	case *ast.Ident:
		if underlying := p.types[t.Name]; underlying != nil && !p.isText(t.Name) {
			return p.walkType(underlying, visit, where)
		}
		visit(t.Name)
	case *ast.StarExpr:
		return p.walkType(t.X, visit, where)
	case *ast.ParenExpr:
		return p.walkType(t.X, visit, where)
	case *ast.ArrayType:
		return p.walkType(t.Elt, visit, where)
	case *ast.MapType:
		return p.walkType(t.Value, visit, where)
	case *ast.IndexExpr: // a runtime.Value, or a generic struct
		return errors.Join(p.walkType(t.X, visit, where), p.walkType(t.Index, visit, where))
	case *ast.StructType:
		if len(t.Fields.List) > 0 {
			return fmt.Errorf("%s has a struct type without a name, so that nothing finds its descriptions; give it one", where)
		}
	}
	return nil
}

// missing says which fields have no comment that could describe them.
func (p *goPackage) missing(named, types []string) error {
	var errs []error
	for _, name := range types {
		for _, f := range p.structs[name].fields {
			if p.isFlat(f) || f.doc != nil || slices.Contains(named, name) && p.describedBy(named, f.attribute) {
				continue
			}
			errs = append(errs, fmt.Errorf("%s: %s.%s has no comment; write one, which is the description of the attribute %s too (-undocumented allows fields without)",
				p.at(f), name, f.name, f.attribute))
		}
	}
	return errors.Join(errs...)
}

// describedBy reports whether one of the types has a comment on the attribute.
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

// texts are the descriptions of the types under their names, and of the fields
// under Type.Field.
func (p *goPackage) texts(types []string) map[string]string {
	texts := map[string]string{}
	add := func(key, name string, doc *ast.CommentGroup) {
		if text := p.markdown(unnamed(name, doc.Text())); text != "" {
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
