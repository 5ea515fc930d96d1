package rpc_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/protoversion"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// otherNames has the RPCs whose names in the two protocols differ.
var otherNames = map[string]string{
	"PrepareProviderConfig":      "ValidateProviderConfig",
	"ValidateResourceTypeConfig": "ValidateResourceConfig",
	"ValidateDataSourceConfig":   "ValidateDataResourceConfig",
	"ValidateProviderConfig":     "PrepareProviderConfig",
	"ValidateResourceConfig":     "ValidateResourceTypeConfig",
	"ValidateDataResourceConfig": "ValidateDataSourceConfig",
}

// TestConversionsKeepFields checks for each RPC that both protocols have, except GetMetadata, that
// package protoversion keeps the fields of requests and responses. The test is in this package
// because it needs the fakes.
func TestConversionsKeepFields(t *testing.T) {
	t.Parallel()
	f5, f6 := &fake5{}, &fake6{}
	upgraded, err5 := protoversion.Upgrade(t.Context(), f5)
	downgraded, err6 := protoversion.Downgrade(t.Context(), f6)
	if err5 != nil || err6 != nil {
		t.Fatal(err5, err6)
	}
	t.Run("protocol 5 as 6", func(t *testing.T) { keepsFields(t, upgraded, f5, &f5.memory) })
	t.Run("protocol 6 as 5", func(t *testing.T) { keepsFields(t, downgraded, f6, &f6.memory) })
}

func keepsFields(t *testing.T, converted, original any, f *memory) {
	t.Helper()
	v := reflect.ValueOf(converted)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i)
		source := reflect.ValueOf(original).MethodByName(name)
		if other, ok := otherNames[name]; ok {
			source = reflect.ValueOf(original).MethodByName(other)
		}
		if !source.IsValid() || name == "GetMetadata" { // protocol 5 has no state stores; no client calls GetMetadata
			continue
		}
		depth := 6
		if name == "GetProviderSchema" {
			depth = 3 // without nested attributes, which protocol 5 does not have
		}
		t.Run(name, func(t *testing.T) {
			for seed := range tier.Pick[uint64](50, 10, 200) {
				m := maker{rand.New(rand.NewPCG(seed, 1))}
				req, answer := m.element(method.Type().In(1), depth), m.element(source.Type().Out(0), depth)
				f.answer = answer.Interface()
				out := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), req})
				if err, _ := reflect.TypeAssert[error](out[1]); err != nil {
					t.Fatalf("seed %d: %s", seed, err)
				}
				got := flat(out[0].Interface())
				if diff := cmp.Diff(fieldsOf(t, flat(req.Interface())), fieldsOf(t, f.asked)); diff != "" {
					t.Fatalf("seed %d: request (-want +got):\n%s", seed, diff)
				}
				if diff := cmp.Diff(fieldsOf(t, flat(answer.Interface())), fieldsOf(t, got)); diff != "" {
					t.Fatalf("seed %d: response (-want +got):\n%s", seed, diff)
				}
			}
		})
	}
}

// fieldsOf returns the fields of a request or a response that are not zero. They have the same
// names in both protocols.
func fieldsOf(t *testing.T, v any) any {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		t.Fatal(err)
	}
	return withoutZero(fields)
}

func withoutZero(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "StateStoreSchemas") // protocol 5 has no state stores
		for key, elem := range v {
			if elem = withoutZero(elem); elem != nil {
				v[key] = elem
			} else {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutZero(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	default:
		if v == nil || reflect.ValueOf(v).IsZero() {
			return nil
		}
	}
	return v
}

// TestConversionsKeepOptionalInterfaces checks that a converted server calls only the optional
// methods that the original has, and returns an error for the others.
func TestConversionsKeepOptionalInterfaces(t *testing.T) {
	t.Parallel()
	f5, f6 := &fake5{}, &fake6{}
	for name, tt := range map[string]struct {
		v5             tfprotov5.ProviderServer
		v6             tfplugin.ProviderServer
		lists, actions bool
	}{
		"neither": {struct{ tfprotov5.ProviderServer }{f5}, struct{ tfplugin.ProviderServer }{f6}, false, false},
		"lists": {struct {
			tfprotov5.ProviderServer
			tfprotov5.ListResourceServer
		}{f5, f5}, struct {
			tfplugin.ProviderServer
			tfplugin.ListResourceServer
		}{f6, f6}, true, false},
		"actions": {struct {
			tfprotov5.ProviderServer
			tfprotov5.ActionServer
		}{f5, f5}, struct {
			tfplugin.ProviderServer
			tfplugin.ActionServer
		}{f6, f6}, false, true},
	} {
		upgraded, err5 := protoversion.Upgrade(t.Context(), tt.v5)
		downgraded, err6 := protoversion.Downgrade(t.Context(), tt.v6)
		if err5 != nil || err6 != nil {
			t.Fatal(err5, err6)
		}
		for method, want := range map[string]bool{"ValidateListResourceConfig": tt.lists, "ValidateActionConfig": tt.actions} {
			for _, converted := range []any{upgraded, downgraded} {
				f5.asked, f6.asked = nil, nil
				call := reflect.ValueOf(converted).MethodByName(method)
				out := call.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.New(call.Type().In(1).Elem())})
				refused := out[0].Elem().FieldByName("Diagnostics").Len() > 0
				if called := f5.asked != nil || f6.asked != nil; called != want || refused == want {
					t.Errorf("%s: %s of %T: called %t, refused %t, want %t and %t", name, method, converted, called, refused, want, !want)
				}
			}
		}
	}
}
