package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// function is what the guard knows about a function, derived once from its
// declaration.
type function struct {
	name     string // what messages call it
	params   []shape
	variadic *shape
	result   shape
	// salt tells the calls of this function from those of others.
	salt uint64
}

func newFunction(name string, decl provider.FunctionDecl) *function {
	f := &function{name: name, result: typeShape(decl.ReturnType), salt: hashText(name)}
	for _, p := range decl.Parameters {
		f.params = append(f.params, typeShape(p.Type))
	}
	if decl.VariadicParameter != nil {
		s := typeShape(decl.VariadicParameter.Type)
		f.variadic = &s
	}
	return f
}

// param is the shape of the argument at the index; nil if there is none.
func (f *function) param(i int) *shape {
	if i < len(f.params) {
		return &f.params[i]
	}
	return f.variadic
}

// CallFunction is part of [provider.Interface]. Its rules are in
// functionrules.go. No message shows an argument or a result: engines take
// away what says that they are sensitive before they call.
func (g *guarded) CallFunction(ctx context.Context, req provider.CallFunctionRequest) (resp provider.CallFunctionResponse) {
	f := g.load(ctx).functions[req.FunctionName]
	name := req.FunctionName
	if f != nil {
		name = f.name
	}
	resp, crash := ask(ctx, g, rpcCall, name, g.inner.CallFunction, req)
	if crash == nil && f != nil {
		crash = g.judging(ctx, rpcCall, name, func() { g.judgeCall(f, &req, &resp) })
	}
	if crash != nil {
		return provider.CallFunctionResponse{Err: crash.Err()}
	}
	return resp
}

func (g *guarded) judgeCall(f *function, req *provider.CallFunctionRequest, resp *provider.CallFunctionResponse) {
	r := report{rpc: rpcCall, typeName: f.name}
	if resp.Err != nil {
		resp.Err = r.callError(req, resp.Err)
		return
	}
	r.result(g, f, req, resp.Result)
	if r.broken() {
		*resp = provider.CallFunctionResponse{Err: r.list.Err()}
	}
}

func (r *report) result(g *guarded, f *function, req *provider.CallFunctionRequest, v cty.Value) {
	switch {
	case v == cty.NilVal:
		r.add(callNothing, nil, "%s answered no result and no error.", f.name)
		return
	case !f.result.conforms(v) || f.result.dynamic && v.ContainsMarked():
		r.wrongResult(f, v)
		return
	}
	found := f.result.flawsOf(v)
	switch {
	case found&holdsMark != 0:
		r.wrongResult(f, v)
	case !f.known(req.Arguments):
	case found&holdsUnknown != 0:
		for _, p := range unknowns(v) {
			r.add(callUnknown, names(p.path), "%s answered %s.", f.name, describe(p.value, true))
		}
	case !g.calls.same(f, req.Arguments, v):
		r.add(callImpure, nil, "%s was called twice with the same arguments, and its results differ.", f.name)
	}
}

func (r *report) wrongResult(f *function, v cty.Value) {
	for _, p := range append(misfits(v.Type(), f.result.ty, nil), marks(v)...) {
		r.add(callMisfit, names(p.path), "The part of the result that %s answered %s.", f.name, p.text)
	}
}

// known reports whether all arguments are wholly known, and lawful.
func (f *function) known(args []cty.Value) bool {
	for i, arg := range args {
		s := f.param(i)
		if s == nil || !s.conforms(arg) || s.flawsOf(arg) != 0 {
			return false
		}
	}
	return true
}

// names is path up to the first key: keys are values, and may be sensitive.
func names(path cty.Path) cty.Path {
	i := slices.IndexFunc(path, func(step cty.PathStep) bool { _, ok := step.(cty.GetAttrStep); return !ok })
	if i < 0 {
		return path
	}
	return path[:i]
}

// callError is the error that leaves in place of what the provider gave.
func (r *report) callError(req *provider.CallFunctionRequest, err error) error {
	if errors.Is(err, provider.ErrUnimplemented) {
		r.add(callMissing, nil, "%s is declared, and %s answered that there is no such function.", r.typeName, rpcCall)
		return r.list.Err()
	}
	text := err.Error()
	if text == "" {
		r.add(callText, nil, "%s of %s answered an error whose text is empty.", rpcCall, r.typeName)
	}
	argument, ok := errors.AsType[*provider.FunctionArgumentError](err)
	lost := ok && (argument.Index < 0 || argument.Index >= len(req.Arguments))
	if lost {
		r.add(callArgument, nil, "%s of %s had %s, and the error is of the one at index %d.",
			rpcCall, r.typeName, diag.Count(len(req.Arguments), "argument"), argument.Index)
	}
	if !r.broken() {
		return err
	}
	err = told(text, r.list)
	if ok && !lost {
		return &provider.FunctionArgumentError{Index: argument.Index, Err: err}
	}
	return err
}

// told is a text and what there is to say about it.
func told(text string, about diag.Diagnostics) error {
	if text == "" {
		return about.Err()
	}
	return fmt.Errorf("%s\n%w", text, about.Err())
}
