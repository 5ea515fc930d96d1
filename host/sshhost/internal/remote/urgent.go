package remote

import "context"

type urgentKey struct{}

// Urgent is a context in which a [Starter] does not make a program wait for others
// to end: it is started to end them.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// IsUrgent says whether a context is one by [Urgent].
func IsUrgent(ctx context.Context) bool { return ctx.Value(urgentKey{}) != nil }
