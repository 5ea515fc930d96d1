package runtime_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestCloseWaitsForRenew checks that Close waits a limited time for a Renew in
// progress. A client that no longer waits for a renewal closes the object with the session
// that the client has.
func TestCloseWaitsForRenew(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		renewal, closing time.Duration // duration of the methods
		want             int
	}{
		"until Renew ends, and gets its session": {3 * time.Second, 3 * time.Second, 101},
		"at most five seconds":                   {time.Hour, 5 * time.Second, 1},
		"not after Renew has ended":              {0, 0, 101},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := &office{}
				o.renew = func(_ context.Context, s TokenSession) (runtime.Lease[TokenSession], error) {
					time.Sleep(tt.renewal)
					s.Number += 100
					return runtime.Lease[TokenSession]{Session: s}, nil
				}
				k := tokens{t, o.provider(t)}
				opened := k.open(t.Context(), str("reader"))
				var renewed provider.RenewEphemeralResourceResponse
				var done sync.WaitGroup
				done.Go(func() { renewed = k.renew(opened.Private) })
				synctest.Wait()
				began := time.Now()
				mustNot(t, k.close(opened.Private))
				if took := time.Since(began); took != tt.closing {
					t.Errorf("closing took %s, want %s", took, tt.closing)
				}
				if got := o.numbers(); len(got) != 1 || got[0] != tt.want {
					t.Errorf("closed %v, want %d", got, tt.want)
				}
				done.Wait()
				mustNot(t, renewed.Diagnostics)
				// No session is kept for a closed object, even after a late renewal.
				mustNot(t, k.close(opened.Private))
				if got := o.numbers(); got[1] != 1 {
					t.Errorf("the session of a closed object is kept: closed %v, want the second to be 1", got)
				}
			})
		})
	}
}

// TestCloseAgain checks that a failed Close can be called again, and that the second call gets
// the session of the last Renew.
func TestCloseAgain(t *testing.T) {
	t.Parallel()
	o := &office{close: func(context.Context, TokenSession) error { return errors.New("stuck") }}
	k := tokens{t, o.provider(t)}
	opened := k.open(t.Context(), str("reader"))
	mustNot(t, k.renew(opened.Private).Diagnostics)
	for range 2 {
		if err := k.close(opened.Private).Err(); err == nil || !strings.Contains(err.Error(), "Cannot close test_token: stuck") {
			t.Errorf("close: got %v, want an error with \"Cannot close test_token: stuck\"", err)
		}
	}
	if got := o.numbers(); len(got) != 2 || got[1] != 101 {
		t.Errorf("closed %v, want two sessions, the second with the number 101", got)
	}
}

// TestStopLeavesSessionsToClose checks that Stop cancels Open and Renew, but not Close, and that
// open objects can still be closed.
func TestStopLeavesSessionsToClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{}
		k := tokens{t, o.provider(t)}
		opened, another := k.open(t.Context(), str("reader")), k.open(t.Context(), str("reader"))
		wait := func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(4 * time.Second):
				return nil
			}
		}
		o.open = func(ctx context.Context, _ *Token) (*TokenOutput, runtime.Lease[TokenSession], error) {
			return nil, runtime.Lease[TokenSession]{}, wait(ctx)
		}
		o.renew = func(ctx context.Context, _ TokenSession) (runtime.Lease[TokenSession], error) {
			return runtime.Lease[TokenSession]{}, wait(ctx)
		}
		o.close = func(ctx context.Context, _ TokenSession) error { return wait(ctx) }
		var open, renew, closing error
		var done sync.WaitGroup
		done.Go(func() { open = k.open(t.Context(), str("writer")).Diagnostics.Err() })
		done.Go(func() { renew = k.renew(opened.Private).Diagnostics.Err() })
		done.Go(func() { closing = k.close(another.Private).Err() })
		synctest.Wait()
		if err := k.p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		done.Wait()
		for method, err := range map[string]error{"Open": open, "Renew": renew} {
			if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
				t.Errorf("%s was not canceled: %v", method, err)
			}
		}
		if closing != nil {
			t.Errorf("closing was canceled: %v", closing)
		}
		mustNot(t, k.close(opened.Private))
	})
}

// TestOpenedWhileStopped checks that the client still gets the object if Open succeeds
// in spite of Stop.
func TestOpenedWhileStopped(t *testing.T) {
	t.Parallel()
	o := &office{}
	k := tokens{t, o.provider(t)}
	o.open = func(ctx context.Context, b *Token) (*TokenOutput, runtime.Lease[TokenSession], error) {
		if err := k.p.Stop(context.WithoutCancel(ctx)); err != nil || ctx.Err() == nil {
			t.Errorf("Stop: %v, context: %v, want nil and canceled", err, ctx.Err())
		}
		out, l := o.issue(b)
		return out, l, nil
	}
	opened := k.open(t.Context(), str("reader"))
	mustNot(t, opened.Diagnostics)
	mustNot(t, k.close(opened.Private))
}

func TestManySessions(t *testing.T) {
	t.Parallel()
	o := &office{}
	k := tokens{t, o.provider(t)}
	var done sync.WaitGroup
	for range 50 {
		done.Go(func() {
			opened := k.open(t.Context(), str("reader"))
			for range 3 {
				if err := k.renew(opened.Private).Diagnostics.Err(); err != nil {
					t.Error(err)
				}
			}
			if err := k.close(opened.Private).Err(); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	seen := make(map[int]bool)
	for _, n := range o.numbers() {
		if seen[n%100] || n < 301 {
			t.Errorf("token %d was closed with session %d, want one close after 3 renewals", n%100, n)
		}
		seen[n%100] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d tokens are closed, want 50", len(seen))
	}
}

// Plain is an ephemeral resource that needs the provider's configuration and has no session.
type Plain struct {
	Name string
	Late bool `tf:",optional"`
}

type PlainOutput struct{ Greeting string }

type plainConfig struct{ greeting string }

func (p *Plain) Open(_ context.Context, cfg plainConfig) (*PlainOutput, runtime.Lease[runtime.NoSession], error) {
	var l runtime.Lease[runtime.NoSession]
	if p.Late {
		l.RenewAt = time.Now().Add(time.Hour)
	}
	return &PlainOutput{Greeting: cfg.greeting + ", " + p.Name}, l, nil
}

func TestEphemeralWithoutSession(t *testing.T) {
	t.Parallel()
	type block struct{ Greeting string }
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name: "test",
		Config: runtime.MakeConfig(func(_ context.Context, b *block) (plainConfig, error) {
			return plainConfig{b.Greeting}, nil
		}),
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"plain": runtime.MakeEphemeral[Plain, *PlainOutput, runtime.NoSession, plainConfig](),
		},
	}))
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes["test_plain"]
	open := func(set attrs, allowed bool) provider.OpenEphemeralResourceResponse {
		return p.OpenEphemeralResource(t.Context(), provider.OpenEphemeralResourceRequest{
			TypeName: "test_plain", Config: configOf(t, schema, set), ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: allowed},
		})
	}
	configure := func(v cty.Value) {
		mustNot(t, p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.ObjectVal(attrs{"greeting": v})}).Diagnostics)
	}

	configure(cty.UnknownVal(cty.String))
	if err := open(attrs{"name": str("you")}, false).Diagnostics.Err(); err == nil || !strings.Contains(err.Error(), "Unknown provider configuration") {
		t.Errorf("open: got %v, want an error about the unknown provider configuration", err)
	}
	resp := open(attrs{"name": str("you")}, true)
	mustNot(t, resp.Diagnostics)
	if resp.Deferred == nil || resp.Deferred.Reason != provider.DeferredReasonProviderConfigUnknown || resp.Result.GetAttr("greeting").IsKnown() {
		t.Errorf("deferred %v with %#v, want a deferral and an unknown greeting", resp.Deferred, resp.Result)
	}

	configure(str("hello"))
	resp = open(attrs{"name": str("you")}, false)
	mustNot(t, resp.Diagnostics)
	if got := resp.Result.GetAttr("greeting"); !got.RawEquals(str("hello, you")) || !resp.RenewAt.IsZero() {
		t.Errorf("the greeting is %#v and the time of the renewal is %s, want \"hello, you\" and no renewal", got, resp.RenewAt)
	}
	mustNot(t, p.CloseEphemeralResource(t.Context(), provider.CloseEphemeralResourceRequest{TypeName: "test_plain", Private: resp.Private}).Diagnostics)
	for name, err := range map[string]error{
		"does not support renewal": p.RenewEphemeralResource(t.Context(), provider.RenewEphemeralResourceRequest{TypeName: "test_plain", Private: resp.Private}).Diagnostics.Err(),
		"no method Renew":          open(attrs{"name": str("you"), "late": cty.True}, false).Diagnostics.Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}
