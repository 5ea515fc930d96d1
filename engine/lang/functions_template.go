package lang

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxTemplateDepth limits the recursion of templates.
const maxTemplateDepth = 1024

// templater renders templates at one depth.
type templater struct {
	files files
	scope *hcl.EvalContext
	depth int
}

// templates adds the functions that render templates.
func templates(f files, scope *hcl.EvalContext, to map[string]function.Function) {
	t := templater{files: f, scope: scope}
	to["templatefile"], to["templatestring"] = t.file(), t.text()
}

func (t templater) file() function.Function {
	return t.function("path", false, func(path string, vars map[string]cty.Value) (cty.Value, error) {
		raw, err := t.files.read(path)
		if err == nil {
			var text string
			if text, err = fileText(raw); err == nil {
				return t.render(path, text, vars)
			}
		}
		return cty.NilVal, function.NewArgErrorf(0, "%w at %q", err, path)
	})
}

func (t templater) text() function.Function {
	return t.function("data", true, func(text string, vars map[string]cty.Value) (cty.Value, error) {
		return t.render("template", text, vars)
	})
}

// function returns a function of a template and its variables. The result has any type:
// a template that is a single interpolation returns its value. If each is
// set, marks of a variable are kept on the parts made from it; otherwise the whole
// result has all marks.
func (t templater) function(first string, each bool, render func(string, map[string]cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: first, Type: cty.String, AllowMarked: true}, {Name: "vars", Type: cty.DynamicPseudoType, AllowMarked: each}},
		Type:   function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			from, fromMarks := args[0].Unmark()
			given, givenMarks := args[1].Unmark()
			vars, err := templateVariables(given)
			if err != nil {
				return cty.NilVal, err
			}
			if t.depth >= maxTemplateDepth {
				return cty.NilVal, fmt.Errorf("templates are nested more than %d deep", maxTemplateDepth)
			}
			v, err := render(from.AsString(), vars)
			if err != nil {
				return cty.NilVal, withoutArguments(err, args[:1])
			}
			return v.WithMarks(fromMarks, givenMarks), nil
		},
	})
}

func templateVariables(v cty.Value) (map[string]cty.Value, error) {
	if t := v.Type(); !t.IsMapType() && !t.IsObjectType() {
		return nil, function.NewArgErrorf(1, "a map of variables is required, not a %s", t.FriendlyName())
	}
	vars := v.AsValueMap()
	for name := range vars {
		if !hclsyntax.ValidIdentifier(name) {
			return nil, function.NewArgErrorf(1, "%q is not a valid variable name", name)
		}
	}
	return vars, nil
}

func (t templater) render(name, text string, vars map[string]cty.Value) (cty.Value, error) {
	expr, diags := hclsyntax.ParseTemplate([]byte(text), name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	for _, traversal := range expr.Variables() {
		if _, ok := vars[traversal.RootName()]; !ok {
			return cty.NilVal, function.NewArgErrorf(1, "missing variable %q, used by the template at %s", traversal.RootName(), traversal.SourceRange())
		}
	}
	v, diags := expr.Value(t.context(vars))
	if diags.HasErrors() {
		return cty.NilVal, firstOf(diags)
	}
	return v, nil
}

// context returns all functions, with those for templates one level deeper.
func (t templater) context(vars map[string]cty.Value) *hcl.EvalContext {
	deeper := t
	deeper.depth++
	file, text := deeper.file(), deeper.text()
	ctx := t.scope.NewChild()
	ctx.Variables = vars
	ctx.Functions = map[string]function.Function{
		"templatefile": file, corePrefix + "templatefile": file,
		"templatestring": text, corePrefix + "templatestring": text,
	}
	return ctx
}

// firstOf returns the first error: the others are its consequences.
func firstOf(diags hcl.Diagnostics) error {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return errors.New(d.Detail)
		}
	}
	return nil
}
