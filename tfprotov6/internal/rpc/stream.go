package rpc

import (
	"context"
	"errors"
	"io"
	"iter"
	"reflect"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// events returns a stream that can be read once. The request is sent when
// reading starts, and cancelled when it stops. An error becomes the last
// element, made by failed.
func events[Event, Request any](ctx context.Context, c *caller, rpc protoreflect.Name, req *Request, failed func(error) Event) iter.Seq[Event] {
	var read atomic.Bool
	return func(yield func(Event) bool) {
		if read.Swap(true) {
			yield(failed(errNotOpen))
			return
		}
		m, err := c.service.of(rpc, reflect.TypeFor[Request](), reflect.TypeFor[Event]())
		if err != nil {
			yield(failed(err))
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
				yield(failed(err))
				return
			}
			if !yield(*event) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(failed(c.explain(ctx, rpc, err)))
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
