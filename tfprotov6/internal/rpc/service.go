package rpc

import (
	"fmt"
	"reflect"
	"sync"

	// These packages register the messages of the protocols.
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The services of both protocols.
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
		return nil, fmt.Errorf("find service %s: the name is not that of a service", name)
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
		return nil, fmt.Errorf("this version of the protocol does not have %s", name)
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
