package main

import (
	"errors"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
)

// reach returns the named structs and the structs of the package that they
// contain, in depth-first order. It skips structs that are strings in the schema
// and structs of other packages, which have descriptions of their own.
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
			errs = append(errs, fmt.Errorf("the struct type %s has type parameters, which descriptions do not support; declare a struct without type parameters", name))
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

// walkType calls visit for each struct of the package that a type contains.
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
			return fmt.Errorf("%s has an anonymous struct type, which descriptions do not support; declare a named type", where)
		}
	}
	return nil
}

// missing returns an error for each field without a comment.
func (p *goPackage) missing(named, types []string) error {
	var errs []error
	for _, name := range types {
		for _, f := range p.structs[name].fields {
			if p.isFlat(f) || f.doc != nil || slices.Contains(named, name) && p.describedBy(named, f.attribute) {
				continue
			}
			errs = append(errs, fmt.Errorf("%s: %s.%s has no comment; add one, it is also the description of the attribute %s (-undocumented allows missing comments)",
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
