package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup is a data source with attributes of many kinds.
type Lookup struct {
	Name    string
	Limit   *int64
	Region  string
	Quiet   bool
	Wait    runtime.Duration `tf:",optional"`
	Policy  runtime.JSON     `tf:",optional"`
	Choice  *string
	Maybe   runtime.Value[string] `tf:",optional"`
	Ports   []LookupPort          `tf:",optional"`
	Exclude []LookupRule          `tf:",block"`

	do func(ctx context.Context, l *Lookup) (*LookupOutput, error)
}

type LookupPort struct {
	Number   int
	Protocol string
	Service  string `tf:",computed"`
}

func (p *LookupPort) Defaults() { p.Protocol = "tcp" }

type LookupRule struct {
	Pattern string
	Invert  *bool
}

func (r *LookupRule) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("pattern", 1, 8)}
}

type LookupOutput struct {
	Name   string
	Limit  *int64
	Region string
	Wait   runtime.Duration `tf:",optional"`
	Policy runtime.JSON     `tf:",optional"`
	Choice *string          `tf:",computed"`
	Ports  []LookupPort     `tf:",optional"`
	Serial int64
	Extra  any
}

func (l *Lookup) Defaults() { l.Region, l.Quiet = "here", true }

func (*Lookup) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("limit", "choice")}
}

func (l *Lookup) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error {
	runtime.Warn(ctx, "name", "Looked at", "")
	switch l.Name {
	case "nobody":
		return diag.AttributeErrorf("name", "nobody is not a valid name")
	case "old":
		return diag.AsWarning(diag.AttributeErrorf("name", "an old name"))
	case "panics while validating":
		panic("hush")
	}
	return nil
}

func (l *Lookup) Read(ctx context.Context, _ runtime.NoConfig) (*LookupOutput, error) {
	if l.do != nil {
		return l.do(ctx, l)
	}
	return l.found(), nil
}

// found returns the object, with a configured policy in an equivalent form.
func (l *Lookup) found() *LookupOutput {
	out := &LookupOutput{Name: l.Name, Limit: l.Limit, Region: l.Region, Wait: l.Wait, Choice: l.Choice, Serial: 7, Extra: int64(1)}
	if l.Policy != "" {
		out.Policy = `{"a":1,"b":2}`
	}
	if l.Choice == nil {
		chosen := "chosen"
		out.Choice = &chosen
	}
	for _, p := range l.Ports {
		p.Service = fmt.Sprintf("%s/%d", p.Protocol, p.Number)
		out.Ports = append(out.Ports, p)
	}
	return out
}

func lookups(t *testing.T, do func(ctx context.Context, l *Lookup) (*LookupOutput, error)) provider.Interface {
	t.Helper()
	return guard.Wrap(newProvider(t, runtime.Definition{Name: "test", DataSources: map[string]runtime.DataSourceRegistration{
		"lookup": runtime.MakeDataSourceWith[Lookup, *LookupOutput, runtime.NoConfig](func() *Lookup { return &Lookup{do: do} }),
	}}))
}

func dataConfig(t *testing.T, p provider.Interface, set attrs) cty.Value {
	t.Helper()
	return configOf(t, p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources["test_lookup"], set)
}

// configOf returns a configuration with the given attributes; all others are null, or empty for repeated blocks.
func configOf(t *testing.T, schema provider.Schema, set attrs) cty.Value {
	t.Helper()
	all := schema.Body.EmptyValue().AsValueMap()
	for name, v := range set {
		if _, ok := all[name]; !ok {
			t.Fatalf("no attribute %s", name)
		}
		all[name] = v
	}
	return cty.ObjectVal(all)
}

func readData(t *testing.T, p provider.Interface, config cty.Value) provider.ReadDataSourceResponse {
	t.Helper()
	return p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{TypeName: "test_lookup", Config: config})
}

var (
	portType = cty.Object(map[string]cty.Type{"number": cty.Number, "protocol": cty.String, "service": cty.String})
	ruleType = cty.Object(map[string]cty.Type{"pattern": cty.String, "invert": cty.Bool})
)

func port(number int64, protocol, service cty.Value) cty.Value {
	return cty.ObjectVal(attrs{"number": num(number), "protocol": protocol, "service": service})
}

func TestReadDataSource(t *testing.T) {
	t.Parallel()
	p := lookups(t, nil)
	null := cty.NullVal(cty.String)
	for name, tt := range map[string]struct {
		config, want attrs // want overrides config, which overrides the values of most cases
	}{
		"only required attributes":  {attrs{"name": str("a")}, nil},
		"configured values":         {attrs{"name": str("a"), "limit": num(3), "region": str("there"), "quiet": cty.False}, attrs{"choice": str("chosen")}},
		"configured computed value": {attrs{"name": str("a"), "choice": str("mine")}, nil},
		"equivalent duration":       {attrs{"name": str("a"), "wait": str("90s")}, nil},
		"equivalent JSON":           {attrs{"name": str("a"), "policy": str(`{ "b": 2, "a": 1 }`)}, nil},
		"nested": {
			attrs{"name": str("a"), "ports": cty.ListVal([]cty.Value{port(1, null, null), port(2, str("udp"), null)})},
			attrs{"ports": cty.ListVal([]cty.Value{port(1, str("tcp"), str("tcp/1")), port(2, str("udp"), str("udp/2"))})},
		},
		"blocks that are only inputs": {
			attrs{"name": str("a"), "exclude": cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"pattern": str("x"), "invert": cty.True})})}, nil,
		},
		"known Value": {attrs{"name": str("a"), "maybe": str("known")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := dataConfig(t, p, tt.config)
			diags := p.ValidateDataResourceConfig(t.Context(), provider.ValidateDataResourceConfigRequest{TypeName: "test_lookup", Config: config}).Diagnostics
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			want := attrs{
				"limit": cty.NullVal(cty.Number), "region": str("here"), "quiet": cty.True, "wait": null, "policy": null, "maybe": null,
				"choice": str("chosen"), "ports": cty.NullVal(cty.List(portType)), "exclude": cty.ListValEmpty(ruleType),
				"serial": num(7), "extra": num(1),
			}
			for _, over := range []attrs{tt.config, tt.want} {
				maps.Copy(want, over)
			}
			resp := readData(t, p, config)
			if err := resp.Diagnostics.Err(); err != nil {
				t.Fatal(err)
			}
			if !resp.State.RawEquals(cty.ObjectVal(want)) {
				t.Errorf("data\ngot  %s\nwant %s", show(t, resp.State), show(t, cty.ObjectVal(want)))
			}
			if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary != "Looked at" || !resp.Diagnostics[0].Path.Equals(cty.GetAttrPath("name")) {
				t.Errorf("diagnostics %v, want the warning of ValidateInputs", resp.Diagnostics)
			}
		})
	}
}

func TestReadDataSourceFails(t *testing.T) {
	t.Parallel()
	change := func(f func(*LookupOutput)) func(context.Context, *Lookup) (*LookupOutput, error) {
		return func(_ context.Context, l *Lookup) (*LookupOutput, error) {
			out := l.found()
			f(out)
			return out, nil
		}
	}
	fails := func(err error) func(context.Context, *Lookup) (*LookupOutput, error) {
		return func(context.Context, *Lookup) (*LookupOutput, error) { return nil, err }
	}
	hush := str("hush")
	for name, tt := range map[string]struct {
		do   func(context.Context, *Lookup) (*LookupOutput, error)
		set  attrs
		path cty.Path
		want []string
	}{
		"an error":                         {fails(errors.New("no answer")), nil, nil, []string{"Cannot read test_lookup", "no answer"}},
		"an error of an attribute":         {fails(diag.AttributeErrorf("region", "no such region")), nil, cty.GetAttrPath("region"), []string{"no such region"}},
		"absent":                           {fails(runtime.ErrNotFound), nil, nil, []string{"Cannot find test_lookup", "create the object"}},
		"absent, wrapped error":            {fails(fmt.Errorf("user joe: %w", runtime.ErrNotFound)), nil, nil, []string{"Cannot find test_lookup", "user joe"}},
		"absent, with a warning":           {fails(errors.Join(diag.AsWarning(errors.New("slow")), runtime.ErrNotFound)), nil, nil, []string{"Cannot find test_lookup", "create the object"}},
		"absent, as a warning":             {fails(diag.AsWarning(runtime.ErrNotFound)), nil, nil, []string{"neither an output nor an error"}},
		"no output and no error":           {fails(nil), nil, nil, []string{"provider bug", "Read", "neither an output nor an error"}},
		"only a warning":                   {fails(diag.AsWarning(errors.New("odd"))), nil, nil, []string{"neither an output nor an error"}},
		"panic":                            {func(context.Context, *Lookup) (*LookupOutput, error) { panic("hush") }, nil, nil, []string{"Provider bug", "Read of test_lookup panicked"}},
		"panic while validating":           {nil, attrs{"name": str("panics while validating")}, nil, []string{"ValidateInputs of test_lookup panicked"}},
		"rejected by ValidateInputs":       {nil, attrs{"name": str("nobody")}, cty.GetAttrPath("name"), []string{"nobody is not a valid name"}},
		"constraint between attributes":    {nil, attrs{"limit": num(1), "choice": hush}, cty.GetAttrPath("choice"), []string{"Conflicting"}},
		"constraint of a block":            {nil, attrs{"exclude": cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"pattern": str(""), "invert": cty.NullVal(cty.Bool)})})}, cty.GetAttrPath("exclude").IndexInt(0).GetAttr("pattern"), []string{"1 to 8 characters"}},
		"a missing attribute":              {nil, attrs{"name": cty.NullVal(cty.String)}, cty.GetAttrPath("name"), []string{"required"}},
		"other required value":             {change(func(o *LookupOutput) { o.Name = "hush" }), nil, cty.GetAttrPath("name"), []string{"provider bug", "Read returned a value other than the configured one"}},
		"other optional value":             {change(func(o *LookupOutput) { *o.Limit++ }), attrs{"limit": num(1)}, cty.GetAttrPath("limit"), []string{"other than the configured one"}},
		"other default":                    {change(func(o *LookupOutput) { o.Region = "hush" }), nil, cty.GetAttrPath("region"), []string{"other than the configured one"}},
		"other computed value":             {change(func(o *LookupOutput) { *o.Choice = "hush" }), attrs{"choice": str("mine")}, cty.GetAttrPath("choice"), []string{"other than the configured one"}},
		"other duration":                   {change(func(o *LookupOutput) { o.Wait++ }), attrs{"wait": str("90s")}, cty.GetAttrPath("wait"), []string{"other than the configured one"}},
		"other nested value":               {change(func(o *LookupOutput) { o.Ports[0].Protocol = "hush" }), attrs{"ports": cty.ListVal([]cty.Value{port(1, str("tcp"), cty.NullVal(cty.String))})}, cty.GetAttrPath("ports").IndexInt(0).GetAttr("protocol"), []string{"other than the configured one"}},
		"other nested default":             {change(func(o *LookupOutput) { o.Ports[0].Protocol = "hush" }), attrs{"ports": cty.ListVal([]cty.Value{port(1, cty.NullVal(cty.String), cty.NullVal(cty.String))})}, cty.GetAttrPath("ports").IndexInt(0).GetAttr("protocol"), []string{"other than the configured one"}},
		"an unknown output":                {change(func(o *LookupOutput) { o.Extra = cty.UnknownVal(cty.String) }), nil, cty.GetAttrPath("extra"), []string{"provider bug", "unknown value"}},
		"an output that cannot be encoded": {change(func(o *LookupOutput) { o.Extra = make(chan int) }), nil, cty.GetAttrPath("extra"), []string{"chan int"}},
		"an unknown input":                 {nil, attrs{"name": cty.UnknownVal(cty.String)}, cty.GetAttrPath("name"), []string{"not known yet", "-target"}},
		"an unknown Value":                 {nil, attrs{"maybe": cty.UnknownVal(cty.String)}, cty.GetAttrPath("maybe"), []string{"not known yet"}},
		"deferral not allowed":             {fails(runtime.Defer(provider.DeferredReasonAbsentPrereq)), nil, nil, []string{"does not allow"}},
		"output and error":                 {func(_ context.Context, l *Lookup) (*LookupOutput, error) { return l.found(), errors.New("half") }, nil, nil, []string{"half"}},
		"invalid duration":                 {nil, attrs{"wait": hush}, cty.GetAttrPath("wait"), []string{"not a duration"}},
		"number out of range":              {nil, attrs{"limit": cty.MustParseNumberVal("1e30")}, cty.GetAttrPath("limit"), []string{"out of range"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := lookups(t, tt.do)
			set := attrs{"name": str("a")}
			maps.Copy(set, tt.set)
			resp := readData(t, p, dataConfig(t, p, set))
			var errs diag.Diagnostics
			for _, m := range resp.Diagnostics {
				if m.Severity == diag.Error {
					errs = append(errs, m)
				}
			}
			if len(errs) != 1 || !errs[0].Path.Equals(tt.path) {
				t.Fatalf("got %v, want one error at %s", errs, diag.FormatPath(tt.path))
			}
			for _, word := range tt.want {
				if !strings.Contains(errs[0].Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, errs[0])
				}
			}
			if strings.Contains(errs[0].Error(), "hush") {
				t.Errorf("the error repeats a value: %v", errs[0])
			}
			if resp.Deferred != nil || resp.State != cty.NilVal && !resp.State.IsNull() {
				t.Errorf("state %#v and deferral %v in addition to the error, want neither", resp.State, resp.Deferred)
			}
		})
	}
}

func TestReadDataSourceIsDeferred(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(context.Context, *Lookup) (*LookupOutput, error)
		set  attrs
		want provider.DeferredReason
	}{
		"by Read": {
			func(context.Context, *Lookup) (*LookupOutput, error) {
				return nil, runtime.Defer(provider.DeferredReasonAbsentPrereq)
			},
			attrs{"name": str("a")},
			provider.DeferredReasonAbsentPrereq,
		},
		"by an unknown value": {nil, attrs{"name": cty.UnknownVal(cty.String)}, provider.DeferredReasonResourceConfigUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := lookups(t, tt.do)
			config := dataConfig(t, p, tt.set)
			resp := p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{
				TypeName: "test_lookup", Config: config, ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: true},
			})
			if err := resp.Diagnostics.Err(); err != nil {
				t.Fatal(err)
			}
			if resp.Deferred == nil || resp.Deferred.Reason != tt.want {
				t.Errorf("deferred: %v, want %s", resp.Deferred, tt.want)
			}
			if got := resp.State; got.GetAttr("serial").IsKnown() || !got.GetAttr("name").RawEquals(config.GetAttr("name")) {
				t.Errorf("the placeholder is %#v, want the configured name and an unknown serial", got)
			}
		})
	}
}

func TestDataSourceWarnings(t *testing.T) {
	t.Parallel()
	p := lookups(t, func(_ context.Context, l *Lookup) (*LookupOutput, error) {
		return l.found(), diag.AsWarning(errors.New("it is old"))
	})
	resp := readData(t, p, dataConfig(t, p, attrs{"name": str("old")}))
	var got []string
	for _, m := range resp.Diagnostics {
		if m.Severity == diag.Error {
			t.Errorf("a warning is reported as an error: %v", m)
		}
		got = append(got, m.Summary+m.Detail)
	}
	want := []string{"Looked at", "Cannot read test_lookupan old name", "Cannot read test_lookupit is old"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if !resp.State.GetAttr("serial").RawEquals(num(7)) {
		t.Errorf("the data in addition to the warnings is %#v, want a serial of 7", resp.State)
	}
}

func TestStopCancelsReadDataSource(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	p := lookups(t, func(ctx context.Context, _ *Lookup) (*LookupOutput, error) {
		close(began)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			return nil, errors.New("not stopped")
		}
	})
	go func() {
		<-began
		_ = p.Stop(context.Background())
	}()
	resp := readData(t, p, dataConfig(t, p, attrs{"name": str("a")}))
	if err := resp.Diagnostics.Err(); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("read: got %v, want an error with %q", err, context.Canceled)
	}
}

func TestValidateDataSource(t *testing.T) {
	t.Parallel()
	p := lookups(t, nil)
	unknown := cty.UnknownVal(cty.String)
	for name, tt := range map[string]struct {
		set  attrs
		path cty.Path // of the error; nil if valid
	}{
		"unknown":                      {attrs{"name": unknown, "wait": unknown, "ports": cty.UnknownVal(cty.List(portType)), "maybe": unknown}, nil},
		"missing":                      {attrs{"limit": num(1)}, cty.GetAttrPath("name")},
		"invalid duration":             {attrs{"name": unknown, "wait": str("soon")}, cty.GetAttrPath("wait")},
		"conflict":                     {attrs{"name": unknown, "limit": num(1), "choice": str("x")}, cty.GetAttrPath("choice")},
		"possible conflict":            {attrs{"name": unknown, "limit": num(1), "choice": unknown}, nil},
		"ValidateInputs is not called": {attrs{"name": str("nobody")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := p.ValidateDataResourceConfig(t.Context(), provider.ValidateDataResourceConfigRequest{
				TypeName: "test_lookup", Config: dataConfig(t, p, tt.set),
			}).Diagnostics
			if tt.path == nil && len(diags) > 0 || tt.path != nil && (len(diags) != 1 || !diags[0].Path.Equals(tt.path)) {
				t.Errorf("got %v, want an error at %q (if empty, none)", diags, diag.FormatPath(tt.path))
			}
		})
	}
}
