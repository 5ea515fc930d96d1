package engine

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
)

// call asks a provider and tells Observe. A provider that panics has answered with an
// error, as core sees it when a provider's process ends.
func call[Q, S any](ctx context.Context, e *Engine, rpc, object string, f func(context.Context, Q) S, req Q) (resp S) {
	begin := time.Now()
	defer func() {
		if cause := recover(); cause != nil {
			var none S
			resp = none
			crashed(&resp, panicked(rpc, cause))
		}
		if e.options.Observe != nil {
			e.options.Observe(Call{RPC: rpc, Object: object, Begin: begin, Took: time.Since(begin)})
		}
	}()
	return f(ctx, req)
}

// crashed puts the error into a response: each has Diagnostics, but that of functions,
// which has Err.
func crashed(resp any, err error) {
	v := reflect.ValueOf(resp).Elem()
	if field := v.FieldByName("Diagnostics"); field.IsValid() {
		field.Set(reflect.ValueOf(diag.Diagnostics{}.Errorf(nil, "Plugin did not respond", "%s", err)))
		return
	}
	v.FieldByName("Err").Set(reflect.ValueOf(err))
}

func panicked(where string, cause any) error {
	return fmt.Errorf("the provider panicked in %s: %v\n\n%s", where, cause, debug.Stack())
}

// caught runs what a provider does outside of calls; a panic is an error.
func caught(where string, f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(where, cause)
		}
	}()
	return f()
}
