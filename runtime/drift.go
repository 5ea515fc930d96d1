package runtime

import (
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// rememberApplied stores the outputs of the last apply while the state, as it was
// read, differs from them.
func (m *managed) rememberApplied(private *privateState, prior, state cty.Value) error {
	applied := private.outputs(m.outputCodec.get())
	kept := applied != cty.NilVal
	if !kept {
		applied = prior
	}
	if private.Moved {
		private.Moved = false
		applied = m.withRead(applied, state)
	}
	for _, a := range m.outs {
		if a.volatile || !a.drifted(applied.GetAttr(a.name), m.attr(state, a)) {
			continue
		}
		if kept {
			return nil
		}
		var err error
		private.Applied, err = m.outputCodec.get().AppendJSON(nil, m.outputsOf(applied))
		return err
	}
	private.Applied = nil
	return nil
}

// withRead returns the object of a move with the outputs that were read in place of those that the
// move has not set.
func (m *managed) withRead(object, read cty.Value) cty.Value {
	attrs := object.AsValueMap()
	for _, a := range m.outs {
		if attrs[a.name].IsNull() {
			attrs[a.name] = m.attr(read, a)
		}
	}
	return cty.ObjectVal(attrs)
}

// drifted reports whether read differs from the last applied value. A null applied
// value of a non-nullable output means that the attribute was added to the schema
// after the last apply; the value read is then adopted and is not drift. The same
// holds for a value that the provider has not chosen yet, after a move.
func (a *attribute) drifted(applied, read cty.Value) bool {
	if applied.IsNull() && (a.class == classChosen || a.in == nil && !a.out.node.nullable() && !a.out.optional) {
		return false
	}
	return !objchange.Equal(applied, read)
}

// applied returns the outputs of the last apply: those of the private data, or else
// those that were read.
func (m *managed) applied(private privateState, observed reflect.Value) reflect.Value {
	kept := private.outputs(m.outputCodec.get())
	if kept == cty.NilVal {
		return observed
	}
	var d decoder
	if outputs := m.decodeOut(&d, kept); d.err() == nil {
		return outputs
	}
	return observed
}

// findDrift reads the private data and marks the outputs that differ from the last applied ones
// as drifted and unknown, except volatile outputs and those that are also inputs.
func (p *planning) findDrift() {
	p.private = parsePrivate(p.req.PriorPrivate)
	p.c.private.data = p.private.Data
	applied := p.private.outputs(p.m.outputCodec.get())
	if applied == cty.NilVal {
		return
	}
	for _, a := range p.m.outs {
		if a.in == nil && !a.volatile && a.drifted(applied.GetAttr(a.name), p.m.attr(p.req.PriorState, a)) {
			mark(&p.unknown, []string{a.name})
			p.drifted = append(p.drifted, a)
		}
	}
}

// outputsOf returns an object with only the attributes of the outputs.
func (m *managed) outputsOf(object cty.Value) cty.Value {
	attrs := make(map[string]cty.Value, len(m.outs))
	for _, a := range m.outs {
		attrs[a.name] = object.GetAttr(a.name)
	}
	return cty.ObjectVal(attrs)
}
