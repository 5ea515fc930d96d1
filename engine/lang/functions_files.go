package lang

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// files implements the functions of paths. Relative paths are relative to base.
type files struct{ base string }

// fileFunctions returns the functions of paths and templates. Relative paths are relative to base.
// Templates may also call the functions in scope. terraform selects Terraform's templatestring.
func fileFunctions(base string, scope *hcl.EvalContext, terraform bool) map[string]function.Function {
	last := lastFiles.Load()
	if last == nil || last.base != base {
		last = &pathFunctions{base, newPathFunctions(base)}
		lastFiles.Store(last)
	}
	functions := maps.Clone(last.functions)
	t := templater{files: files{base}, scope: scope, terraform: terraform}
	functions["templatefile"], functions["templatestring"] = t.file(), t.text()
	return functions
}

// pathFunctions are the functions of paths relative to base.
type pathFunctions struct {
	base      string
	functions map[string]function.Function
}

// lastFiles caches the functions of the last directory, because consecutive calls usually use the
// same one.
var lastFiles atomic.Pointer[pathFunctions]

func newPathFunctions(base string) map[string]function.Function {
	f := files{base}
	text := func(path string) (string, error) {
		raw, err := f.read(path)
		if err != nil {
			return "", err
		}
		return fileText(raw)
	}
	functions := map[string]function.Function{
		"abspath":    f.function(cty.String, stringResult(f.absolute)),
		"basename":   f.function(cty.String, stringResult(func(p string) (string, error) { return filepath.Base(p), nil })),
		"dirname":    f.function(cty.String, stringResult(func(p string) (string, error) { return filepath.Dir(p), nil })),
		"pathexpand": f.function(cty.String, stringResult(expandHome)),
		"file":       f.function(cty.String, stringResult(text)),
		"filebase64": f.function(cty.String, f.contents(base64.StdEncoding.EncodeToString)),
		"fileexists": f.function(cty.Bool, f.exists),
		"fileset":    f.set(),
	}
	for name, d := range digests {
		functions["file"+name] = f.function(cty.String, f.contents(d.of))
	}
	return functions
}

// function returns a function of a path. Errors contain the path unless it is
// marked, as sensitive paths are.
func (f files) function(result cty.Type, read func(path string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params:       []function.Parameter{{Name: "path", Type: cty.String, AllowMarked: true}},
		Type:         function.StaticReturnType(result),
		RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path, marks := args[0].Unmark()
			v, err := read(path.AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, withPath(args[0], err))
			}
			return v.WithMarks(marks), nil
		},
	})
}

func stringResult(f func(string) (string, error)) func(string) (cty.Value, error) {
	return func(path string) (cty.Value, error) {
		out, err := f(path)
		return cty.StringVal(out), err
	}
}

func (f files) contents(write func([]byte) string) func(string) (cty.Value, error) {
	return stringResult(func(path string) (string, error) {
		raw, err := f.read(path)
		if err != nil {
			return "", err
		}
		return write(raw), nil
	})
}

// withPath returns the error with the path, unless the path is marked.
func withPath(path cty.Value, err error) error {
	if path.IsMarked() {
		return fmt.Errorf("hidden path: %w", err)
	}
	return fmt.Errorf("%q: %w", path.AsString(), err)
}

// at returns the path with ~ expanded and, if it is relative, joined to the base.
func (f files) at(path string) (string, error) {
	path, err := expandHome(path)
	if err == nil && !filepath.IsAbs(path) {
		path = filepath.Join(f.base, path)
	}
	return path, err
}

var errNoFile = errors.New("no file exists at this path")

func (f files) read(path string) ([]byte, error) {
	at, err := f.at(path)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(at)
	if err != nil {
		return nil, fileError(err)
	}
	return raw, nil
}

// fileError returns the cause without the path, which may be sensitive.
func fileError(err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNoFile
	case errors.As(err, &at):
		return fmt.Errorf("reading failed: %w", at.Err)
	default:
		return errors.New("reading failed")
	}
}

func fileText(raw []byte) (string, error) {
	if !utf8.Valid(raw) {
		return "", errors.New("the file is not UTF-8 text: use filebase64 or a digest function")
	}
	return string(raw), nil
}

func (f files) exists(path string) (cty.Value, error) {
	at, err := f.at(path)
	if err != nil {
		return cty.NilVal, err
	}
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cty.False, nil
	case err != nil:
		return cty.NilVal, fileError(err)
	case !info.Mode().IsRegular():
		return cty.NilVal, errors.New("not a regular file")
	default:
		return cty.True, nil
	}
}

func (f files) absolute(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.base, path)
	}
	return filepath.Abs(path)
}

func expandHome(path string) (string, error) {
	if !strings.HasPrefix(path, "~") {
		return path, nil
	}
	rest := path[1:]
	if rest != "" && rest[0] != '/' {
		return "", errors.New("only the current user's home directory is supported, as ~ or ~/…")
	}
	home, err := os.UserHomeDir()
	return home + rest, err
}

// set returns the fileset function, which lists the regular files that match a pattern
// below a directory.
func (f files) set() function.Function {
	return function.New(&function.Spec{
		Params:       params("path", "pattern"),
		Type:         function.StaticReturnType(cty.Set(cty.String)),
		RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			base, err := f.at(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			found, err := doublestar.FilepathGlob(filepath.Join(base, args[1].AsString()))
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(1, "invalid pattern")
			}
			var names []cty.Value
			for _, path := range found {
				info, err := os.Stat(path)
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				name, err := filepath.Rel(base, path)
				if err != nil {
					return cty.NilVal, err
				}
				names = append(names, cty.StringVal(filepath.ToSlash(name)))
			}
			if len(names) == 0 {
				return cty.SetValEmpty(cty.String), nil
			}
			return cty.SetVal(names), nil
		},
	})
}

// maxTemplateDepth limits the recursion of templates.
const maxTemplateDepth = 1024

// templater renders templates at one depth.
type templater struct {
	files     files
	scope     *hcl.EvalContext
	terraform bool
	depth     int
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
		return cty.NilVal, function.NewArgErrorf(0, "%q: %w", path, err)
	})
}

func (t templater) text() function.Function {
	f := t.function("data", true, func(text string, vars map[string]cty.Value) (cty.Value, error) {
		return t.render("template", text, vars)
	})
	if t.terraform {
		return ofReference(f)
	}
	return f
}

// ofReference wraps a function of a template and its variables for Terraform, where the template
// must be a reference.
func ofReference(f function.Function) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "template", Type: customdecode.ExpressionClosureType}, f.Params()[1]},
		Type:   function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			closure := customdecode.ExpressionClosureFromVal(args[0])
			if !isReference(closure.Expression) {
				return cty.NilVal, function.NewArgErrorf(0, "must be a reference to a string, such as local.template; assign any other template to a local value")
			}
			template, diags := closure.Value()
			if diags.HasErrors() {
				return cty.NilVal, function.NewArgError(0, firstOf(diags))
			}
			return f.Call([]cty.Value{template, args[1]})
		},
	})
}

// isReference reports whether the expression is a reference, with or without attributes and indices.
func isReference(expr hcl.Expression) bool {
	for {
		switch e := expr.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			return true
		case *hclsyntax.RelativeTraversalExpr:
			expr = e.Source
		case *hclsyntax.IndexExpr:
			expr = e.Collection
		default:
			return false
		}
	}
}

// function returns a function of a template and its variables. The result has any type:
// a template that is a single interpolation returns its value. If each is set, marks of a variable
// are kept on the parts made from it; otherwise the whole result has all marks.
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
		return nil, function.NewArgErrorf(1, "a map of variables is required, not a value of type %s", t.FriendlyName())
	}
	vars := v.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(vars)) {
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

// context returns the context of a template: its variables, the functions in scope, and the
// functions that render templates one level deeper.
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

// firstOf returns the detail of the first error, or nil if there is no error.
func firstOf(diags hcl.Diagnostics) error {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return errors.New(d.Detail)
		}
	}
	return nil
}
