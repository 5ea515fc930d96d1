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

const rpcCallFunction = "CallFunction"

// functionRules are the rules for CallFunction. The request of their exchanges is a
// *functionCall. No message shows an argument or a result, because engines remove the marks
// of sensitive values before they call a function.
var functionRules = []Rule{
	{
		ID: "FUNC-001", Subject: SubjectResult, Title: "is missing, and there is no error",
		Why:    "Both engines treat a missing result as null, which hides the mistake.",
		Fix:    "Set Result; if the result is null, set it to null of the declared type.",
		Source: "§16, neither engine: no result counts as null",
		check: resultIs(missingResult, func(x *exchange, _ *functionCall) {
			x.add(nil, "%s returned neither a result nor an error.", x.typeName)
		}),
	},
	{
		ID: "FUNC-002", Subject: SubjectResult, Title: "is not of the type that the function declares",
		Why:    "Both engines decode the result with the declared type.",
		Fix:    "Return a value of the declared type, or declare the type that is returned; cty.DynamicPseudoType stands for any type.",
		Source: "§16, both fail to decode it",
		check: resultIs(wrongType, func(x *exchange, c *functionCall) {
			for _, p := range append(mismatches(c.resp.Result.Type(), c.f.result.ty, nil), marks(c.resp.Result)...) {
				x.add(attributesOnly(p.path), "The part of the result that %s returned %s.", x.typeName, p.text)
			}
		}),
	},
	{
		ID: "FUNC-003", Subject: SubjectResult, Title: "is unknown although all arguments are known",
		Why:    "Later calls with the same arguments must return the same result, so the value would never become known.",
		Fix:    "Compute the whole result, or return an error.",
		Source: "§16 and §22, neither engine: accepted",
		check: resultIs(unknownPart, func(x *exchange, c *functionCall) {
			for _, p := range unknowns(c.resp.Result) {
				x.add(attributesOnly(p.path), "%s returned %s.", x.typeName, describe(p.value, true))
			}
		}),
	},
	{
		ID: "FUNC-004", Subject: SubjectResult, Title: "differs from an earlier result for the same arguments",
		Why:    "Functions are called in each phase, and the apply must have the same results as the plan.",
		Fix:    "Use only the arguments: no time, no random numbers, no files (use a data source for those), no order of a Go map.",
		Source: "§16, Terraform: \"function returned an inconsistent result\"; OpenTofu does not compare",
		check: resultIs(inconsistentResult, func(x *exchange, _ *functionCall) {
			x.add(nil, "%s was called twice with the same arguments and returned different results.", x.typeName)
		}),
	},
	{
		ID: "FUNC-005", Subject: SubjectResponse, Title: "has an error about an argument that was not given",
		Why:    "Engines show the argument to the user, and there is none at the index of the error.",
		Fix:    "Count the arguments of the call from zero, and each variadic argument on its own.",
		Source: "§16, neither engine",
		check: func(x *exchange) {
			c := x.request.(*functionCall)
			if argument, ok := errors.AsType[*provider.FunctionArgumentError](c.resp.Err); ok && !c.given(argument) && !isMissing(c.resp.Err) {
				x.add(nil, "%s of %s had %s, and the error is about the one at index %d.",
					x.rpc, x.typeName, diag.Count(len(c.req.Arguments), "argument"), argument.Index)
			}
		},
	},
	{
		ID: "FUNC-006", Subject: SubjectResponse, Title: "has an error without a text",
		Why:    "The user learns that the call failed, but not why.",
		Fix:    "Name the invalid argument, the reason, and the valid values.",
		Source: "§16, neither engine: shown as it is",
		check: func(x *exchange) {
			if err := x.request.(*functionCall).resp.Err; err != nil && !isMissing(err) && err.Error() == "" {
				x.add(nil, "%s of %s returned an error whose text is empty.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "FUNC-007", Subject: SubjectResponse, Title: "reports that a declared function does not exist",
		Why:    "Engines offer the functions of the schema, so the mistake is found only when the function is called.",
		Fix:    "Implement the function with the declared name, or remove the declaration.",
		Source: "§16, neither engine: a declared function is assumed to exist",
		check: func(x *exchange) {
			if isMissing(x.request.(*functionCall).resp.Err) {
				x.add(nil, "%s is declared, and %s returned that there is no such function.", x.typeName, x.rpc)
			}
		},
	},
}

func isMissing(err error) bool { return errors.Is(err, provider.ErrUnimplemented) }

// function is the guard's information about a function, derived once from its declaration.
type function struct {
	name     string // in messages
	params   []shape
	variadic *shape
	result   shape
	// salt makes the hashes of calls of different functions different.
	salt uint64
}

func newFunction(name string, decl provider.FunctionDecl) *function {
	f := &function{name: name, result: newShape(decl.ReturnType, typeNode(decl.ReturnType)), salt: hashText(name)}
	for _, p := range decl.Parameters {
		f.params = append(f.params, newShape(p.Type, typeNode(p.Type)))
	}
	if decl.VariadicParameter != nil {
		s := newShape(decl.VariadicParameter.Type, typeNode(decl.VariadicParameter.Type))
		f.variadic = &s
	}
	return f
}

// param returns the shape of the argument at the index, or nil if the function accepts none there.
func (f *function) param(i int) *shape {
	if i < len(f.params) {
		return &f.params[i]
	}
	return f.variadic
}

// known reports whether all arguments are valid and wholly known.
func (f *function) known(args []cty.Value) bool {
	for i, arg := range args {
		s := f.param(i)
		if s == nil || !s.conforms(arg) || s.flawsOf(arg) != 0 {
			return false
		}
	}
	return true
}

// functionCall is one call of a declared function.
type functionCall struct {
	f      *function
	req    provider.CallFunctionRequest
	resp   provider.CallFunctionResponse
	result problem
}

func resultIs(want problem, report func(*exchange, *functionCall)) func(*exchange) {
	return func(x *exchange) {
		if c := x.request.(*functionCall); c.result == want {
			report(x, c)
		}
	}
}

// CallFunction implements [provider.Interface].
func (g *guarded) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	f := g.load(ctx).functions[req.FunctionName]
	name := req.FunctionName
	if f != nil {
		name = f.name
	}
	resp, crash := callProvider(ctx, g, rpcCallFunction, name, provider.Interface.CallFunction, req)
	if crash == nil && f != nil {
		crash = g.checking(ctx, rpcCallFunction, name, func() {
			found := none
			if resp.Err == nil {
				found = f.resultProblem(req.Arguments, resp.Result, &g.calls)
			}
			if resp.Err != nil || found != none {
				resp.Err = (&functionCall{f, req, resp, found}).check()
			}
			if found != none && resp.Err != nil {
				resp.Result = cty.NilVal
			}
		})
	}
	if crash != nil {
		return provider.CallFunctionResponse{Err: crash.Err()}
	}
	return resp
}

// check returns the error of the call. An error of the provider other than [provider.ErrUnimplemented]
// keeps its text and, if the argument exists, its argument.
func (c *functionCall) check() error {
	x := exchange{report: report{rpc: rpcCallFunction, typeName: c.f.name}, request: c}
	x.check(functionRules)
	if !x.broken() {
		return c.resp.Err
	}
	err := x.list.Err()
	if own := c.resp.Err; own != nil && !isMissing(own) {
		if text := own.Error(); text != "" {
			err = fmt.Errorf("%s\n%w", text, err)
		}
		if argument, ok := errors.AsType[*provider.FunctionArgumentError](own); ok && c.given(argument) {
			err = &provider.FunctionArgumentError{Index: argument.Index, Err: err}
		}
	}
	return err
}

// resultProblem returns the problem of the result for the arguments. If the result is valid and both are
// known, it compares the result with the one in calls for the arguments, or stores it there.
func (f *function) resultProblem(args []cty.Value, v cty.Value, calls *purity) problem {
	if v == cty.NilVal {
		return missingResult
	}
	if !f.result.conforms(v) || f.result.dynamic && v.ContainsMarked() {
		return wrongType
	}
	found := f.result.flawsOf(v)
	switch {
	case found&holdsMark != 0:
		return wrongType
	case !f.known(args):
		return none
	case found&holdsUnknown != 0:
		return unknownPart
	case !calls.same(f, args, v):
		return inconsistentResult
	}
	return none
}

// given reports whether the argument of the error exists in the call.
func (c *functionCall) given(err *provider.FunctionArgumentError) bool {
	return 0 <= err.Index && err.Index < len(c.req.Arguments)
}

// attributesOnly returns path up to the first key: keys are values, and may be
// sensitive.
func attributesOnly(path cty.Path) cty.Path {
	i := slices.IndexFunc(path, func(step cty.PathStep) bool { _, ok := step.(cty.GetAttrStep); return !ok })
	if i < 0 {
		return path
	}
	return path[:i]
}
