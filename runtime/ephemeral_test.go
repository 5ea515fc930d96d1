package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Token is an ephemeral resource that is renewed and closed.
type Token struct {
	Role string
	Tier string

	office *office
}

type TokenOutput struct {
	Role   string
	Tier   string
	Secret string `tf:",sensitive"`
	Extra  any
}

// TokenSession has a value that JSON cannot always encode.
type TokenSession struct {
	Number int
	Score  float64
	Secret string
}

func (k *Token) Defaults() { k.Tier = "low" }

func (k *Token) ValidateInputs(context.Context, runtime.NoConfig) error {
	if k.Role == "refused" {
		return diag.AttributeErrorf("role", "no such role")
	}
	return nil
}

// office issues tokens; the functions replace its usual behaviour.
type office struct {
	open  func(ctx context.Context, k *Token) (*TokenOutput, runtime.Lease[TokenSession], error)
	renew func(ctx context.Context, s TokenSession) (runtime.Lease[TokenSession], error)
	close func(ctx context.Context, s TokenSession) error

	mu     sync.Mutex
	issued int
	closed []TokenSession
}

func (o *office) issue(k *Token) (*TokenOutput, runtime.Lease[TokenSession]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.issued++
	return &TokenOutput{Role: k.Role, Tier: k.Tier, Secret: "hush"},
		runtime.Lease[TokenSession]{Session: TokenSession{Number: o.issued, Secret: "hush"}, RenewAt: time.Now().Add(time.Hour)}
}

func (k *Token) Open(ctx context.Context, _ runtime.NoConfig) (*TokenOutput, runtime.Lease[TokenSession], error) {
	if k.office.open != nil {
		return k.office.open(ctx, k)
	}
	out, lease := k.office.issue(k)
	return out, lease, nil
}

func (k *Token) Renew(ctx context.Context, _ runtime.NoConfig, s TokenSession) (runtime.Lease[TokenSession], error) {
	if k.Role != "" || k.Tier != "" {
		return runtime.Lease[TokenSession]{}, errors.New("Renew got a configuration")
	}
	if k.office.renew != nil {
		return k.office.renew(ctx, s)
	}
	s.Number += 100
	return runtime.Lease[TokenSession]{Session: s, RenewAt: time.Now().Add(time.Hour)}, nil
}

func (k *Token) Close(ctx context.Context, _ runtime.NoConfig, s TokenSession) error {
	k.office.mu.Lock()
	k.office.closed = append(k.office.closed, s)
	k.office.mu.Unlock()
	if k.office.close != nil {
		return k.office.close(ctx, s)
	}
	return ctx.Err()
}

// numbers returns the numbers in the sessions that Close got.
func (o *office) numbers() []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []int
	for _, s := range o.closed {
		out = append(out, s.Number)
	}
	return out
}

func (o *office) provider(t *testing.T) provider.Interface {
	t.Helper()
	return guard.Wrap(newProvider(t, runtime.Definition{Name: "test", EphemeralResources: map[string]runtime.EphemeralRegistration{
		"token": runtime.MakeEphemeralWith[Token, *TokenOutput, TokenSession, runtime.NoConfig](func() *Token { return &Token{office: o} }),
	}}))
}

// tokens acts as a client for ephemeral resources of the type test_token.
type tokens struct {
	t *testing.T
	p provider.Interface
}

func (k tokens) config(role cty.Value) cty.Value {
	k.t.Helper()
	return configOf(k.t, k.p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes["test_token"], attrs{"role": role})
}

func (k tokens) open(ctx context.Context, role cty.Value) provider.OpenEphemeralResourceResponse {
	k.t.Helper()
	return k.p.OpenEphemeralResource(ctx, provider.OpenEphemeralResourceRequest{TypeName: "test_token", Config: k.config(role)})
}

func (k tokens) renew(private []byte) provider.RenewEphemeralResourceResponse {
	return k.p.RenewEphemeralResource(k.t.Context(), provider.RenewEphemeralResourceRequest{TypeName: "test_token", Private: private})
}

func (k tokens) close(private []byte) diag.Diagnostics {
	return k.p.CloseEphemeralResource(k.t.Context(), provider.CloseEphemeralResourceRequest{TypeName: "test_token", Private: private}).Diagnostics
}

func mustNot(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if len(diags) > 0 {
		t.Fatal(diags)
	}
}

// TestCloseGetsTheNewestSession checks that Close gets the session of the last Renew.
// Clients differ in the private data with which they close a renewed object.
func TestCloseGetsTheNewestSession(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]func(open, renewed []byte) []byte{
		"private data of Open":           func(open, _ []byte) []byte { return open },
		"private data of the last Renew": func(_, renewed []byte) []byte { return renewed },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{}
			k := tokens{t, o.provider(t)}
			opened := k.open(t.Context(), str("reader"))
			mustNot(t, opened.Diagnostics)
			want := cty.ObjectVal(attrs{"role": str("reader"), "tier": str("low"), "secret": str("hush"), "extra": cty.NullVal(cty.DynamicPseudoType)})
			if !opened.Result.RawEquals(want) {
				t.Errorf("opened %s, want %s", show(t, opened.Result), show(t, want))
			}
			if left := time.Until(opened.RenewAt); left < 59*time.Minute || left > time.Hour {
				t.Errorf("the renewal is due in %s, want 59m to 1h", left)
			}
			other := k.open(t.Context(), str("writer")) // its session is separate from that of the first object

			private := opened.Private
			for range 2 {
				resp := k.renew(private)
				mustNot(t, resp.Diagnostics)
				if resp.RenewAt.IsZero() {
					t.Error("Renew returns no time of the next renewal")
				}
				private = resp.Private
			}
			mustNot(t, k.close(sent(opened.Private, private)))
			mustNot(t, k.close(other.Private))
			if diff := cmp.Diff([]int{201, 2}, o.numbers()); diff != "" {
				t.Errorf("closed sessions (-want +got):\n%s", diff)
			}
			// The session of a closed object is dropped: Close gets the session that the client
			// sends.
			mustNot(t, k.close(opened.Private))
			if got := o.numbers(); got[2] != 1 {
				t.Errorf("the session of a closed object is kept: closed %v, want the third to be 1", got)
			}
		})
	}
}

// TestSessionsOutliveTheProcess checks that an object can be renewed and closed by
// other processes.
func TestSessionsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	o := &office{}
	first := tokens{t, o.provider(t)}
	opened := first.open(t.Context(), str("reader"))
	second := tokens{t, o.provider(t)}
	resp := second.renew(opened.Private)
	mustNot(t, resp.Diagnostics)
	mustNot(t, tokens{t, o.provider(t)}.close(resp.Private))
	if diff := cmp.Diff([]int{101}, o.numbers()); diff != "" {
		t.Errorf("closed sessions (-want +got):\n%s", diff)
	}
}

func TestRenewKeepsTheSession(t *testing.T) {
	t.Parallel()
	type lease = runtime.Lease[TokenSession]
	soon := time.Now().Add(time.Hour)
	for name, tt := range map[string]struct {
		renew  func(context.Context, TokenSession) (lease, error)
		want   string // in the error; empty for none
		closed int    // number of the session that Close must get
		again  bool   // another renewal is requested
	}{
		"the same session":          {func(context.Context, TokenSession) (lease, error) { return lease{RenewAt: soon}, nil }, "", 1, true},
		"no more renewals":          {func(context.Context, TokenSession) (lease, error) { return lease{}, nil }, "", 1, false},
		"an error":                  {func(context.Context, TokenSession) (lease, error) { return lease{}, errors.New("no answer") }, "no answer", 1, false},
		"error with a renewal time": {func(context.Context, TokenSession) (lease, error) { return lease{RenewAt: soon}, errors.New("busy") }, "busy", 1, true},
		"session and error": {func(context.Context, TokenSession) (lease, error) {
			return lease{Session: TokenSession{Number: 9}}, errors.New("half")
		}, "half", 9, false},
		"gone":    {func(context.Context, TokenSession) (lease, error) { return lease{}, runtime.ErrNotFound }, "not found", 1, false},
		"a panic": {func(context.Context, TokenSession) (lease, error) { panic("hush") }, "Renew of test_token panicked", 1, false},
		"a session that JSON cannot encode": {func(context.Context, TokenSession) (lease, error) {
			return lease{Session: TokenSession{Score: math.NaN()}}, nil
		}, "cannot be encoded as JSON", 1, false},
		"renewal time long past": {func(context.Context, TokenSession) (lease, error) { return lease{RenewAt: time.Unix(0, 0)}, nil }, "long past", 1, false},
		"renewal time just past": {func(context.Context, TokenSession) (lease, error) { return lease{RenewAt: time.Now()}, nil }, "", 1, true},
		"only a warning": {func(_ context.Context, s TokenSession) (lease, error) {
			s.Number = 5
			return lease{Session: s}, diag.AsWarning(errors.New("old"))
		}, "", 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{renew: tt.renew}
			k := tokens{t, o.provider(t)}
			opened := k.open(t.Context(), str("reader"))
			resp := k.renew(opened.Private)
			err := resp.Diagnostics.Err()
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			case strings.Contains(fmt.Sprint(err), "hush"):
				t.Errorf("the error repeats a value: %v", err)
			}
			if again := !resp.RenewAt.IsZero(); again != tt.again || again && time.Until(resp.RenewAt) < time.Second {
				t.Errorf("the next renewal is due at %v, want a renewal after at least a second: %t", resp.RenewAt, tt.again)
			}
			o.renew = nil
			mustNot(t, k.close(resp.Private))
			mustNot(t, tokens{t, o.provider(t)}.close(resp.Private))
			if diff := cmp.Diff([]int{tt.closed, tt.closed}, o.numbers()); diff != "" {
				t.Errorf("closed sessions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailedOpenClosesTheObject checks that the provider closes the object if Open returns an object or
// a session, but the RPC fails. Clients close only objects that were opened without an error.
func TestFailedOpenClosesTheObject(t *testing.T) {
	t.Parallel()
	type lease = runtime.Lease[TokenSession]
	change := func(f func(*TokenOutput, *lease) error) func(*office, *Token) (*TokenOutput, lease, error) {
		return func(o *office, k *Token) (*TokenOutput, lease, error) {
			out, l := o.issue(k)
			err := f(out, &l)
			return out, l, err
		}
	}
	for name, tt := range map[string]struct {
		open   func(*office, *Token) (*TokenOutput, lease, error)
		close  error
		closed bool
		want   []string
	}{
		"only an error":          {func(*office, *Token) (*TokenOutput, lease, error) { return nil, lease{}, errors.New("no answer") }, nil, false, []string{"no answer"}},
		"an object and an error": {change(func(*TokenOutput, *lease) error { return errors.New("half") }), nil, true, []string{"half"}},
		"an error and an object without a session": {func(_ *office, k *Token) (*TokenOutput, lease, error) {
			return &TokenOutput{Role: k.Role, Tier: k.Tier}, lease{}, errors.New("half")
		}, nil, true, []string{"half"}},
		"a session and an error": {func(*office, *Token) (*TokenOutput, lease, error) {
			return nil, lease{Session: TokenSession{Number: 1}}, errors.New("half")
		}, nil, true, []string{"half"}},
		"only a session": {func(*office, *Token) (*TokenOutput, lease, error) {
			return nil, lease{Session: TokenSession{Number: 1}}, nil
		}, nil, true, []string{"neither an output nor an error"}},
		"no object and no error":            {func(*office, *Token) (*TokenOutput, lease, error) { return nil, lease{}, nil }, nil, false, []string{"neither an output nor an error"}},
		"absent":                            {func(*office, *Token) (*TokenOutput, lease, error) { return nil, lease{}, runtime.ErrNotFound }, nil, false, []string{"Cannot find test_token"}},
		"a panic":                           {func(*office, *Token) (*TokenOutput, lease, error) { panic("hush") }, nil, false, []string{"Open of test_token panicked"}},
		"another value":                     {change(func(o *TokenOutput, _ *lease) error { o.Role = "hush"; return nil }), nil, true, []string{"role", "a value other than the configured one"}},
		"an unknown value":                  {change(func(o *TokenOutput, _ *lease) error { o.Extra = cty.DynamicVal; return nil }), nil, true, []string{"extra", "unknown value"}},
		"a value that cannot be encoded":    {change(func(o *TokenOutput, _ *lease) error { o.Extra = func() {}; return nil }), nil, true, []string{"extra", "func()"}},
		"a session that JSON cannot encode": {change(func(_ *TokenOutput, l *lease) error { l.Session.Score = math.Inf(1); return nil }), nil, true, []string{"TokenSession", "cannot be encoded as JSON"}},
		"renewal time long past":            {change(func(_ *TokenOutput, l *lease) error { l.RenewAt = time.Unix(0, 0); return nil }), nil, true, []string{"long past", "never"}},
		"deferral not allowed":              {change(func(*TokenOutput, *lease) error { return runtime.Defer(provider.DeferredReasonAbsentPrereq) }), nil, true, []string{"does not allow"}},
		"closing fails too":                 {change(func(*TokenOutput, *lease) error { return errors.New("half") }), errors.New("stuck"), true, []string{"half", "Cannot close test_token after the failed open: stuck"}},
		"object gone when closed":           {change(func(*TokenOutput, *lease) error { return errors.New("half") }), runtime.ErrNotFound, true, []string{"half"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{close: func(ctx context.Context, _ TokenSession) error { return errors.Join(ctx.Err(), tt.close) }}
			o.open = func(_ context.Context, k *Token) (*TokenOutput, lease, error) { return tt.open(o, k) }
			k := tokens{t, o.provider(t)}
			resp := k.open(t.Context(), str("reader"))
			err := fmt.Sprint(resp.Diagnostics.Err())
			for _, word := range tt.want {
				if !strings.Contains(err, word) {
					t.Errorf("the error does not contain %q: %s", word, err)
				}
			}
			if strings.Contains(err, "hush") {
				t.Errorf("the error repeats a value: %s", err)
			}
			if want := len(tt.want); strings.Count(err, "\n")+1 > want {
				t.Errorf("got more than %d errors: %s", want, err)
			}
			if len(resp.Private) > 0 || !resp.RenewAt.IsZero() || resp.Deferred != nil {
				t.Errorf("the failed response has private data %q, renewal at %s and deferral %v, want none", resp.Private, resp.RenewAt, resp.Deferred)
			}
			if closed := len(o.numbers()) == 1; closed != tt.closed {
				t.Errorf("closed: %v, want one session: %t", o.numbers(), tt.closed)
			}
		})
	}
}

// TestFailedOpenLocks checks that a Close that ends a failed Open can take locks.
func TestFailedOpenLocks(t *testing.T) {
	t.Parallel()
	o := &office{}
	k := tokens{t, o.provider(t)}
	var refused error // of another operation, while Close holds the lock
	o.open = func(ctx context.Context, token *Token) (*TokenOutput, runtime.Lease[TokenSession], error) {
		out, lease := o.issue(token)
		if token.Role == "other" {
			ctx, cancel := context.WithCancel(ctx)
			cancel() // so that Lock does not wait
			_, refused = runtime.Lock(ctx, "desk")
			return out, lease, nil
		}
		return out, lease, errors.New("half")
	}
	o.close = func(ctx context.Context, _ TokenSession) error {
		unlock, err := runtime.Lock(ctx, "desk")
		if err != nil {
			return err
		}
		defer unlock()
		return k.open(t.Context(), str("other")).Diagnostics.Err()
	}
	resp := k.open(t.Context(), str("reader"))
	if err := fmt.Sprint(resp.Diagnostics.Err()); !strings.Contains(err, "half") || strings.Contains(err, "Cannot close") {
		t.Errorf("got the error %s, want \"half\" and no error of Close", err)
	}
	if refused == nil {
		t.Error("another operation got the lock that Close held")
	}
}

// TestCanceledOpenClosesTheObject checks that the provider closes the object of a canceled
// request, because the client does not receive the response.
func TestCanceledOpenClosesTheObject(t *testing.T) {
	t.Parallel()
	o := &office{}
	ctx, cancel := context.WithCancel(t.Context())
	o.open = func(_ context.Context, k *Token) (*TokenOutput, runtime.Lease[TokenSession], error) {
		cancel()
		out, l := o.issue(k)
		return out, l, nil
	}
	resp := tokens{t, o.provider(t)}.open(ctx, str("reader"))
	if err := resp.Diagnostics.Err(); err == nil || !strings.Contains(err.Error(), "canceled") || strings.Contains(err.Error(), "close") {
		t.Errorf("open: got %v, want an error about the canceled request, and no error of Close", err)
	}
	if got := o.numbers(); len(got) != 1 {
		t.Errorf("closed: %v, want the opened object", got)
	}
}

func TestOpenChecksItsInputs(t *testing.T) {
	t.Parallel()
	k := tokens{t, (&office{}).provider(t)}
	role := cty.GetAttrPath("role")
	for name, tt := range map[string]struct {
		role     cty.Value
		validate bool // already rejected by validation
		want     string
	}{
		"missing": {cty.NullVal(cty.String), true, "required"},
		"refused": {str("refused"), false, "no such role"},
		"unknown": {cty.UnknownVal(cty.String), false, "not known yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := k.p.ValidateEphemeralResourceConfig(t.Context(), provider.ValidateEphemeralResourceConfigRequest{
				TypeName: "test_token", Config: k.config(tt.role),
			}).Diagnostics
			if diags.HasErrors() != tt.validate {
				t.Errorf("validation returned %v, want errors: %t", diags, tt.validate)
			}
			diags = k.open(t.Context(), tt.role).Diagnostics
			if len(diags) != 1 || !strings.Contains(diags[0].Error(), tt.want) || !diags[0].Path.Equals(role) {
				t.Errorf("got %v, want %q at role", diags, tt.want)
			}
		})
	}
}

func TestEphemeralPrivateData(t *testing.T) {
	t.Parallel()
	o := &office{}
	k := tokens{t, o.provider(t)}
	for name, private := range map[string]string{
		"none":                    "",
		"no JSON":                 "hush",
		"another version":         `{"version":2,"id":"hush","session":{}}`,
		"no id":                   `{"version":1,"session":{}}`,
		"session of another type": `{"version":1,"id":"x","session":{"Number":"hush"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := k.renew([]byte(private))
			if string(resp.Private) != private {
				t.Errorf("the private data changed to %q, want %q", resp.Private, private)
			}
			for method, diags := range map[string]diag.Diagnostics{"renew": resp.Diagnostics, "close": k.close([]byte(private))} {
				if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "private data") || strings.Contains(err.Error(), "hush") {
					t.Errorf("%s: got %v, want an error about the private data that does not repeat the data", method, err)
				}
			}
		})
	}
	t.Cleanup(func() {
		if got := o.numbers(); len(got) > 0 {
			t.Errorf("closed: %v, want none", got)
		}
	})
}
