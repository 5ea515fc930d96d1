package remote

import "context"

type urgentKey struct{}

// Urgent returns a context with which a [Starter] starts a program before other waiting
// ones, because it kills other programs.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// IsUrgent reports whether ctx was made by [Urgent].
func IsUrgent(ctx context.Context) bool { return ctx.Value(urgentKey{}) != nil }
