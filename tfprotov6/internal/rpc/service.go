package rpc

import (
	"fmt"
	"reflect"
	"sync"

	// The servers of terraform-plugin-go are imported for the messages that they
	// register.
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The services of both protocols, which never change in a process.
var (
	service5 = sync.OnceValues(func() (service, error) { return find("tfplugin5.Provider") })
	service6 = sync.OnceValues(func() (service, error) { return find("tfplugin6.Provider") })
)

// service is the RPCs of a protocol by their names.
type service map[protoreflect.Name]*method

// method is an RPC: where it is, and how its messages and structs stand to each
// other, which is worked out with the first call.
type method struct {
	desc    protoreflect.MethodDescriptor
	path    string
	compile sync.Once
	request *encoder
	answer  *decoder
	message protoreflect.MessageType // of the answer
	err     error
}

func find(name protoreflect.FullName) (service, error) {
	desc, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return nil, fmt.Errorf("find service %s: %w", name, err)
	}
	sd, ok := desc.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("find service %s: it is another thing", name)
	}
	s := make(service)
	for i := range sd.Methods().Len() {
		md := sd.Methods().Get(i)
		s[md.Name()] = &method{desc: md, path: fmt.Sprintf("/%s/%s", name, md.Name())}
	}
	return s, nil
}

// of is the method of that name, for requests and answers of those types. They
// are the same in each call.
func (s service) of(name protoreflect.Name, request, answer reflect.Type) (*method, error) {
	m := s[name]
	if m == nil {
		return nil, fmt.Errorf("this version of the protocol has no %s", name)
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
