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

// logged is a server that writes a line to the log when an operation begins and
// one when it ends: the type, the operation, how long it took, how many errors
// and warnings there were. No line has anything of a value, and none the words
// of an error, which may. [New] makes one only if logs are asked for, so that
// they cost nothing if they are not.
type logged struct{ *server }

// logsAsked reports whether the environment asks for logs. It has to be found
// out from there: the logger of a context does not tell whether anybody reads
// what it is given, and by default it takes everything.
func logsAsked(environ []string) bool {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value != "" && !strings.EqualFold(value, "off") && (strings.HasPrefix(name, "TF_LOG") || name == "TF_ACC_LOG") {
			return true
		}
	}
	return false
}

// logging is the server, with lines in the log where they are asked for.
func (s *server) logging() provider.Interface {
	if logsAsked(os.Environ()) {
		return logged{s}
	}
	return s
}

// begin writes the first line of an operation and returns what writes the last.
func begin(ctx context.Context, typeName, operation string) (end func(diag.Diagnostics)) {
	tflog.Debug(ctx, "operation begins", map[string]any{"type": typeName, "operation": operation})
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

// loggedStream is a stream that ends its operation: when it is over, or when its
// consumer has had enough.
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
