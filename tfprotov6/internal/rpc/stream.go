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

// events asks for a stream when it is read, which can be done once: nothing is
// open, and nothing has been asked of the provider, before. What goes wrong is
// the last element, which failed makes. Who stops reading ends the call.
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

// send streams chunks and waits for the answer. A provider that has heard
// enough ends the stream before the last chunk; its answer says why.
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
		err = ctx.Err() // to close what is not complete would say that it is
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
