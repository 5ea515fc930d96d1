package rpc

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server" // registers the messages of protocol 5
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server" // registers the messages of protocol 6
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// service5 and service6 return the services of protocols 5 and 6.
var (
	service5 = sync.OnceValues(func() (service, error) { return find("tfplugin5.Provider") })
	service6 = sync.OnceValues(func() (service, error) { return find("tfplugin6.Provider") })
)

// service has the RPCs of a protocol by name.
type service map[protoreflect.Name]*method

// method is an RPC with the mapping between its messages and structs, which is
// computed by the first call.
type method struct {
	desc    protoreflect.MethodDescriptor
	path    string
	compile sync.Once
	request *encoder
	answer  *decoder
	message protoreflect.MessageType // of the response
	err     error
}

func find(name protoreflect.FullName) (service, error) {
	desc, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return nil, fmt.Errorf("find service %s: %w", name, err)
	}
	sd, ok := desc.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("find service %s: it is not a service", name)
	}
	s := make(service)
	for i := range sd.Methods().Len() {
		md := sd.Methods().Get(i)
		s[md.Name()] = &method{desc: md, path: fmt.Sprintf("/%s/%s", name, md.Name())}
	}
	return s, nil
}

// of returns the method with this name. The types of its request and response
// must be the same in each call.
func (s service) of(name protoreflect.Name, request, answer reflect.Type) (*method, error) {
	m := s[name]
	if m == nil {
		return nil, fmt.Errorf("the protocol does not have the RPC %s", name)
	}
	m.compile.Do(func() {
		if m.request, m.err = newEncoder(m.desc.Input(), request); m.err != nil {
			return
		}
		if m.answer, m.err = make(decoders).of(m.desc.Output(), answer); m.err != nil {
			return
		}
		m.message, m.err = protoregistry.GlobalTypes.FindMessageByName(m.desc.Output().FullName())
	})
	return m, m.err
}

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
// without a counterpart; a test lists these fields.
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

// plain returns a name in lower case and without underscores. The result is the same for
// the names in messages and in structs.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
