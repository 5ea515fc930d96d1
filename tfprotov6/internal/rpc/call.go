package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Conn is a connection to a provider.
type Conn struct {
	// GRPC carries the calls.
	GRPC grpc.ClientConnInterface
	// Lost says why a provider that does not answer any more is gone, as the end
	// of a sentence that starts with the RPC; nothing where nobody knows. It may
	// wait for the reason as long as ctx lasts. It may be nil.
	Lost func(ctx context.Context) string
}

// maxSchema is how large an answer with schemas may be; Terraform and OpenTofu
// take no larger one. They set no limit to others.
const maxSchema = 64 << 20

var schemaRPCs = map[protoreflect.Name]bool{"GetProviderSchema": true, "GetSchema": true}

// caller calls the RPCs of one protocol over one connection.
type caller struct {
	conn    Conn
	service service
}

func options(rpc protoreflect.Name) []grpc.CallOption {
	limit := math.MaxInt32
	if schemaRPCs[rpc] {
		limit = maxSchema
	}
	return []grpc.CallOption{grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(math.MaxInt32)}
}

// unary asks and waits for the answer.
func unary[Answer, Request any](ctx context.Context, c *caller, rpc protoreflect.Name, req *Request) (*Answer, error) {
	m, err := c.service.of(rpc, reflect.TypeFor[Request](), reflect.TypeFor[Answer]())
	if err != nil {
		return nil, err
	}
	out := m.message.New()
	if err := c.conn.GRPC.Invoke(ctx, m.path, encode(m, req), out.Interface(), options(rpc)...); err != nil {
		return nil, c.explain(ctx, rpc, err)
	}
	return decode[Answer](m, out)
}

// encode is the message of a request. No request is an empty one.
func encode[Request any](m *method, req *Request) protoreflect.ProtoMessage {
	if req == nil {
		req = new(Request)
	}
	return m.request.encode(reflect.ValueOf(req).Elem()).Interface()
}

func decode[Answer any](m *method, message protoreflect.Message) (*Answer, error) {
	answer := new(Answer)
	if err := m.answer.decode(message, reflect.ValueOf(answer).Elem()); err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	return answer, nil
}

// errNotOpen is for a stream that was read before.
var errNotOpen = errors.New("the stream was read before; ask again for another")
