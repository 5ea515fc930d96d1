package hostile_test

import (
	"bytes"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// choice splits the byte that selects a case: the remainder of a division is an index,
// single bits are flags.
type choice uint8

func (c choice) of(n int) int { return int(c) % n }

func (c choice) switched(bit int) bool { return c>>bit&1 == 1 }

// dynamic returns a value with the bytes as JSON if they begin like a JSON object,
// array or string, and as msgpack otherwise, or nil for nil. No msgpack value of a schema
// begins with these bytes.
func dynamic(b []byte) *tfplugin.DynamicValue {
	switch {
	case b == nil:
		return nil
	case len(b) > 0 && (b[0] == '{' || b[0] == '[' || b[0] == '"'):
		return &tfplugin.DynamicValue{JSON: b}
	default:
		return &tfplugin.DynamicValue{MsgPack: b}
	}
}

func identity(b []byte) *tfplugin.ResourceIdentityData {
	if b == nil {
		return nil
	}
	return &tfplugin.ResourceIdentityData{IdentityData: dynamic(b)}
}

// stored returns a stored state: JSON, or the flatmap of Terraform 0.11 and earlier if the bytes
// start with a tab. Each line of a flatmap has a key, a tab and a value.
func stored(b []byte) *tfplugin.RawState {
	if len(b) == 0 || b[0] != '\t' {
		return &tfplugin.RawState{JSON: b}
	}
	flat := make(map[string]string)
	for line := range bytes.SplitSeq(b[1:], []byte("\n")) {
		key, value, _ := bytes.Cut(line, []byte("\t"))
		flat[string(key)] = string(value)
	}
	return &tfplugin.RawState{Flatmap: flat}
}

// encoded returns a value in msgpack, for seeds.
func encoded(tb testing.TB, ty cty.Type, v cty.Value) []byte {
	tb.Helper()
	raw, err := msgpack.Marshal(v, ty)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// samples returns n configurations of a schema in msgpack or JSON, after a null and an
// unknown value.
func samples(tb testing.TB, b *configschema.Block, n int) [][]byte {
	tb.Helper()
	ty := b.ImpliedType()
	all := [][]byte{encoded(tb, ty, cty.NullVal(ty)), encoded(tb, ty, cty.UnknownVal(ty))}
	for i, seed := range seeds(n, 300) {
		r := choose(seed)
		switch v := configOf(r, b); i % 3 {
		case 0:
			all = append(all, encoded(tb, ty, v))
		case 1:
			all = append(all, encoded(tb, ty, blur(r, v)))
		default:
			raw, err := ctyjson.Marshal(v, ty)
			if err != nil {
				tb.Fatal(err)
			}
			all = append(all, raw)
		}
	}
	return all
}
