package rpc_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// maker generates random requests and responses from their Go types.
type maker struct{ *rand.Rand }

// fill sets v to a random value. The depth limits the nesting of pointers and slices.
func (m maker) fill(v reflect.Value, depth int) {
	if special, ok := m.special(v.Type()); ok {
		v.Set(special)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.IntN(5)))
	case reflect.String:
		v.SetString(fmt.Sprintf("tëxt %d", m.IntN(1000))[m.IntN(2)*7:])
	case reflect.Pointer:
		if depth > 0 && m.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := m.IntN(3)
		if depth <= 0 {
			n = 0
		}
		for range n {
			v.Set(reflect.Append(v, m.element(v.Type().Elem(), depth-1)))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range m.IntN(3) {
			v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d", m.IntN(1000))), m.element(v.Type().Elem(), depth-1))
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			m.fill(f, depth)
		}
	default:
		panic(fmt.Sprintf("cannot make a random %s", v.Type()))
	}
}

// element returns a random value of typ. A pointer is not nil.
func (m maker) element(typ reflect.Type, depth int) reflect.Value {
	v := reflect.New(typ).Elem()
	if _, special := m.special(typ); !special && typ.Kind() == reflect.Pointer {
		v.Set(reflect.New(typ.Elem()))
		m.fill(v.Elem(), depth)
		return v
	}
	m.fill(v, depth)
	return v
}

func (m maker) special(typ reflect.Type) (reflect.Value, bool) {
	var some any
	switch typ {
	case reflect.TypeFor[[]byte]():
		some = []byte(fmt.Sprintf("\xff%d", m.IntN(100)))[:m.IntN(3)]
	case reflect.TypeFor[time.Time]():
		some = time.Unix(m.Int64N(4e9), m.Int64N(1e9)).UTC()
		if m.IntN(4) == 0 {
			some = time.Time{}
		}
	case reflect.TypeFor[tftypes.Type]():
		all := []tftypes.Type{
			tftypes.String, tftypes.Bool, tftypes.Number, tftypes.DynamicPseudoType,
			tftypes.List{ElementType: tftypes.String},
			tftypes.Set{ElementType: tftypes.Number},
			tftypes.Map{ElementType: tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.Bool}}},
			tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String}},
		}
		v := reflect.New(typ).Elem()
		v.Set(reflect.ValueOf(all[m.IntN(len(all))]))
		return v, true
	case reflect.TypeFor[*tftypes.AttributePath]():
		path := tftypes.NewAttributePath().WithAttributeName("a")
		for range m.IntN(3) {
			switch m.IntN(3) {
			case 0:
				path = path.WithElementKeyInt(m.IntN(9))
			case 1:
				path = path.WithElementKeyString("kéy")
			default:
				path = path.WithAttributeName("b")
			}
		}
		some = path
	case reflect.TypeFor[tfplugin.InvokeActionEventType]():
		return m.oneOf(typ, tfplugin.ProgressInvokeActionEventType{}, tfplugin.CompletedInvokeActionEventType{}), true
	case reflect.TypeFor[tfprotov5.InvokeActionEventType]():
		return m.oneOf(typ, tfprotov5.ProgressInvokeActionEventType{}, tfprotov5.CompletedInvokeActionEventType{}), true
	case reflect.TypeFor[iter.Seq[tfplugin.ListResourceResult]]():
		some = slices.Values(several[tfplugin.ListResourceResult](m))
	case reflect.TypeFor[iter.Seq[tfplugin.InvokeActionEvent]]():
		some = slices.Values(several[tfplugin.InvokeActionEvent](m))
	case reflect.TypeFor[iter.Seq[tfplugin.ReadStateByteChunk]]():
		some = slices.Values(several[tfplugin.ReadStateByteChunk](m))
	case reflect.TypeFor[iter.Seq[tfprotov5.ListResourceResult]]():
		some = slices.Values(several[tfprotov5.ListResourceResult](m))
	case reflect.TypeFor[iter.Seq[tfprotov5.InvokeActionEvent]]():
		some = slices.Values(several[tfprotov5.InvokeActionEvent](m))
	case reflect.TypeFor[iter.Seq2[*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic]]():
		chunks := several[*tfplugin.WriteStateBytesChunk](m)
		some = iter.Seq2[*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic](
			func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
				for _, c := range chunks {
					if !yield(c, nil) {
						return
					}
				}
			})
	default:
		return reflect.Value{}, false
	}
	return reflect.ValueOf(some), true
}

func (m maker) oneOf(typ reflect.Type, all ...any) reflect.Value {
	member := reflect.New(reflect.TypeOf(all[m.IntN(len(all))])).Elem()
	m.fill(member, 2)
	v := reflect.New(typ).Elem()
	v.Set(member)
	return v
}

func several[T any](m maker) []T {
	some := make([]T, m.IntN(4))
	for i := range some {
		some[i] = m.element(reflect.TypeFor[T](), 3).Interface().(T)
	}
	return some
}

// flat returns the elements of a stream, or v itself.
func flat(v any) any {
	switch v := v.(type) {
	case *tfplugin.ListResourceServerStream:
		return slices.Collect(v.Results)
	case *tfplugin.InvokeActionServerStream:
		return slices.Collect(v.Events)
	case *tfplugin.ReadStateBytesStream:
		return slices.Collect(v.Chunks)
	case *tfprotov5.ListResourceServerStream:
		return slices.Collect(v.Results)
	case *tfprotov5.InvokeActionServerStream:
		return slices.Collect(v.Events)
	case *tfplugin.WriteStateBytesStream:
		type chunk struct {
			Chunk *tfplugin.WriteStateBytesChunk
			Said  []*tfplugin.Diagnostic
		}
		var all []chunk
		for c, diags := range v.Chunks {
			all = append(all, chunk{c, diags})
		}
		return all
	default:
		return v
	}
}
