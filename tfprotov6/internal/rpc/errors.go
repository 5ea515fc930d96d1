package rpc

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// callError explains to users why an RPC failed. Its chain has the gRPC error
// and, if the context ended the RPC, the error of the context.
type callError struct {
	text   string
	causes []error
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() []error { return e.causes }

// explain returns the callError for err, the gRPC error of an RPC.
func (c *caller) explain(ctx context.Context, rpc protoreflect.Name, err error) error {
	s := status.Convert(err)
	e := &callError{text: s.Message(), causes: []error{err}}
	switch s.Code() {
	case codes.Unimplemented:
		e.text = fmt.Sprintf("the provider does not implement %s: it has an earlier version of the protocol or does not offer this RPC", rpc)
		if strings.Contains(s.Message(), "unknown service") {
			e.text = fmt.Sprintf("the provider does not support this protocol (%s)", s.Message())
		}
	case codes.ResourceExhausted:
		e.text = "the request or the response is too large: " + s.Message()
	case codes.Canceled, codes.DeadlineExceeded:
		switch reason := ended(ctx); {
		case reason != nil:
			e.text = "the request was canceled: " + reason.Error()
			e.causes = append(e.causes, reason)
		case strings.Contains(s.Message(), "closing"):
			e.text = "the connection to the provider was closed"
		}
	case codes.Unavailable:
		e.text = "no connection to the provider: " + s.Message()
		if c.conn.Lost == nil {
			break
		}
		if text := c.conn.Lost(ctx); text != "" {
			e.text = text
		}
	}
	return e
}

// Lost reports whether an RPC failed because there is no connection to the provider,
// such as after the end of its process.
func Lost(err error) bool { return status.Code(err) == codes.Unavailable }

// Unimplemented reports whether an RPC failed because the server does not implement it.
func Unimplemented(err error) bool { return status.Code(err) == codes.Unimplemented }

// ended returns the error of a context that is done, or nil. It waits for a deadline that is
// about to pass: the provider has the same deadline and may detect earlier that it has passed.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 100*time.Millisecond {
		<-ctx.Done()
	}
	return ctx.Err()
}

// failureKey is the key of the error of [WithFailure] in a context.
type failureKey struct{}

// WithFailure returns a context for requests whose response is a stream. If the stream fails,
// *failure is set to the reason before the last element is yielded.
func WithFailure(ctx context.Context, failure *error) context.Context {
	return context.WithValue(ctx, failureKey{}, failure)
}

// The constant and the functions below are for the last element of a stream that failed.

const failedSummary = "The provider did not answer"

func failedDetail(rpc string, err error) string { return rpc + " failed: " + err.Error() }

func failed6(rpc string, err error) []*tfplugin.Diagnostic {
	return []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityError, Summary: failedSummary, Detail: failedDetail(rpc, err)}}
}

func failedResult(err error) tfplugin.ListResourceResult {
	return tfplugin.ListResourceResult{Diagnostics: failed6("ListResource", err)}
}

func failedEvent(err error) tfplugin.InvokeActionEvent {
	return tfplugin.InvokeActionEvent{Type: tfplugin.CompletedInvokeActionEventType{Diagnostics: failed6("InvokeAction", err)}}
}

func failedChunk(err error) tfplugin.ReadStateByteChunk {
	return tfplugin.ReadStateByteChunk{Diagnostics: failed6("ReadStateBytes", err)}
}

func failed5(rpc string, err error) []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: failedSummary, Detail: failedDetail(rpc, err)}}
}

func failedResult5(err error) tfprotov5.ListResourceResult {
	return tfprotov5.ListResourceResult{Diagnostics: failed5("ListResource", err)}
}

func failedEvent5(err error) tfprotov5.InvokeActionEvent {
	return tfprotov5.InvokeActionEvent{Type: tfprotov5.CompletedInvokeActionEventType{Diagnostics: failed5("InvokeAction", err)}}
}
