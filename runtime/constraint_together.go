package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// CheckTogether requires that check returns nil for the values of several attributes. Check
// is a function with one parameter for each attribute, in this order, that returns an error.
// Text is a sentence for the descriptions of all of them: "`first` must not exceed `last`";
// if it is empty, the descriptions do not mention the rule.
//
// The type of a parameter is that of the field, or that in its pointer or [Value], or a
// pointer or Value of it. It determines for which values check is called, so that check
// never depends on one that is not known yet: a Value, also inside of structs, can be unknown
// or null, a pointer can be null, and the others are known and set. For other values check
// is not called. An attribute that is not configured has its default.
//
// An error without a path is about the first attribute. [diag.AttributeErrorf] returns one
// about another attribute, and [diag.AsWarning] makes it a warning.
func CheckTogether(text string, check any, fields ...string) Constraint {
	return Constraint{kind: "CheckTogether", fields: fields, among: joint{text: text, accept: reflect.ValueOf(check)}}
}

// joint calls a function with the values of several attributes.
type joint struct {
	text   string
	accept reflect.Value
	// params are the types of the parameters, and defaults the values of attributes that are
	// not configured, or NilVal.
	params   []*node
	defaults []cty.Value
}

func (j joint) bind(fields []*field) (among, error) {
	if len(fields) < 2 {
		return nil, errors.New("at least two attributes are needed")
	}
	if !j.accept.IsValid() || j.accept.Kind() != reflect.Func || j.accept.IsNil() {
		return nil, errors.New("check is not a function")
	}
	t := j.accept.Type()
	if t.NumIn() != len(fields) || t.IsVariadic() || t.NumOut() != 1 || t.Out(0) != errorType {
		return nil, fmt.Errorf("check must have a parameter for each of the %d attributes and return an error; it is %s", len(fields), t)
	}
	for i, f := range fields {
		n, err := compileType(t.In(i), f.set, 0)
		if err != nil || n.innermost().goType != f.node.innermost().goType {
			return nil, fmt.Errorf("the Go type of %q is %s, but check takes %s", f.name, f.node.goType, t.In(i))
		}
		j.params, j.defaults = append(j.params, n), append(j.defaults, f.def)
	}
	return j, nil
}

func (j joint) check(c Constraint, object cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	args, ok := j.arguments(c, object)
	if !ok {
		return out
	}
	err, _ := reflect.TypeAssert[error](j.accept.Call(args)[0])
	for _, m := range diag.FromError(invalidValue, err) {
		if len(m.Path) == 0 {
			m.Path = cty.GetAttrPath(c.fields[0])
		}
		m.Path = append(at.Copy(), m.Path...)
		out = append(out, m)
	}
	return out
}

// arguments returns the arguments for the function. It reports whether the function accepts
// the values as far as they are known.
func (j joint) arguments(c Constraint, object cty.Value) (args []reflect.Value, ok bool) {
	d := decoder{strict: true, defaults: true, configured: true}
	args = make([]reflect.Value, len(j.params))
	for i, n := range j.params {
		v := object.GetAttr(c.fields[i])
		if v.IsNull() && j.defaults[i] != cty.NilVal {
			v = j.defaults[i]
		}
		if v.IsNull() && !n.nullable() {
			return nil, false
		}
		args[i] = reflect.New(n.goType).Elem()
		d.value(n, v, args[i])
	}
	return args, d.unknowns == 0 && d.err() == nil // such an error is reported elsewhere
}

func (j joint) describe(Constraint, string) string { return sentence(j.text) }
