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
	// Lost returns why the connection to the provider broke, or "" if that is
	// not known. It may wait for the reason until ctx ends. It may be nil.
	Lost func(ctx context.Context) string
}

// maxSchema is the maximum size of a response with schemas, as in Terraform and
// OpenTofu. Other responses have no limit.
const maxSchema = 64 << 20

var schemaRPCs = map[protoreflect.Name]bool{"GetProviderSchema": true, "GetSchema": true}

// caller calls the RPCs of a protocol over a connection.
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

// unary sends a request and waits for the response.
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

// encode returns the message of a request. A nil request is an empty one.
func encode[Request any](m *method, req *Request) protoreflect.ProtoMessage {
	if req == nil {
		req = new(Request)
	}
	return m.request.encode(reflect.ValueOf(req).Elem()).Interface()
}

func decode[Answer any](m *method, message protoreflect.Message) (*Answer, error) {
	answer := new(Answer)
	if err := m.answer.decode(message, reflect.ValueOf(answer).Elem()); err != nil {
		return nil, fmt.Errorf("decode the response: %w", err)
	}
	return answer, nil
}

// errNotOpen is the error of a stream that was already read.
var errNotOpen = errors.New("the stream was already read")
