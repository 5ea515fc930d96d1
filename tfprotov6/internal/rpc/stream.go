package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// events returns a stream that can be read once. The request is sent when
// reading starts, and canceled when it stops. An error becomes the last
// element, which failed creates, and the error of [WithFailure]. A second
// reading yields only one element, which failed creates for errNotOpen.
func events[Event, Request any](ctx context.Context, c *caller, rpc protoreflect.Name, req *Request, failed func(error) Event) iter.Seq[Event] {
	var read atomic.Bool
	return func(yield func(Event) bool) {
		if read.Swap(true) {
			yield(failed(errNotOpen))
			return
		}
		fail := func(err error) {
			if failure, ok := ctx.Value(failureKey{}).(*error); ok {
				*failure = err
			}
			yield(failed(err))
		}
		m, err := c.service.of(rpc, reflect.TypeFor[Request](), reflect.TypeFor[Event]())
		if err != nil {
			fail(err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.conn.GRPC.NewStream(ctx, &grpc.StreamDesc{StreamName: string(rpc), ServerStreams: true}, m.path, options(rpc)...)
		if err == nil {
			err = stream.SendMsg(encode(m, req))
		}
		if err == nil {
			err = stream.CloseSend()
		}
		for err == nil {
			message := m.message.New()
			if err = stream.RecvMsg(message.Interface()); err != nil {
				break
			}
			var event *Event
			if event, err = decode[Event](m, message); err != nil {
				fail(err)
				return
			}
			if !yield(*event) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			fail(c.explain(ctx, rpc, err))
		}
	}
}

// send sends a stream of chunks and waits for the response. A provider may
// respond before the last chunk.
func send[Answer, Chunk any](ctx context.Context, c *caller, rpc protoreflect.Name, chunks iter.Seq[*Chunk]) (*Answer, error) {
	m, err := c.service.of(rpc, reflect.TypeFor[Chunk](), reflect.TypeFor[Answer]())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.conn.GRPC.NewStream(ctx, &grpc.StreamDesc{StreamName: string(rpc), ClientStreams: true}, m.path, options(rpc)...)
	if err != nil {
		return nil, c.explain(ctx, rpc, err)
	}
	for chunk := range chunks {
		if err = stream.SendMsg(encode(m, chunk)); err != nil {
			break
		}
	}
	if err == nil {
		err = ctx.Err() // closing the stream would mark it as complete
	}
	if err == nil {
		err = stream.CloseSend()
	}
	message := m.message.New()
	if err == nil || errors.Is(err, io.EOF) {
		err = stream.RecvMsg(message.Interface())
	}
	if err != nil {
		return nil, c.explain(ctx, rpc, err)
	}
	return decode[Answer](m, message)
}

// Conn is a connection to a provider.
type Conn struct {
	// GRPC carries the calls.
	GRPC grpc.ClientConnInterface
	// Lost returns why the connection to the provider broke, or "" if that is
	// not known. It may wait for the reason until ctx is done. The function may be nil.
	Lost func(ctx context.Context) string
}

// maxSchema is the maximum size of a response to the RPCs in schemaRPCs, as in Terraform and
// OpenTofu. Other responses may be up to 2 GiB in size.
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
