package tfdiags

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Diagnostic is an error or a warning.
type Diagnostic struct {
	Severity diag.Severity
	Summary  string
	Detail   string
	// Address is the object that the diagnostic is about, or "".
	Address string
	// Path is the attribute of the object, or nil.
	Path cty.Path
	// Subject is the source range in the configuration, or nil.
	Subject *hcl.Range
	// Crash is set in the error about a call that the provider did not answer.
	Crash diag.Crash

	// source is the hcl diagnostic that this one was created from, or nil. Format shows
	// the values in its expression.
	source *hcl.Diagnostic
}

// Diagnostics is a list of diagnostics in the order of their creation.
type Diagnostics []Diagnostic

// HasErrors reports whether there is an error.
func (d Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(d, func(m Diagnostic) bool { return m.Severity == diag.Error })
}

// Crash returns the Crash of the first diagnostic about a call that the provider did not
// answer, or diag.NoCrash.
func (d Diagnostics) Crash() diag.Crash {
	for _, m := range d {
		if m.Crash != diag.NoCrash {
			return m.Crash
		}
	}
	return diag.NoCrash
}

// Errorf returns d with an error about the object.
func (d Diagnostics) Errorf(address, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Address: address, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// Warnf returns d with a warning about the object.
func (d Diagnostics) Warnf(address, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Severity: diag.Warning, Address: address, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// Append returns d with more diagnostics: Diagnostics, Diagnostic, diag.Diagnostics,
// hcl.Diagnostics, *hcl.Diagnostic, or an error. It ignores an untyped nil, and panics
// for other types.
func (d Diagnostics) Append(more ...any) Diagnostics {
	for _, m := range more {
		switch m := m.(type) {
		case nil:
		case Diagnostics:
			d = append(d, m...)
		case Diagnostic:
			d = append(d, m)
		case diag.Diagnostics:
			d = append(d, FromProvider("", m)...)
		case hcl.Diagnostics:
			for _, h := range m {
				d = append(d, fromHCL(h))
			}
		case *hcl.Diagnostic:
			d = append(d, fromHCL(m))
		case error:
			d = append(d, fromError(m))
		default:
			panic(fmt.Sprintf("tfdiags: a %T is not a diagnostic", m))
		}
	}
	return d
}

// FromProvider returns the diagnostics of a provider about the object.
func FromProvider(address string, diags diag.Diagnostics) Diagnostics {
	out := make(Diagnostics, len(diags))
	for i, m := range diags {
		out[i] = Diagnostic{Severity: m.Severity, Summary: m.Summary, Detail: m.Detail, Path: m.Path, Address: address, Crash: m.Crash}
	}
	return out
}

func fromHCL(h *hcl.Diagnostic) Diagnostic {
	out := Diagnostic{Summary: h.Summary, Detail: h.Detail, Subject: h.Subject, source: h}
	if h.Severity == hcl.DiagWarning {
		out.Severity = diag.Warning
	}
	return out
}

func fromError(err error) Diagnostic {
	out := Diagnostic{Summary: err.Error()}
	if at, ok := errors.AsType[cty.PathError](err); ok {
		out.Path = at.Path
	}
	return out
}

// WithAddress sets the object in the diagnostics of d that have none, and returns d. Diagnostics
// of the language keep their source range in the configuration instead, as on the
// command line.
func (d Diagnostics) WithAddress(address string) Diagnostics {
	for i := range d {
		if d[i].Address == "" && d[i].source == nil {
			d[i].Address = address
		}
	}
	return d
}

// ForAddress is like WithAddress, but includes diagnostics of the language.
func (d Diagnostics) ForAddress(address string) Diagnostics {
	for i := range d {
		if d[i].Address == "" {
			d[i].Address = address
		}
	}
	return d
}

// Err returns the errors of d as one error, or nil.
func (d Diagnostics) Err() error {
	if !d.HasErrors() {
		return nil
	}
	return d
}

// InBody sets the source range in the diagnostics of d that have none, and returns d. The range is
// that of the path in the body, or else the start of the innermost block on the path. Blocks are found by type
// and key, the last name of a path is an argument, and a key after it is an element of the argument, as on
// the command line.
func (d Diagnostics) InBody(body hcl.Body) Diagnostics {
	if body == nil {
		return d
	}
	for i := range d {
		if d[i].Subject == nil {
			if at := placeIn(body, d[i].Path); at.Filename != "" { // an empty body has no source range
				d[i].Subject = &at
			}
		}
	}
	return d
}

func placeIn(body hcl.Body, path cty.Path) hcl.Range {
	if len(path) == 0 {
		return body.MissingItemRange()
	}
	blocks, last := path[:len(path)-1], path[len(path)-1]
	var key cty.Value
	if index, ok := last.(cty.IndexStep); ok && len(blocks) > 0 {
		key = index.Key
		blocks, last = blocks[:len(blocks)-1], blocks[len(blocks)-1]
	}
	body = innerBody(body, blocks)
	name, ok := last.(cty.GetAttrStep)
	if !ok {
		return body.MissingItemRange()
	}
	content, _, _ := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: name.Name}}})
	if content == nil || content.Attributes[name.Name] == nil {
		if key != cty.NilVal {
			return innerBody(body, path[len(path)-2:]).MissingItemRange()
		}
		return body.MissingItemRange()
	}
	return element(content.Attributes[name.Name].Expr, key).Range()
}

// innerBody returns the body that the steps into nested blocks lead to, as far as the blocks exist.
func innerBody(body hcl.Body, steps cty.Path) hcl.Body {
	for i := 0; i < len(steps); i++ {
		name, ok := steps[i].(cty.GetAttrStep)
		if !ok {
			return body
		}
		header := hcl.BlockHeaderSchema{Type: name.Name}
		var key cty.Value
		if i+1 < len(steps) {
			if index, ok := steps[i+1].(cty.IndexStep); ok {
				key = index.Key
				i++
			}
		}
		if key != cty.NilVal && key.Type() == cty.String {
			header.LabelNames = []string{"key"}
		}
		content, _, _ := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{header}})
		if content == nil {
			return body
		}
		block := pick(content.Blocks, key)
		if block == nil {
			return body
		}
		body = block.Body
	}
	return body
}

// pick returns the block with the key, or the first block if key is NilVal. It returns nil if
// there is none, and for elements of sets, which cannot be distinguished.
func pick(blocks hcl.Blocks, key cty.Value) *hcl.Block {
	switch {
	case len(blocks) == 0:
		return nil
	case key == cty.NilVal:
		return blocks[0]
	case key.Type() == cty.Number:
		if i, _ := key.AsBigFloat().Int64(); i >= 0 && i < int64(len(blocks)) {
			return blocks[i]
		}
	case key.Type() == cty.String:
		for _, b := range blocks {
			if b.Labels[0] == key.AsString() {
				return b
			}
		}
	}
	return nil
}

// element returns the element with the key in a list or map expression, or expr if there is none.
func element(expr hcl.Expression, key cty.Value) hcl.Expression {
	switch {
	case key == cty.NilVal || !key.IsKnown() || key.IsNull():
	case key.Type() == cty.Number:
		list, diags := hcl.ExprList(expr)
		if i, _ := key.AsBigFloat().Int64(); !diags.HasErrors() && i >= 0 && i < int64(len(list)) {
			return list[i]
		}
	case key.Type() == cty.String:
		pairs, diags := hcl.ExprMap(expr)
		if diags.HasErrors() {
			break
		}
		for _, pair := range pairs {
			name, diags := pair.Key.Value(nil)
			if !diags.HasErrors() && name.Type() == cty.String && name.IsKnown() && name.AsString() == key.AsString() {
				return pair.Value
			}
		}
	}
	return expr
}
