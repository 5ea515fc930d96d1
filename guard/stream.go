package guard

import (
	"context"
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// undeclared is a type that the provider's schema does not have. Of what is
// streamed about it only what needs no schema is judged.
func undeclared(name string) *resourceType {
	return &resourceType{name: name, state: shape{ty: cty.DynamicPseudoType}}
}

// follow hands what a provider streams to receive, until there is no more or
// receive says that it has enough; then the provider is not asked again. A panic
// of the provider gives messages, also one because it goes on after it was told
// to stop. A panic of who receives is its own.
func follow[Event any](
	ctx context.Context, g *guarded, rpc, typeName string, events iter.Seq[Event], receive func(Event) (more bool),
) (crash diag.Diagnostics) {
	receiving := false
	defer func() {
		if receiving {
			return
		}
		if cause := recover(); cause != nil {
			crash = g.panicked(ctx, panicCall, rpc, typeName)
		}
	}()
	for event := range events {
		receiving = true
		more := receive(event)
		receiving = false
		if !more {
			break
		}
	}
	return nil
}
