package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// allowed is what this client can handle.
var allowed = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// world is what all cases of a provider have in common.
type world struct {
	Options
	schema provider.GetProviderSchemaResponse
	waive  map[string]string
	only   provider.Interface
	calls  atomic.Int64
	// usual is how long an apply takes.
	usual time.Duration
}

// run is one case while it is tried: an object, what is remembered of it, and
// the provider.
type run struct {
	*world
	s *subject
	p provider.Interface
	object
	// config is what the object was last applied with.
	config cty.Value
	// secrets are texts that no message may have.
	secrets []string
	// done are the operations that succeeded.
	done map[operation]bool
}

// object is what a client remembers of an object.
type object struct {
	state, identity cty.Value
	private         []byte
	tainted         bool
}

func (s *subject) nothing() object { return object{state: s.null(), identity: s.nullIdentity()} }

// ask makes a call and keeps the laws that concern every call.
func ask[Req, Resp any](ctx context.Context, r *run, rpc string, f func(context.Context, Req) Resp, req Req, messages func(Resp) diag.Diagnostics) (resp Resp, err error) {
	r.calls.Add(1)
	defer func() {
		if p := recover(); p != nil {
			err = r.breaks(lawPanic, rpc, "it panicked with a %T\n%s", p, panicked())
			if err == nil {
				err = &setback{planning, nil}
			}
		}
	}()
	resp = f(ctx, req)
	for _, m := range messages(resp) {
		for _, secret := range r.secrets {
			if strings.Contains(m.Summary, secret) || strings.Contains(m.Detail, secret) {
				return resp, r.breaks(lawSecret, rpc, "the message %q has the value of a sensitive attribute in it",
					strings.ReplaceAll(m.Summary+": "+m.Detail, secret, "(sensitive)"))
			}
		}
	}
	return resp, nil
}

// panicked is where a panic came from, innermost first. It has no values.
func panicked() string {
	pcs := make([]uintptr, 32)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(3, pcs)])
	var lines []string
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "conformance.ask[") || !more || len(lines) == 6 {
			return strings.Join(lines, "\n")
		}
		if !strings.HasPrefix(frame.Function, "runtime.") {
			lines = append(lines, fmt.Sprintf("at %s:%d in %s", filepath.Base(frame.File), frame.Line, frame.Function))
		}
	}
}

// open makes an instance of the provider and configures it.
func (w *world) open(ctx context.Context) (provider.Interface, error) {
	if w.only != nil {
		return w.only, nil
	}
	p, err := w.Provider(ctx)
	if err != nil {
		return nil, fmt.Errorf("conformance: the provider cannot be made: %w", err)
	}
	if w.schema.ResourceTypes == nil || !w.schema.ServerCapabilities.GetProviderSchemaOptional {
		w.schema = p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{})
		if err := w.schema.Diagnostics.Err(); err != nil {
			return nil, fmt.Errorf("conformance: the provider has no schema: %w", err)
		}
	}
	config := w.Config
	if config == cty.NilVal {
		config = w.schema.Provider.Body.EmptyValue()
	}
	said := p.ValidateProviderConfig(ctx, provider.ValidateProviderConfigRequest{Config: config}).Diagnostics
	if !said.HasErrors() {
		said = p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{
			TerraformVersion: "1.14.0", Config: config, ClientCapabilities: allowed,
		}).Diagnostics
	}
	if err := said.Err(); err != nil {
		return nil, fmt.Errorf("conformance: the provider's configuration is refused; set Options.Config: %w", err)
	}
	if w.OneInstance {
		w.only = p
	}
	return p, nil
}

// nextPhase makes a client's next run of what follows: another instance of the
// provider, and a state that was written and is read again.
func (r *run) nextPhase(ctx context.Context) error {
	if err := r.reopen(ctx); err != nil {
		return err
	}
	return r.reload(ctx)
}

func (r *run) reopen(ctx context.Context) error {
	if err := r.shut(); err != nil {
		return err
	}
	p, err := r.open(ctx)
	r.p = p
	return err
}

// shut closes the instance, unless it serves for everything.
func (r *run) shut() error {
	if r.p == nil || r.OneInstance {
		return nil
	}
	err := r.p.Close()
	r.p = nil
	if err != nil {
		return fmt.Errorf("conformance: the provider cannot be closed: %w", err)
	}
	return nil
}

func (r *run) meta() cty.Value {
	if r.schema.ProviderMeta.Body == nil {
		return cty.NilVal
	}
	return cty.NullVal(r.schema.ProviderMeta.Body.ImpliedType())
}
