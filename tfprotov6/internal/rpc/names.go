package rpc

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// renamed has the fields whose names in struct and message differ, for both
// protocols.
var renamed = map[string]string{
	"ListResource.Request.include_resource_object":    "IncludeResource",
	"ListResource.Event.resource_object":              "Resource",
	"ListResource.Event.diagnostic":                   "Diagnostics",
	"PlanResourceChange.Response.legacy_type_system":  "UnsafeToUseLegacyTypeSystem",
	"ApplyResourceChange.Response.legacy_type_system": "UnsafeToUseLegacyTypeSystem",
}

// members has the Go types for the fields of a oneof.
var members = map[reflect.Type]map[protoreflect.Name]reflect.Type{
	reflect.TypeFor[tfplugin.InvokeActionEventType](): {
		"progress":  reflect.TypeFor[tfplugin.ProgressInvokeActionEventType](),
		"completed": reflect.TypeFor[tfplugin.CompletedInvokeActionEventType](),
	},
	reflect.TypeFor[tfprotov5.InvokeActionEventType](): {
		"progress":  reflect.TypeFor[tfprotov5.ProgressInvokeActionEventType](),
		"completed": reflect.TypeFor[tfprotov5.CompletedInvokeActionEventType](),
	},
}

// pair is a field of a message and its counterpart in a struct.
type pair struct {
	proto protoreflect.FieldDescriptor
	field reflect.StructField
}

func (p pair) errorf(format string, args ...any) error {
	return fmt.Errorf("no mapping between %s and its counterpart in Go: %s", p.proto.FullName(), fmt.Sprintf(format, args...))
}

// match pairs the fields of a message with those of a struct. It ignores fields
// without counterpart: the other side may have a later version.
func match(message protoreflect.MessageDescriptor, typ reflect.Type) []pair {
	byName := make(map[string]reflect.StructField)
	for _, f := range reflect.VisibleFields(typ) {
		if !f.Anonymous {
			byName[plain(f.Name)] = f
		}
	}
	var pairs []pair
	for i := range message.Fields().Len() {
		fd := message.Fields().Get(i)
		name := string(fd.Name())
		if one := fd.ContainingOneof(); one != nil && !one.IsSynthetic() {
			name = string(one.Name())
		}
		pkg := string(fd.ParentFile().Package()) + "."
		if other, ok := renamed[strings.TrimPrefix(string(fd.FullName()), pkg)]; ok {
			name = other
		}
		if f, ok := byName[plain(name)]; ok {
			pairs = append(pairs, pair{proto: fd, field: f})
		}
	}
	return pairs
}

// plain returns a name in the form that is the same for messages and structs.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
