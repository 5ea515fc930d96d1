package guard

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/posixform/terraform-provider-posix/diag"
)

const (
	panicCall  ID = "PANIC-001"
	panicJudge ID = "PANIC-002"
)

func panicRules() []Rule {
	return []Rule{
		{
			ID: panicCall, Subject: SubjectAnswer, Title: "could not be given: the code panicked",
			Why:    "A panic would take down the process and with it every other operation that is under way.",
			Fix:    "Look for the stack in the log, and make the code return an error instead.",
			Source: "no engine recovers it; provider.Interface never panics",
		},
		{
			ID: panicJudge, Subject: SubjectAnswer, Title: "holds a value that cannot be judged",
			Why:    "A value whose own operations panic would break the engine in the same place.",
			Fix:    "Look for the stack in the log, and return plain values of the schema's types.",
			Source: "no engine recovers it; provider.Interface never panics",
		},
	}
}

// ask calls the provider. A panic gives messages and the zero response, which
// the caller completes with what is safe to answer.
func ask[Req, Resp any](
	ctx context.Context, g *guarded, rpc, typeName string,
	call func(context.Context, Req) Resp, req Req,
) (resp Resp, crash diag.Diagnostics) {
	defer func() {
		if cause := recover(); cause != nil {
			crash = g.panicked(ctx, panicCall, rpc, typeName)
		}
	}()
	return call(ctx, req), nil
}

// judging runs the rules for one answer: a value may be so broken that looking
// at it panics. Then it gives messages, and the caller answers what is safe.
func (g *guarded) judging(ctx context.Context, rpc, typeName string, judge func()) (crash diag.Diagnostics) {
	defer func() {
		if cause := recover(); cause != nil {
			crash = g.panicked(ctx, panicJudge, rpc, typeName)
		}
	}()
	judge()
	return nil
}

// panicked words a panic. Its value may hold anything and is not shown; the
// stack, which has no values, goes to the log.
func (g *guarded) panicked(ctx context.Context, id ID, rpc, typeName string) diag.Diagnostics {
	if g.log != nil {
		g.log.LogAttrs(ctx, slog.LevelError, "panic in a provider call",
			slog.String("rule", string(id)), slog.String("rpc", rpc), slog.String("type", typeName),
			slog.String("stack", string(debug.Stack())))
	}
	r := report{rpc: rpc, typeName: typeName}
	what := "%s panicked."
	if id == panicJudge {
		what = "%s was answered, and the rules for the answer panicked."
	}
	r.add(id, nil, what, rpc)
	return r.list
}
