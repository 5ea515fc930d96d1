package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Diary is a resource whose errors, warnings and panics contain a secret.
type Diary struct {
	Name   string
	Secret string `tf:",sensitive"`
	Hidden string `tf:",optional,writeonly"`

	fail string
}

type DiaryOutput struct {
	Name   string
	Secret string `tf:",sensitive"`
}

const (
	theSecret = "xyzzy-open-sesame"
	theHidden = "plugh-hocus-pocus"
)

func (*Diary) SchemaVersion() int      { return 0 }
func (*Diary) ReplaceFields() []string { return nil }

func (v *Diary) result(method string) (*DiaryOutput, error) {
	switch v.fail {
	case method:
		return nil, fmt.Errorf("the secret %s is too short", v.Secret)
	case method + " panics":
		panic("cannot stand " + v.Secret + v.Hidden)
	}
	return &DiaryOutput{Name: v.Name, Secret: v.Secret}, nil
}

func (v *Diary) Create(context.Context, runtime.NoConfig) (*DiaryOutput, error) {
	return v.result("Create")
}

func (v *Diary) Read(context.Context, runtime.NoConfig, *DiaryOutput) (*DiaryOutput, error) {
	return v.result("Read")
}

func (v *Diary) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Diary, *DiaryOutput]) (*DiaryOutput, error) {
	runtime.Warn(ctx, "secret", "Weak secret", "The secret is "+v.Secret+".")
	return v.result("Update")
}

func (v *Diary) Delete(context.Context, runtime.NoConfig, *DiaryOutput) error {
	_, err := v.result("Delete")
	return err
}

// logLines returns the entries of a captured log, and empties it.
func logLines(t *testing.T, log *bytes.Buffer) []map[string]any {
	t.Helper()
	lines, err := tflogtest.MultilineJSONDecode(log)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLogHasNoValue(t *testing.T) {
	t.Setenv("TF_LOG_PROVIDER", "trace")
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	diary := &Diary{}
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"diary": runtime.MakeResourceWith[Diary, *DiaryOutput, runtime.NoConfig](func() *Diary { return &Diary{fail: diary.fail} }),
	}})
	d := newDriver(t, loggingTo{p, ctx}, "test_diary")
	config := d.config(attrs{"name": str("a"), "secret": str(theSecret), "hidden": str(theHidden)})
	failing := func(method string, f func() bool) {
		t.Helper()
		for _, diary.fail = range []string{method, method + " panics"} {
			if !f() {
				t.Errorf("%s: got no error, want one", diary.fail)
			}
		}
		diary.fail = ""
	}
	create := func() bool { return d.applyPlan(config, d.plan(config)).HasErrors() }
	failing("Create", create)
	d.apply(config)
	failing("Read", func() bool { return d.refresh().HasErrors() })
	other := d.config(attrs{"name": str("b"), "secret": str(theSecret), "hidden": str(theHidden)})
	failing("Update", func() bool { return d.applyPlan(other, d.plan(other)).HasErrors() })
	d.apply(other)
	failing("Delete", func() bool { return d.destroyWith(nil).HasErrors() })
	d.destroy()

	for _, secret := range []string{theSecret, theHidden} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the secret %s:\n%s", secret, log.String())
		}
	}
	type count map[string]int
	got, durations := count{}, 0
	for _, line := range logLines(t, &log) {
		if line["@message"] == "operation ends" {
			got[fmt.Sprintf("%s %s: %s, %v errors, %v warnings", line["type"], line["operation"], line["outcome"], line["errors"], line["warnings"])]++
			if s, _ := line["duration"].(string); s != "" {
				durations++
			}
		}
	}
	want := count{
		"test_diary ValidateResourceConfig: ok, 0 errors, 0 warnings": 2,
		"test_diary PlanResourceChange: ok, 0 errors, 0 warnings":     6,
		"test_diary Create: error, 1 errors, 0 warnings":              2,
		"test_diary Create: ok, 0 errors, 0 warnings":                 1,
		"test_diary UpgradeResourceState: ok, 0 errors, 0 warnings":   2,
		"test_diary ReadResource: error, 1 errors, 0 warnings":        2,
		"test_diary Update: error, 1 errors, 1 warnings":              2,
		"test_diary Update: ok, 0 errors, 1 warnings":                 1,
		"test_diary Delete: error, 1 errors, 0 warnings":              2,
		"test_diary Delete: ok, 0 errors, 0 warnings":                 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log lines (-want +got):\n%s", diff)
	}
	if lines := 0; durations != func() int {
		for _, n := range want {
			lines += n
		}
		return lines
	}() {
		t.Errorf("%d log lines have a duration, want all %d", durations, lines)
	}
}

// loggingTo calls the RPCs that validate, upgrade, plan, read and apply resources with ctx, and thus
// with its logger.
type loggingTo struct {
	provider.Interface
	ctx context.Context
}

func (l loggingTo) ValidateResourceConfig(_ context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return l.Interface.ValidateResourceConfig(l.ctx, req)
}

func (l loggingTo) UpgradeResourceState(_ context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	return l.Interface.UpgradeResourceState(l.ctx, req)
}

func (l loggingTo) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return l.Interface.PlanResourceChange(l.ctx, req)
}

func (l loggingTo) ReadResource(_ context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return l.Interface.ReadResource(l.ctx, req)
}

func (l loggingTo) ApplyResourceChange(_ context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return l.Interface.ApplyResourceChange(l.ctx, req)
}

// TestEveryRPCIsLogged checks that every RPC in the contract is logged, including
// future ones, except those for schemas, Stop and Close.
func TestEveryRPCIsLogged(t *testing.T) {
	t.Setenv("TF_LOG", "debug")
	p := newProvider(t, runtime.Definition{Name: "test"})
	silent := map[string]bool{"GetProviderSchema": true, "GetResourceIdentitySchemas": true, "Stop": true, "Close": true}
	contract := reflect.TypeFor[provider.Interface]()
	for method := range contract.Methods() {
		if silent[method.Name] {
			continue
		}
		t.Run(method.Name, func(t *testing.T) {
			var log bytes.Buffer
			ctx := tflogtest.RootLogger(t.Context(), &log)
			resp := reflect.ValueOf(p).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.Zero(method.Type.In(1))})[0]
			drain(resp)
			var got []string
			for _, line := range logLines(t, &log) {
				got = append(got, fmt.Sprint(line["@message"]))
			}
			if diff := cmp.Diff([]string{"operation started", "operation ends"}, got); diff != "" {
				t.Errorf("log lines (-want +got):\n%s", diff)
			}
		})
	}
}

// drain consumes the streams of a response.
func drain(resp reflect.Value) {
	for _, f := range resp.Fields() {
		if f.Kind() == reflect.Func && !f.IsNil() {
			for range f.Seq() {
				continue
			}
		}
	}
}

func TestNoLogUnlessRequested(t *testing.T) {
	for _, tt := range []struct {
		variable, value string
		want            bool
	}{
		{"TF_LOG", "", false},
		{"TF_LOG", "off", false},
		{"TF_LOG_PROVIDER", "OFF", false},
		{"TF_LOG", "info", true},
		{"TF_LOG_PROVIDER_TEST", "debug", true},
		{"TF_ACC_LOG", "trace", true},
	} {
		t.Run(tt.variable+"="+tt.value, func(t *testing.T) {
			for _, name := range []string{"TF_LOG", "TF_LOG_CORE", "TF_LOG_PATH", "TF_LOG_PROVIDER", "TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_ACC_LOG"} {
				t.Setenv(name, "")
			}
			t.Setenv(tt.variable, tt.value)
			var log bytes.Buffer
			p := newProvider(t, runtime.Definition{Name: "test"})
			p.ConfigureProvider(tflogtest.RootLogger(t.Context(), &log), provider.ConfigureProviderRequest{})
			if got := log.Len() > 0; got != tt.want {
				t.Errorf("the log has lines: %t, want %t", got, tt.want)
			}
		})
	}
}
