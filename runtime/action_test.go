package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Ring is an action whose methods fail, warn, panic, wait or request deferral for some values of Tune.
type Ring struct {
	Times  int64
	Tune   *string
	Secret *string `tf:",writeonly"`
	Bells  []Bell  `tf:",block"`

	log *store
}

type Bell struct {
	Name string
	Loud *bool
}

func (r *Ring) Defaults() { r.Times = 1 }

func (*Ring) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("times", 1, 3)}
}

func (r *Ring) tune(tune string) bool { return r.Tune != nil && *r.Tune == tune }

func (r *Ring) ValidateInputs(context.Context, *client) error {
	r.log.note("ValidateInputs")
	if r.tune("refuse") {
		return diag.AttributeErrorf("tune", "nobody wants to hear it")
	}
	if r.tune("doubt") {
		return diag.AsWarning(errors.New("some may not like it"))
	}
	return nil
}

func (r *Ring) PlanAction(ctx context.Context, c *client) error {
	r.log.note("PlanAction at " + c.endpoint)
	switch {
	case r.tune("later"):
		return runtime.Defer(provider.DeferredReasonProviderConfigUnknown)
	case r.tune("prerequisite"):
		return runtime.Defer(provider.DeferredReasonAbsentPrereq)
	case r.tune("crash"):
		var empty map[string]*Bell
		_ = empty[""].Name
	}
	runtime.Warn(ctx, "", "Loud", "It will be loud.")
	return nil
}

func (r *Ring) Invoke(ctx context.Context, c *client, report func(string)) error {
	defer func() { r.log.note(fmt.Sprintf("Invoke ends, ctx done %t", ctx.Err() != nil)) }()
	if r.Secret != nil {
		r.log.note("secret " + *r.Secret)
	}
	for i := range r.Times {
		report(fmt.Sprintf("ring %d at %s", i+1, c.endpoint))
	}
	report("")
	switch {
	case r.tune("fail"):
		return diag.AttributeErrorf("tune", "the bell is broken")
	case r.tune("crash"):
		var empty map[string]*Bell
		_ = empty[""].Name
	case r.tune("warn"):
		runtime.Warn(ctx, "tune", "Flat", "It is a bit flat.")
		return diag.AsWarning(errors.New("the bell is old"))
	case r.tune("wait"):
		<-ctx.Done()
		report("stopping")
		return ctx.Err()
	}
	return nil
}

var _ runtime.ActionPlanner[*client] = (*Ring)(nil)

func (s *store) ringing(t *testing.T) provider.Interface {
	t.Helper()
	return guard.Wrap(newProvider(t, runtime.Definition{
		Name: "test",
		Config: runtime.MakeConfig(func(_ context.Context, b *block) (*client, error) {
			return &client{b.Endpoint}, nil
		}),
		Actions: map[string]runtime.ActionRegistration{
			"ring": runtime.MakeActionWith[Ring, *client](func() *Ring { return &Ring{log: s} }),
		},
	}))
}

func configureAt(t *testing.T, p provider.Interface, endpoint cty.Value) {
	t.Helper()
	diags := p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{
		Config: cty.ObjectVal(attrs{"endpoint": endpoint, "retries": cty.NullVal(cty.Number)}),
	}).Diagnostics
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

func ring(set attrs) cty.Value {
	all := attrs{
		"times": cty.NullVal(cty.Number), "tune": cty.NullVal(cty.String), "secret": cty.NullVal(cty.String),
		"bells": cty.ListValEmpty(cty.Object(map[string]cty.Type{"name": cty.String, "loud": cty.Bool})),
	}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

func tune(tune string) cty.Value { return ring(attrs{"tune": str(tune)}) }

// events invokes the action test_ring, and returns the diagnostics of the response and then the events, one per line,
// or the line "no action" in place of the events.
func events(t *testing.T, p provider.Interface, config cty.Value) (lines []string) {
	t.Helper()
	resp := p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "test_ring", Config: config})
	lines = worded(resp.Diagnostics)
	if resp.Events == nil {
		return append(lines, "no action")
	}
	for e := range resp.Events {
		switch e := e.(type) {
		case provider.ActionProgress:
			lines = append(lines, e.Message)
		case provider.ActionCompleted:
			lines = append(lines, strings.Join(append([]string{"completed"}, worded(e.Diagnostics)...), "; "))
		}
	}
	return lines
}

const crash = "error: Provider bug: the provider crashed: The method %s of test_ring panicked: runtime error: invalid memory address or nil pointer dereference. " +
	"This is a bug in the provider, not in your configuration; please report it."

func TestInvokeAction(t *testing.T) {
	t.Parallel()
	const first = "ring 1 at here"
	for name, tt := range map[string]struct {
		config cty.Value
		want   []string
		calls  []string
	}{
		"default":       {ring(nil), []string{first, "completed"}, []string{"ValidateInputs", "Invoke ends, ctx done false"}},
		"no block":      {cty.NullVal(ring(nil).Type()), []string{first, "completed"}, nil},
		"in order":      {ring(attrs{"times": num(3)}), []string{first, "ring 2 at here", "ring 3 at here", "completed"}, nil},
		"write-only":    {ring(attrs{"secret": str("hush")}), []string{first, "completed"}, []string{"ValidateInputs", "secret hush", "Invoke ends, ctx done false"}},
		"failure":       {tune("fail"), []string{first, "completed; error: tune: Cannot invoke test_ring: the bell is broken"}, nil},
		"panic":         {tune("crash"), []string{first, "completed; " + fmt.Sprintf(crash, "Invoke")}, nil},
		"warnings":      {tune("warn"), []string{first, "completed; warning: tune: Flat: It is a bit flat.; warning: Cannot invoke test_ring: the bell is old"}, nil},
		"check":         {tune("refuse"), []string{"error: tune: Invalid value: nobody wants to hear it", "no action"}, []string{"ValidateInputs"}},
		"check warns":   {tune("doubt"), []string{first, "completed; warning: Cannot invoke test_ring: some may not like it"}, nil},
		"rule":          {ring(attrs{"times": num(4)}), []string{"error: times: Invalid value: The value must be from 1 to 3.", "no action"}, []string{}},
		"missing value": {ring(attrs{"bells": cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"name": cty.NullVal(cty.String), "loud": cty.NullVal(cty.Bool)})})}), []string{"error: bells[0].name: Invalid value: a value is required", "no action"}, []string{}},
		"unknown values": {ring(attrs{"times": cty.UnknownVal(cty.Number), "tune": cty.UnknownVal(cty.String)}), []string{
			"error: times: Cannot invoke test_ring: the value is not known yet, and an action needs it: first apply the resources that the value depends on (with -target)",
			"error: tune: Cannot invoke test_ring: the value is not known yet, and an action needs it: first apply the resources that the value depends on (with -target)",
			"no action",
		}, []string{}},
		"all unknown": {cty.UnknownVal(ring(nil).Type()), []string{
			"error: Cannot invoke test_ring: the value is not known yet, and an action needs it: first apply the resources that the value depends on (with -target)", "no action",
		}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore()
			p := s.ringing(t)
			configureAt(t, p, str("here"))
			if diff := cmp.Diff(tt.want, events(t, p, tt.config)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if tt.calls != nil {
				if diff := cmp.Diff(tt.calls, append([]string{}, s.calls...)); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestActionEndsWithItsConsumerAndWithStop(t *testing.T) {
	t.Parallel()
	s := newStore()
	p := s.ringing(t)
	configureAt(t, p, str("here"))
	request := provider.InvokeActionRequest{ActionType: "test_ring", Config: tune("wait")}

	// Invoke has returned when the loop ends.
	for range p.InvokeAction(t.Context(), request).Events {
		break
	}
	want := []string{"ValidateInputs", "Invoke ends, ctx done true"}
	if !slices.Equal(s.calls, want) {
		t.Errorf("calls %q, want %q", s.calls, want)
	}

	var got []string
	for e := range p.InvokeAction(t.Context(), request).Events {
		switch e := e.(type) {
		case provider.ActionProgress:
			got = append(got, e.Message)
			if err := p.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		case provider.ActionCompleted:
			got = append(got, worded(e.Diagnostics)...)
		}
	}
	if want := []string{"ring 1 at here", "stopping", "error: Cannot invoke test_ring: context canceled"}; !slices.Equal(got, want) {
		t.Errorf("events of a stopped action: %q, want %q", got, want)
	}
	if got := events(t, p, ring(nil)); len(got) != 2 {
		t.Errorf("events of an action after Stop: %q, want 2 events", got)
	}

	// A panic of the code that receives events is not recovered, and the action ends.
	s.calls = nil
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v, want mine", r)
		}
		if !slices.Equal(s.calls, want) {
			t.Errorf("calls %q, want %q", s.calls, want)
		}
	}()
	for range p.InvokeAction(t.Context(), request).Events {
		panic("mine")
	}
}

func TestPlanAction(t *testing.T) {
	t.Parallel()
	loud := "warning: Loud: It will be loud."
	for name, tt := range map[string]struct {
		config   cty.Value
		endpoint cty.Value // NilVal: a known endpoint
		may      bool      // the client allows deferral
		want     []string
		deferred provider.DeferredReason
		calls    []string
	}{
		"valid":                      {config: ring(nil), want: []string{loud}, calls: []string{"ValidateInputs", "PlanAction at here"}},
		"unknown values":             {config: ring(attrs{"tune": cty.UnknownVal(cty.String)})},
		"unknown configuration":      {config: cty.UnknownVal(ring(nil).Type())},
		"rule":                       {config: ring(attrs{"times": num(4)}), want: []string{"error: times: Invalid value: The value must be from 1 to 3."}},
		"rule with unknown values":   {config: ring(attrs{"times": num(4), "tune": cty.UnknownVal(cty.String)}), want: []string{"error: times: Invalid value: The value must be from 1 to 3."}},
		"rule, unknown provider":     {config: ring(attrs{"times": num(4)}), endpoint: cty.UnknownVal(cty.String), want: []string{"error: times: Invalid value: The value must be from 1 to 3."}},
		"rejected by ValidateInputs": {config: tune("refuse"), want: []string{"error: tune: Invalid value: nobody wants to hear it"}, calls: []string{"ValidateInputs"}},
		"warning of ValidateInputs":  {config: tune("doubt"), want: []string{loud, "warning: Cannot plan test_ring: some may not like it"}, calls: []string{"ValidateInputs", "PlanAction at here"}},
		"panic":                      {config: tune("crash"), want: []string{fmt.Sprintf(crash, "PlanAction")}, calls: []string{"ValidateInputs", "PlanAction at here"}},
		"unknown provider":           {config: ring(nil), endpoint: cty.UnknownVal(cty.String)},
		"unknown provider, deferred": {config: ring(nil), endpoint: cty.UnknownVal(cty.String), may: true, deferred: provider.DeferredReasonProviderConfigUnknown},
		"deferred":                   {config: tune("later"), may: true, deferred: provider.DeferredReasonProviderConfigUnknown, calls: []string{"ValidateInputs", "PlanAction at here"}},
		"deferral not allowed": {
			config: tune("later"), calls: []string{"ValidateInputs", "PlanAction at here"},
			want: []string{"error: Cannot plan test_ring: the operation is not possible yet (provider_config_unknown), and the client does not allow deferral"},
		},
		"deferred for another reason": {
			config: tune("prerequisite"), may: true, calls: []string{"ValidateInputs", "PlanAction at here"},
			want: []string{"error: Cannot plan test_ring: provider bug: an action cannot be deferred with the reason absent_prereq, only with provider_config_unknown; please report this"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore()
			p := s.ringing(t)
			if tt.endpoint == cty.NilVal {
				tt.endpoint = str("here")
			}
			configureAt(t, p, tt.endpoint)
			resp := p.PlanAction(t.Context(), provider.PlanActionRequest{
				ActionType: "test_ring", Config: tt.config, ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: tt.may},
			})
			if diff := cmp.Diff(tt.want, worded(resp.Diagnostics)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.calls, s.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			var deferred provider.DeferredReason
			if resp.Deferred != nil {
				deferred = resp.Deferred.Reason
			}
			if deferred != tt.deferred {
				t.Errorf("deferred for the reason %v, want %v", deferred, tt.deferred)
			}
		})
	}
}

func TestActionNeedsAConfiguredProvider(t *testing.T) {
	t.Parallel()
	p := newStore().ringing(t)
	want := []string{"error: Cannot invoke test_ring: the provider has not been configured; this is a bug in the client or in a test", "no action"}
	if got := events(t, p, ring(nil)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	configureAt(t, p, cty.UnknownVal(cty.String))
	if got := events(t, p, ring(nil)); len(got) != 2 || !strings.HasPrefix(got[0], "error: Unknown provider configuration") {
		t.Errorf("got %q, want an error about the unknown provider configuration", got)
	}
}

func TestValidateActionConfig(t *testing.T) {
	t.Parallel()
	p := newStore().ringing(t)
	validate := func(config cty.Value) []string {
		return worded(p.ValidateActionConfig(t.Context(), provider.ValidateActionConfigRequest{ActionType: "test_ring", Config: config}).Diagnostics)
	}
	for _, config := range []cty.Value{
		ring(nil), tune("refuse"), ring(attrs{"times": cty.UnknownVal(cty.Number)}), cty.UnknownVal(ring(nil).Type()), cty.NullVal(ring(nil).Type()),
	} {
		if got := validate(config); got != nil {
			t.Errorf("validation of %#v: got %q, want no diagnostics", config, got)
		}
	}
	if got, want := validate(ring(attrs{"times": num(4)})), []string{"error: times: Invalid value: The value must be from 1 to 3."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestActionOfAnUnknownType(t *testing.T) {
	t.Parallel()
	p := newStore().provider(t)
	want := []string{`error: Unknown action: This provider has no action "test_ring".`}
	for rpc, diags := range map[string]diag.Diagnostics{
		"validate": p.ValidateActionConfig(t.Context(), provider.ValidateActionConfigRequest{ActionType: "test_ring"}).Diagnostics,
		"plan":     p.PlanAction(t.Context(), provider.PlanActionRequest{ActionType: "test_ring"}).Diagnostics,
		"invoke":   p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "test_ring"}).Diagnostics,
	} {
		if got := worded(diags); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", rpc, got, want)
		}
	}
}
