package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// functionSpec is the doc comment of a function and its parameters.
type functionSpec struct {
	function, variable               string
	summary, description, deprecated string
	params                           []functionParam
}

type functionParam struct{ name, description string }

// split splits names into those of functions and all others, which are taken for types.
func (p *goPackage) split(named []string) (types, functions []string) {
	for _, name := range named {
		if p.functions[name] != nil {
			functions = append(functions, name)
		} else {
			types = append(types, name)
		}
	}
	return types, functions
}

// specs returns the specs of the named functions.
func (p *goPackage) specs(named []string, undocumented bool) ([]functionSpec, error) {
	specs := make([]functionSpec, 0, len(named))
	var errs []error
	for _, name := range named {
		s, err := p.spec(p.functions[name])
		if err == nil && !undocumented {
			err = s.missing()
		}
		if err != nil {
			at := p.files.Position(p.functions[name].Pos())
			err = fmt.Errorf("%s:%d: function %s: %w", filepath.Base(at.Filename), at.Line, name, err)
		}
		specs, errs = append(specs, s), append(errs, err)
	}
	return specs, errors.Join(errs...)
}

// deprecated is the prefix of the deprecation message, as in all Go doc comments.
const deprecated = "Deprecated: "

// spec returns the spec of one function.
func (p *goPackage) spec(decl *ast.FuncDecl) (functionSpec, error) {
	name := decl.Name.Name
	s := functionSpec{function: name, variable: unexported(name) + "Spec"}
	goNames, err := p.paramNames(decl.Type)
	if err != nil {
		return s, err
	}
	text := trimName(name, decl.Doc.Text())
	if before, after, found := strings.Cut("\n"+text, "\n"+deprecated); found {
		reason, rest, _ := strings.Cut(after, "\n\n")
		text, s.deprecated = strings.TrimPrefix(before, "\n")+"\n"+rest, p.markdown(reason)
	}
	s.summary = new(doc.Package).Synopsis(text)
	texts := map[string]string{}
	var rest []comment.Block
	for _, block := range p.parse(text) {
		list, ok := block.(*comment.List)
		if !ok {
			rest = append(rest, block)
			continue
		}
		of, err := p.paramTexts(list, goNames)
		if err != nil {
			return s, err
		}
		if of == nil {
			rest = append(rest, block)
		}
		maps.Copy(texts, of)
	}
	s.description = p.blocks(rest)
	for _, param := range goNames {
		s.params = append(s.params, functionParam{snakeCase(param), texts[param]})
	}
	return s, nil
}

// paramNames returns the names of the parameters without the context.
func (p *goPackage) paramNames(t *ast.FuncType) ([]string, error) {
	var names []string
	for i, f := range t.Params.List {
		if sel, ok := f.Type.(*ast.SelectorExpr); ok && i == 0 && sel.Sel.Name == "Context" {
			if x, ok := sel.X.(*ast.Ident); ok && p.imports[x.Name] == "context" {
				continue
			}
		}
		if len(f.Names) == 0 {
			return nil, errors.New("the parameters must have names, because users see the names")
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				return nil, errors.New("each parameter must have a name, because users see the name")
			}
			names = append(names, id.Name)
		}
	}
	return names, nil
}

// paramTexts returns the descriptions of parameters in a list, or nil if no item
// starts with the name of a parameter. It is an error if only some items do.
func (p *goPackage) paramTexts(list *comment.List, names []string) (map[string]string, error) {
	texts := map[string]string{}
	var unknown []string
	for _, item := range list.Items {
		text := p.blocks(item.Content)
		name, rest, _ := strings.Cut(text, ":")
		found := false
		for _, param := range names {
			if name == param || name == snakeCase(param) {
				texts[param], found = capital(strings.TrimSpace(rest)), true
			}
		}
		if !found {
			unknown = append(unknown, strconv.Quote(text))
		}
	}
	switch {
	case len(texts) == 0:
		return nil, nil //nolint:nilnil // not a list of parameters
	case len(unknown) > 0:
		return nil, fmt.Errorf("list items of the doc comment do not start with the name of a parameter: %s", strings.Join(unknown, ", "))
	}
	return texts, nil
}

// missing returns an error if the function or a parameter has no comment.
func (s *functionSpec) missing() error {
	if s.summary == "" {
		return errors.New("no doc comment: add a doc comment, because it is also the description of the function (-undocumented allows missing comments)")
	}
	for _, param := range s.params {
		if param.description == "" {
			return fmt.Errorf("the doc comment does not describe the parameter %s: add an item \"  - %s: description\" (-undocumented allows missing comments)", param.name, param.name)
		}
	}
	return nil
}

// write writes the spec as Go source.
func (s *functionSpec) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n// %s is the doc comment of %s.\nvar %s = runtime.FuncSpec{\n", s.variable, s.function, s.variable)
	for _, f := range []functionParam{{"Summary", s.summary}, {"Description", s.description}, {"Deprecated", s.deprecated}} {
		if f.description != "" {
			fmt.Fprintf(b, "%s: %q,\n", f.name, f.description)
		}
	}
	if len(s.params) > 0 {
		b.WriteString("Parameters: []runtime.Param{\n")
		for _, param := range s.params {
			fmt.Fprintf(b, "{Name: %q, Description: %q},\n", param.name, param.description)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
}

// unexported returns the unexported form of a name: parseMode for ParseMode,
// jsonOf for JSONOf.
func unexported(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
