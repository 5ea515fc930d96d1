package states_test

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// BenchmarkObject compares encoding and decoding with package json of go-cty.
func BenchmarkObject(b *testing.B) {
	types, attrs := map[string]cty.Type{}, map[string]cty.Value{}
	for i := range 20 {
		types[fmt.Sprint("a", i)], attrs[fmt.Sprint("a", i)] = cty.String, cty.StringVal("some value")
	}
	types["tags"] = cty.Map(cty.String)
	attrs["tags"] = cty.MapVal(map[string]cty.Value{"a": cty.StringVal("b"), "c": cty.StringVal("d")})
	ty := cty.Object(types)
	obj := &states.ResourceInstanceObject{Value: cty.ObjectVal(attrs), Status: states.ObjectReady}
	src, err := obj.Encode(ty, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name string
		do   func() error
	}{
		{"encode", func() error { _, err := obj.Encode(ty, 0, 0); return err }},
		{"decode", func() error { _, err := src.Decode(ty, cty.NilType); return err }},
		{"cty/encode", func() error { _, err := ctyjson.Marshal(obj.Value, ty); return err }},
		{"cty/decode", func() error { _, err := ctyjson.Unmarshal(src.AttrsJSON, ty); return err }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bm.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSyncState measures the time to read one object of a state, which must
// not depend on the size of the state, and the time to copy the whole state.
func BenchmarkSyncState(b *testing.B) {
	for _, n := range []int{10, 1000} {
		s := states.NewState()
		sync := s.SyncWrapper()
		addr := instance(b, "module.m[0].a.b[0]")
		for i := range n {
			addr.Resource.Key = addrs.IntKey(i)
			sync.SetResourceInstanceCurrent(addr, object(0), testProvider)
		}
		b.Run(fmt.Sprint("object/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sync.ResourceInstanceObject(addr, states.CurrentGen)
			}
		})
		b.Run(fmt.Sprint("copy/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.DeepCopy()
			}
		})
	}
}
