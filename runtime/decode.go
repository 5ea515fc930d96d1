package runtime

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// errNull is the error for a required value that is null.
var errNull = errors.New("a value is required")

// decoder converts cty values to Go values. It continues after an error, so that all
// errors are reported at once.
type decoder struct {
	// unknowns counts unknown values of fields that cannot hold one, which get their zero
	// value, and of fields of type cty.Value that are not inside a Value.
	unknowns int
	// held counts unknown values of fields of type Value, which can hold them. A cty.Value can
	// hold them too, but its users expect known values, so held counts them only inside a Value.
	held int
	// strict makes null an error in a required field, and in an element that cannot hold it.
	strict bool
	// defaults gives null fields their default.
	defaults bool
	// configured makes unknown values of computed fields count too: those of a configuration
	// are not determined by the provider.
	configured bool
	// computedNull makes unknown values null if the provider determines them: they are not
	// configured, and no method of an apply gets unknown values.
	computedNull bool
	// finite makes an infinite number an error, except in a field of type any or cty.Value.
	finite bool
	// warnings keeps errors of UnmarshalText that are only warnings. It is for validation,
	// which reports them; elsewhere they are ignored.
	warnings bool
	errs     []error
}

func (d *decoder) err() error { return errors.Join(d.errs...) }

func (d *decoder) fail(format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf(format, args...))
}

// under prepends step to the paths of the errors after the first n.
func (d *decoder) under(n int, step cty.PathStep) {
	for i := n; i < len(d.errs); i++ {
		d.errs[i] = diag.WithPath(cty.Path{step}, d.errs[i])
	}
}

// object decodes the fields of v, an object value, into dst, a struct.
func (d *decoder) object(fields []*field, v cty.Value, dst reflect.Value) {
	for _, f := range fields {
		d.field(f, v.GetAttr(f.name), dst)
	}
}

// field decodes the value of one attribute into the struct dst.
func (d *decoder) field(f *field, v cty.Value, dst reflect.Value) {
	before := len(d.errs)
	switch {
	case d.strict && f.required() && v.IsNull():
		d.errs = append(d.errs, errNull)
	case d.defaults && f.def != cty.NilVal && v.IsNull():
		d.value(f.node, f.def, f.in(dst))
	case f.computed && !v.IsKnown() && !d.configured:
		// A value that the provider determines may be unknown; the inputs count as
		// known nevertheless.
		unknowns, held := d.unknowns, d.held
		if d.computedNull {
			v = f.node.null
		}
		d.value(f.node, v, f.in(dst))
		d.unknowns, d.held = unknowns, held
	default:
		d.value(f.node, v, f.in(dst))
	}
	if len(d.errs) > before {
		if f.sensitive || f.writeOnly {
			d.conceal(before)
		}
		d.under(before, f.step)
	}
}

// textError is the error of an UnmarshalText.
type textError struct {
	err  error
	text string // the argument
}

func (e *textError) Error() string { return e.err.Error() }
func (e *textError) Unwrap() error { return e.err }

// shortText is the length below which a text may be in an error by chance, unless it is quoted.
const shortText = 6

// repeats reports whether the error contains the text, perhaps without the space around it, as it
// is or quoted. A text shorter than shortText counts only if it is quoted, and a blank one never does.
func (e *textError) repeats() bool {
	message, text := e.Error(), strings.TrimSpace(e.text)
	quoted := strconv.Quote(text)
	switch {
	case text == "":
		return false
	case strings.Contains(message, quoted), strings.Contains(message, strconv.Quote(e.text)):
		return true
	default:
		return len(text) >= shortText && (strings.Contains(message, text) || strings.Contains(message, quoted[1:len(quoted)-1]))
	}
}

// conceal replaces each error after the first n that repeats the text that could not be parsed, which
// is sensitive: types of other libraries return such errors.
func (d *decoder) conceal(n int) {
	for i, err := range d.errs[n:] {
		if e, ok := errors.AsType[*textError](err); ok && e.repeats() {
			concealed := errConcealed
			if path := diag.FromError("", err)[0].Path; len(path) > 0 {
				concealed = diag.WithPath(path, concealed)
			}
			if !failed(err) {
				concealed = diag.AsWarning(concealed)
			}
			d.errs[n+i] = concealed
		}
	}
}

var errConcealed = errors.New("the value is not valid; the reason is not shown, because it contains the value, which is sensitive")

// in returns the field in the struct s.
func (f *field) in(s reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return s.Field(f.index[0])
	}
	return s.FieldByIndex(f.index)
}

// value decodes v into dst. Null becomes the zero value, except in a cty.Value.
func (d *decoder) value(n *node, v cty.Value, dst reflect.Value) {
	switch n.kind {
	case kindDynamic:
		if !v.IsWhollyKnown() {
			d.unknowns++
		}
		dst.Set(reflect.ValueOf(v))
		return
	case kindValue:
		d.wrapped(n, v, dst)
		return
	}
	switch {
	case !v.IsKnown():
		d.unknowns++
		dst.SetZero()
	case v.IsNull():
		dst.SetZero()
	default:
		d.known(n, v, dst)
	}
}

func (d *decoder) wrapped(n *node, v cty.Value, dst reflect.Value) {
	w := dst.Addr().Interface().(anyValue) //nolint:forcetypeassert // guaranteed by the kind
	dst.SetZero()
	switch {
	case !v.IsKnown():
		d.held++
		w.setValueState(valueUnknown)
	case !v.IsNull():
		w.setValueState(valueKnown)
		if n.elem.kind == kindDynamic && !v.IsWhollyKnown() {
			d.held++
			w.valueElem().Set(reflect.ValueOf(v))
			return
		}
		d.value(n.elem, v, w.valueElem())
	}
}

func (d *decoder) known(n *node, v cty.Value, dst reflect.Value) {
	switch n.kind {
	case kindString:
		dst.SetString(v.AsString())
	case kindBool:
		dst.SetBool(v.True())
	case kindInt, kindUint, kindFloat, kindBigFloat:
		d.number(n, v.AsBigFloat(), dst)
	case kindText:
		target := dst.Addr().Interface().(encoding.TextUnmarshaler) //nolint:forcetypeassert // guaranteed by the kind
		text := v.AsString()
		if err := target.UnmarshalText([]byte(text)); err != nil && (d.warnings || failed(err)) {
			d.errs = append(d.errs, &textError{err, text})
		}
	case kindAny:
		x, err := d.plain(v)
		if err != nil {
			d.errs = append(d.errs, err)
		} else if x != nil {
			dst.Set(reflect.ValueOf(x))
		}
	case kindPointer:
		dst.Set(reflect.New(n.elem.goType))
		d.value(n.elem, v, dst.Elem())
	case kindList, kindSet:
		d.slice(n, v, dst)
	case kindMap:
		d.mapping(n, v, dst)
	case kindObject:
		dst.SetZero()
		d.object(n.fields, v, dst)
	}
}

// number decodes f into dst. A number that an integer type cannot hold exactly is an
// error: it never wraps around.
func (d *decoder) number(n *node, f *big.Float, dst reflect.Value) {
	if d.finite && f.IsInf() {
		d.errs = append(d.errs, errInfinite)
		return
	}
	switch n.kind {
	case kindInt:
		i, acc := f.Int64()
		if acc != big.Exact || dst.OverflowInt(i) {
			d.outOfRange(f, dst.Type())
			return
		}
		dst.SetInt(i)
	case kindUint:
		u, acc := f.Uint64()
		if acc != big.Exact || dst.OverflowUint(u) {
			d.outOfRange(f, dst.Type())
			return
		}
		dst.SetUint(u)
	case kindFloat:
		x, _ := f.Float64() // floats are rounded by definition
		if dst.OverflowFloat(x) || x-x != 0 && !f.IsInf() {
			d.outOfRange(f, dst.Type())
			return
		}
		dst.SetFloat(x)
	default:
		dst.Set(reflect.ValueOf(new(big.Float).Copy(f)))
	}
}

func (d *decoder) outOfRange(f *big.Float, t reflect.Type) {
	switch t.Kind() { //nolint:exhaustive // the other kinds are integers
	case reflect.Float32, reflect.Float64:
		d.fail("the number is too large")
		return
	}
	if !f.IsInt() {
		d.fail("a whole number is required")
		return
	}
	low, high := integerRange(t)
	d.fail("the number is out of range: it must be from %s to %s", low, high)
}

func integerRange(t reflect.Type) (low, high *big.Int) {
	one := big.NewInt(1)
	bits := uint(t.Bits())
	switch t.Kind() { //nolint:exhaustive // unsigned or signed
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	high = new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(high), high.Sub(high, one)
}

func (d *decoder) slice(n *node, v cty.Value, dst reflect.Value) {
	elems := wire.Elements(v)
	out := reflect.MakeSlice(n.goType, len(elems), len(elems))
	for i, elem := range elems {
		before := len(d.errs)
		d.element(n, elem, out.Index(i))
		if len(d.errs) > before {
			key := elem // in a set, an element is its own key
			if n.kind == kindList {
				key = cty.NumberIntVal(int64(i))
			}
			d.under(before, cty.IndexStep{Key: key})
		}
	}
	dst.Set(out)
}

func (d *decoder) mapping(n *node, v cty.Value, dst reflect.Value) {
	if n.goType == stringMapType {
		// The common case, without a reflect.Value for each entry.
		if m, ok := wire.Strings(v); ok {
			dst.Set(reflect.ValueOf(m))
			return
		}
	}
	out := reflect.MakeMapWithSize(n.goType, v.LengthInt())
	if m, ok := reflect.TypeAssert[map[string]string](out); ok {
		for key, elem := range v.Elements() {
			m[key.AsString()] = d.str(key, elem)
		}
		dst.Set(out)
		return
	}
	keyType := n.goType.Key()
	for key, elem := range v.Elements() {
		before := len(d.errs)
		x := reflect.New(n.elem.goType).Elem()
		d.element(n, elem, x)
		if len(d.errs) > before {
			d.under(before, cty.IndexStep{Key: key})
		}
		out.SetMapIndex(reflect.ValueOf(key.AsString()).Convert(keyType), x)
	}
	dst.Set(out)
}

func (d *decoder) str(key, v cty.Value) string {
	switch {
	case !v.IsKnown():
		d.unknowns++
	case !v.IsNull():
		return v.AsString()
	case d.strict:
		d.errs = append(d.errs, diag.WithPath(cty.Path{cty.IndexStep{Key: key}}, errNull))
	}
	return ""
}

// element decodes one element of a collection. If strict is set, null is an error unless
// the Go type can hold it.
func (d *decoder) element(n *node, v cty.Value, dst reflect.Value) {
	if d.strict && v.IsNull() {
		switch n.elem.kind { //nolint:exhaustive // the others cannot hold null
		case kindPointer, kindValue, kindDynamic, kindAny:
		default:
			d.errs = append(d.errs, errNull)
			return
		}
	}
	d.value(n.elem, v, dst)
}

// plain converts a value to one for a field of type any: string, bool, int64 if
// exact and *big.Float otherwise, []any, map[string]any, nil.
func (d *decoder) plain(v cty.Value) (any, error) {
	if !v.IsKnown() {
		d.unknowns++
		return nil, nil //nolint:nilnil // unknown is the zero value
	}
	if v.IsNull() {
		return nil, nil //nolint:nilnil // null is nil
	}
	ty := v.Type()
	switch {
	case ty == cty.String:
		return v.AsString(), nil
	case ty == cty.Bool:
		return v.True(), nil
	case ty == cty.Number:
		f := v.AsBigFloat()
		if i, acc := f.Int64(); acc == big.Exact {
			return i, nil
		}
		return new(big.Float).Copy(f), nil
	case ty.IsListType() || ty.IsSetType() || ty.IsTupleType():
		out := make([]any, 0, v.LengthInt())
		for key, elem := range v.Elements() {
			x, err := d.plain(elem)
			if err != nil {
				return nil, diag.WithPath(cty.Path{cty.IndexStep{Key: key}}, err)
			}
			out = append(out, x)
		}
		return out, nil
	case ty.IsMapType() || ty.IsObjectType():
		out := make(map[string]any, v.LengthInt())
		for key, elem := range v.Elements() {
			x, err := d.plain(elem)
			if err != nil {
				return nil, diag.WithPath(cty.Path{cty.IndexStep{Key: key}}, err)
			}
			out[key.AsString()] = x
		}
		return out, nil
	}
	return nil, fmt.Errorf("a value of type %s is not supported", ty.FriendlyName())
}
