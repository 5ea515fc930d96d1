package runtime

import (
	"context"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// logged is a server that logs the start and the end of each operation: type,
// operation, duration, and the numbers of errors and warnings. It logs no values,
// and no error texts, which may have values. [New] uses it only if logs are
// requested, so that they cost nothing otherwise.
type logged struct{ *server }

// logsAsked reports whether the environment requests logs. The logger of a context
// cannot tell: by default it accepts everything.
func logsAsked(environ []string) bool {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value != "" && !strings.EqualFold(value, "off") && (strings.HasPrefix(name, "TF_LOG") || name == "TF_ACC_LOG") {
			return true
		}
	}
	return false
}

// logging returns the server, with logs if they are requested.
func (s *server) logging() provider.Interface {
	if logsAsked(os.Environ()) {
		return logged{s}
	}
	return s
}

// begin logs the start of an operation and returns a function that logs its end.
func begin(ctx context.Context, typeName, operation string) (end func(diag.Diagnostics)) {
	tflog.Debug(ctx, "operation started", map[string]any{"type": typeName, "operation": operation})
	start := time.Now()
	return func(diags diag.Diagnostics) {
		outcome, errs := "ok", countErrors(diags)
		if errs > 0 {
			outcome = "error"
		}
		tflog.Debug(ctx, "operation ends", map[string]any{
			"type": typeName, "operation": operation, "outcome": outcome,
			"errors": errs, "warnings": len(diags) - errs,
			"duration": time.Since(start).Round(time.Microsecond).String(),
		})
	}
}

func countErrors(diags diag.Diagnostics) (n int) {
	for i := range diags {
		if diags[i].Severity == diag.Error {
			n++
		}
	}
	return n
}

// loggedStream returns a stream that ends its operation when it ends or its consumer
// stops.
func loggedStream[T any](stream iter.Seq[T], diags diag.Diagnostics, of func(T) diag.Diagnostics, end func(diag.Diagnostics)) iter.Seq[T] {
	if stream == nil {
		end(diags)
		return nil
	}
	return func(yield func(T) bool) {
		all := slices.Clip(diags)
		defer func() { end(all) }()
		for it := range stream {
			all = append(all, of(it)...)
			if !yield(it) {
				return
			}
		}
	}
}
