package rpc

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// callError says in words for people why there is no answer. What gRPC said,
// and the context's error where that was the reason, are in its chain.
type callError struct {
	text   string
	causes []error
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() []error { return e.causes }

// explain says why a call has no answer.
func (c *caller) explain(ctx context.Context, rpc protoreflect.Name, err error) error {
	s := status.Convert(err)
	e := &callError{text: s.Message(), causes: []error{err}}
	switch s.Code() {
	case codes.Unimplemented:
		e.text = fmt.Sprintf("the provider does not know %s: it is of an earlier version of the protocol, or does not offer this", rpc)
		if strings.Contains(s.Message(), "unknown service") {
			e.text = fmt.Sprintf("the provider does not speak this protocol (%s)", s.Message())
		}
	case codes.ResourceExhausted:
		e.text = "the request or the answer is too large: " + s.Message()
	case codes.Canceled, codes.DeadlineExceeded:
		switch reason := over(ctx); {
		case reason != nil:
			e.text = "the caller did not wait for the answer: " + reason.Error()
			e.causes = append(e.causes, reason)
		case strings.Contains(s.Message(), "closing"):
			e.text = "the connection to the provider was closed"
		}
	case codes.Unavailable:
		e.text = "there is no connection to the provider: " + s.Message()
		if c.conn.Lost == nil {
			break
		}
		if text := c.conn.Lost(ctx); text != "" {
			e.text = text
		}
	}
	return e
}

// over is the error of a context that has ended, or is about to: the provider
// has the same deadline, and may be the first to see that it has passed.
func over(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 100*time.Millisecond {
		<-ctx.Done()
	}
	return ctx.Err()
}
