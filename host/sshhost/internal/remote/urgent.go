package remote

import "context"

type urgentKey struct{}

// Urgent returns a context in which a [Starter] does not make a program wait for others
// to end: it is started to end them.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// IsUrgent reports whether a context was made by [Urgent].
func IsUrgent(ctx context.Context) bool { return ctx.Value(urgentKey{}) != nil }
