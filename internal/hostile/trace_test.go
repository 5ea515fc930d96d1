package hostile_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// trace logs requests and responses, to debug a failure with go test -v -run
// Fuzz…/….
func (j *judge) trace(rpc, typeName string, req, resp any) {
	fmt.Printf("%s %s\n", rpc, typeName)
	for _, side := range []struct {
		name string
		v    any
	}{{"  asked", req}, {"  answered", resp}} {
		v := reflect.ValueOf(side.v)
		if v.IsNil() {
			fmt.Println(side.name, "nothing")
			continue
		}
		for i := range v.Elem().NumField() {
			j.traceField(side.name+" "+v.Elem().Type().Field(i).Name, typeName, v.Elem().Field(i).Interface())
		}
	}
}

func (j *judge) traceField(name, typeName string, field any) {
	ty, dv := j.types[subject{"ReadResource", typeName}], (*tfplugin.DynamicValue)(nil)
	switch field := field.(type) {
	case *tfplugin.DynamicValue:
		dv = field
	case *tfplugin.ResourceIdentityData:
		if field != nil {
			ty, dv = j.identities[typeName], field.IdentityData
		}
	case []byte:
		fmt.Printf("%s: %q\n", name, field)
	case []*tfplugin.Diagnostic:
		for _, d := range field {
			fmt.Printf("%s: %s %s: %s: %s\n", name, d.Severity, d.Attribute, d.Summary, d.Detail)
		}
	default:
		if v := reflect.ValueOf(field); v.IsValid() && !v.IsZero() {
			fmt.Printf("%s: %+v\n", name, field)
		}
	}
	if dv == nil {
		return
	}
	if ty != cty.NilType && len(dv.MsgPack) > 0 {
		if v, err := msgpack.Unmarshal(dv.MsgPack, ty); err == nil {
			fmt.Printf("%s: %s\n", name, brief(v))
			return
		}
	}
	fmt.Printf("%s: msgpack %x JSON %s\n", name, dv.MsgPack, dv.JSON)
}

// brief returns a value as text, without its null attributes.
func brief(v cty.Value) string {
	switch ty := v.Type(); {
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return strings.ReplaceAll(fmt.Sprintf("%#v", v), "cty.", "")
	case ty.IsObjectType():
		var parts []string
		all := v.AsValueMap()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !all[name].IsNull() {
				parts = append(parts, name+": "+brief(all[name]))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.CanIterateElements():
		var parts []string
		for key, e := range v.Elements() {
			at := ""
			if ty.IsMapType() {
				at = fmt.Sprintf("%q: ", key.AsString())
			}
			parts = append(parts, at+brief(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ty == cty.String:
		return fmt.Sprintf("%q", v.AsString())
	case ty == cty.Number:
		return v.AsBigFloat().Text('g', 20)
	default:
		return strings.TrimPrefix(fmt.Sprintf("%#v", v), "cty.")
	}
}
