package planjson_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/planjson"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/states/statefile"
)

// chosen matches generated IDs.
var chosen = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// same compares results as programs that read the JSON do.
var same = cmp.Options{
	cmpopts.IgnoreUnexported(tfjson.Plan{}, tfjson.State{}),
	cmpopts.IgnoreFields(tfjson.Plan{}, "Config", "RelevantAttributes", "Timestamp"),
	cmpopts.IgnoreFields(tfjson.State{}, "Checks"),
	cmp.Comparer(func(a, b cty.Type) bool {
		return a == cty.NilType && b == cty.NilType || a != cty.NilType && b != cty.NilType && a.Equals(b)
	}),
	cmp.Transformer("JSON", func(raw json.RawMessage) any {
		var out any
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &out); err != nil {
				return err
			}
		}
		return out
	}),
	cmpopts.EquateEmpty(),
	// IDs differ between runs.
	cmp.FilterValues(func(a, b string) bool { return chosen.MatchString(a) && chosen.MatchString(b) }, cmp.Ignore()),
}

const before = `
variable "word" {
  default   = "hush"
  sensitive = true
}
variable "number" { default = 5 }
resource "posix_file" "each" {
  for_each = toset(["k"])
  path     = "DIR/${each.key}"
  content  = var.word
  lifecycle {
    create_before_destroy = true
    precondition {
      condition     = var.number > 1
      error_message = "no"
    }
  }
}
resource "posix_file" "counted" {
  count   = 2
  path    = "DIR/counted${count.index}"
  content = "x${posix_file.each["k"].sha256}"
}
resource "posix_command" "env" {
  create      = "true"
  read        = "true"
  environment = { A = "1" }
}
resource "posix_file" "old" {
  path    = "DIR/old"
  content = "moves"
}
data "posix_file" "read" {
  path       = posix_file.counted[0].path
  depends_on = [posix_file.each]
}
data "posix_user" "root" {
  name = "root"
}
module "m" {
  source = "./m"
  x      = posix_file.counted[0].sha256
}
import {
  to = posix_file.byid
  id = "DIR/byid"
}
import {
  to       = posix_file.byidentity
  identity = { path = "DIR/byidentity" }
}
resource "posix_file" "byid" {
  path    = "DIR/byid"
  content = "there"
}
resource "posix_file" "byidentity" {
  path    = "DIR/byidentity"
  content = "changed"
}
output "sum" { value = posix_file.counted[0].sha256 }
output "owner" { value = posix_file.counted[0].owner }
output "secret" {
  value     = var.word
  sensitive = true
}
output "mixed" { value = [1, "a", true, { z = null, n = 1.5 }] }
check "size" {
  assert {
    condition     = length(posix_file.counted[0].content) > 3
    error_message = "x"
  }
}
`

// removed is only in the first configuration.
const removed = `
resource "posix_symlink" "stray" {
  path   = "DIR/stray"
  target = "away"
}
module "gone" { source = "./gone" }
`

const goneModule = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}
resource "posix_symlink" "inner" {
  path   = "DIR/gone"
  target = "away"
}
`

const module = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}
variable "x" {}
resource "posix_file" "inner" {
  path    = "DIR/inner"
  content = var.x
}
output "size" { value = length(posix_file.inner.content) }
`

// after returns the changed configuration, with updates, a replacement, deletions, another
// output and two moves, one of them to an address without configuration.
func after(config string) string {
	return strings.NewReplacer(
		`default   = "hush"`, `default   = "louder"`, `"posix_file" "old"`, `"posix_file" "new"`,
		"count   = 2", "count   = 1", "DIR/${each.key}", "DIR/moved${each.key}",
		`output "mixed" { value = [1, "a", true, { z = null, n = 1.5 }] }`, `output "other" { value = length(posix_file.new.content) }`,
	).Replace(config) + "moved {\n  from = posix_file.old\n  to   = posix_file.new\n}\nmoved {\n  from = posix_symlink.stray\n  to   = posix_symlink.nowhere\n}\n"
}

// shown are the plans and states of the lifecycle.
type shown struct {
	plans  map[string]*tfjson.Plan
	states map[string]*tfjson.State
}

// TestLikeTheCommand runs the same lifecycle with the command and the engine, and
// compares the output of show -json with the converted plans and states.
func TestLikeTheCommand(t *testing.T) {
	t.Parallel()
	w := acctest.NewServedWorkdir(t, "posix", build)
	dir := filepath.Join(t.TempDir(), "files")
	for name, text := range map[string]string{"m": module, "gone": goneModule} {
		if err := os.Mkdir(filepath.Join(w.Dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		w.Write(name+"/main.tf", strings.ReplaceAll(text, "DIR", dir))
	}
	want := life(t, w, dir, &command{w})
	got := life(t, w, dir, newInProcess(w))
	for _, name := range []string{"create", "again", "change", "destroy"} {
		if name == "destroy" {
			want.plans[name].Checks = nil // the engine's destroy plans have no results for objects and checks
		}
		if diff := cmp.Diff(want.plans[name], got.plans[name], same); diff != "" {
			t.Errorf("plan %q (-command +engine):\n%s", name, diff)
		}
	}
	for _, name := range []string{"none", "created", "changed", "destroyed"} {
		if diff := cmp.Diff(want.states[name], got.states[name], same); diff != "" {
			t.Errorf("state %q (-command +engine):\n%s", name, diff)
		}
	}
}

// TestNullOutputs checks that the type of a null output is lost only if the output does not change.
func TestNullOutputs(t *testing.T) {
	t.Parallel()
	config, problems := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	dynamic, text := cty.NullVal(cty.DynamicPseudoType), cty.NullVal(cty.String)
	plan := &plans.Plan{PrevRunState: states.NewState(), PriorState: states.NewState(), Outputs: []*plans.OutputChange{
		{Name: "new", Action: plans.NoOp, Before: dynamic, After: text},
		{Name: "changed", Action: plans.Update, Before: cty.StringVal("x"), After: text},
	}}
	shown, err := planjson.Plan(plan, config, engine.New(engine.Options{}).Schemas(t.Context()), "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]cty.Type{"new": cty.DynamicPseudoType, "changed": cty.String} {
		if got := shown.PlannedValues.Outputs[name].Type; !got.Equals(want) {
			t.Errorf("output %s has the type %#v, want %#v", name, got, want)
		}
	}
}

// TestChecks checks the addresses of conditions in a repeated module and of an ephemeral resource.
func TestChecks(t *testing.T) {
	t.Parallel()
	config, problems := configs.Load(configs.Files{"main.tf": nil}, ".", configs.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	plan := &plans.Plan{PrevRunState: states.NewState(), PriorState: states.NewState(), Checks: []plans.CheckResult{
		{Kind: "output_value", Object: "module.m.output.x", Instance: `module.m["a.b"].output.x`, Status: plans.CheckPass},
		{Kind: "output_value", Object: "module.m.output.x", Instance: `module.m["c"].output.x`, Status: plans.CheckUnknown},
		{Kind: "resource", Object: "module.m.ephemeral.demo_session.s", Instance: `module.m["c"].ephemeral.demo_session.s[1]`, Status: plans.CheckPass},
		{Kind: "var", Object: "var.y", Instance: "var.y", Status: plans.CheckPass},
	}}
	shown, err := planjson.Plan(plan, config, engine.New(engine.Options{}).Schemas(t.Context()), "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	want := []tfjson.CheckResultStatic{
		{
			Address: tfjson.CheckStaticAddress{ToDisplay: "module.m.output.x", Kind: "output_value", Module: "module.m", Name: "x"}, Status: "unknown",
			Instances: []tfjson.CheckResultDynamic{
				{Address: tfjson.CheckDynamicAddress{ToDisplay: `module.m["a.b"].output.x`, Module: `module.m["a.b"]`}, Status: "pass"},
				{Address: tfjson.CheckDynamicAddress{ToDisplay: `module.m["c"].output.x`, Module: `module.m["c"]`}, Status: "unknown"},
			},
		},
		{
			Address: tfjson.CheckStaticAddress{
				ToDisplay: "module.m.ephemeral.demo_session.s", Kind: "resource", Module: "module.m", Mode: "ephemeral", Type: "demo_session", Name: "s",
			},
			Status: "pass",
			Instances: []tfjson.CheckResultDynamic{{
				Address: tfjson.CheckDynamicAddress{ToDisplay: `module.m["c"].ephemeral.demo_session.s[1]`, Module: `module.m["c"]`, InstanceKey: json.Number("1")},
				Status:  "pass",
			}},
		},
		{
			Address: tfjson.CheckStaticAddress{ToDisplay: "var.y", Kind: "var", Name: "y"}, Status: "pass",
			Instances: []tfjson.CheckResultDynamic{{Address: tfjson.CheckDynamicAddress{ToDisplay: "var.y"}, Status: "pass"}},
		},
	}
	if diff := cmp.Diff(want, shown.Checks); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

// TestTaintedAndDeposed compares the command and the engine for tainted and deposed objects.
func TestTaintedAndDeposed(t *testing.T) {
	t.Parallel()
	w := acctest.NewServedWorkdir(t, "posix", build)
	w.Write("main.tf", "variable \"n\" { default = 1 }\nresource \"posix_symlink\" \"x\" {\n  path   = \"/nonexistent/x\"\n  target = \"y\"\n}\n")
	addr := addrs.RootModuleInstance.Resource(addrs.ManagedResourceMode, "posix_symlink", "x").Instance(addrs.NoKey)
	from := addrs.AbsProviderConfig{Provider: newInProcess(w).addr}
	object := func(target string, status states.ObjectStatus) *states.ResourceInstanceObjectSrc {
		return &states.ResourceInstanceObjectSrc{
			AttrsJSON: []byte(`{"host": "local", "path": "/nonexistent/x", "target": "` + target + `"}`), Status: status,
			AttrSensitivePaths: []cty.Path{cty.GetAttrPath("target")},
			Dependencies:       []addrs.ConfigResource{{Resource: addrs.Resource{Mode: addrs.DataResourceMode, Type: "posix_host", Name: "h"}}},
		}
	}
	state := states.BuildState(func(s *states.SyncState) {
		s.SetResourceInstanceCurrent(addr, object("a", states.ObjectTainted), from)
		s.SetResourceInstanceDeposed(addr, "deadbeef", object("b", states.ObjectReady), from)
		s.SetResourceInstanceDeposed(addr, "00000001", object("c", states.ObjectTainted), from)
		s.SetOutputValue(addrs.OutputValue{Name: "gone"}.Absolute(addrs.RootModuleInstance), cty.ListVal([]cty.Value{cty.NumberFloatVal(0.1)}), true)
	})
	var file bytes.Buffer
	if err := statefile.Write(statefile.New(state, statefile.NewLineage(), 1), &file); err != nil {
		t.Fatal(err)
	}
	w.Write("terraform.tfstate", file.String())
	p := newInProcess(w)
	p.now = state
	want, got := (&command{w}).state(t), p.state(t)
	if diff := cmp.Diff(want, got, same, cmpopts.IgnoreFields(tfjson.State{}, "TerraformVersion")); diff != "" {
		t.Errorf("state (-command +engine):\n%s", diff)
	}
	if n := len(got.Values.RootModule.Resources); n != 3 {
		t.Errorf("%d objects are shown, want 3", n)
	}
}

func build() (provider.Interface, error) { return resources.New("test") }

// operator runs the operations of the lifecycle.
type operator interface {
	plan(t *testing.T, destroy bool) *tfjson.Plan
	apply(t *testing.T)
	state(t *testing.T) *tfjson.State
}

func life(t *testing.T, w *acctest.Workdir, dir string, o operator) shown {
	t.Helper()
	out := shown{map[string]*tfjson.Plan{}, map[string]*tfjson.State{}}
	write := func(name, text string) {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("byid", "there")
	write("byidentity", "there")
	w.Write("main.tf", strings.ReplaceAll(before+removed, "DIR", dir))
	out.states["none"] = o.state(t)
	out.plans["create"] = o.plan(t, false)
	o.apply(t)
	out.states["created"] = o.state(t)
	out.plans["again"] = o.plan(t, false)
	w.Write("main.tf", strings.ReplaceAll(after(before), "DIR", dir))
	if err := os.Remove(filepath.Join(dir, "inner")); err != nil {
		t.Fatal(err)
	}
	write("byid", "drift")
	out.plans["change"] = o.plan(t, false)
	o.apply(t)
	out.states["changed"] = o.state(t)
	out.plans["destroy"] = o.plan(t, true)
	o.apply(t)
	out.states["destroyed"] = o.state(t)
	return out
}

// command is an operator that calls the command.
type command struct{ w *acctest.Workdir }

func (c *command) plan(t *testing.T, destroy bool) *tfjson.Plan {
	t.Helper()
	c.w.Do(nil, "get", "-no-color")
	args := []string{"plan", "-no-color", "-input=false", "-out=plan"}
	if destroy {
		args = append(args, "-destroy")
	}
	c.w.Do(nil, args...)
	out := &tfjson.Plan{}
	out.UseJSONNumber(true)
	c.show(t, out, "plan")
	return out
}

func (c *command) apply(*testing.T) { c.w.Do(nil, "apply", "-no-color", "-input=false", "plan") }

func (c *command) state(t *testing.T) *tfjson.State {
	t.Helper()
	out := &tfjson.State{}
	out.UseJSONNumber(true)
	c.show(t, out)
	return out
}

func (c *command) show(t *testing.T, into any, of ...string) {
	t.Helper()
	printed, err := c.w.Command(t.Context(), append([]string{"show", "-no-color", "-json"}, of...)...).Output()
	if err == nil {
		err = json.Unmarshal(printed, into)
	}
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			printed = exit.Stderr
		}
		t.Fatalf("show %v: %v\n%s", of, err, printed)
	}
}

// inProcess is an operator that uses the engine.
type inProcess struct {
	addr    addrs.Provider
	w       *acctest.Workdir
	engine  *engine.Engine
	config  *configs.Config
	planned *plans.Plan
	now     *states.State
}

func newInProcess(w *acctest.Workdir) *inProcess {
	addr := addrs.Provider{Hostname: w.RegistryHost(), Namespace: acctest.Namespace, Type: "posix"}
	return &inProcess{w: w, addr: addr, engine: engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		addr: func(context.Context) (provider.Interface, error) { return build() },
	}})}
}

func (p *inProcess) plan(t *testing.T, destroy bool) *tfjson.Plan {
	t.Helper()
	config, found := configs.Load(configs.Directory(p.w.Dir), ".", configs.Options{Hostname: p.w.RegistryHost()})
	check(t, tfdiags.Diagnostics(nil).Append(found))
	p.config = config
	check(t, p.engine.Validate(t.Context(), config))
	opts := engine.PlanOptions{}
	if destroy {
		opts.Mode = plans.DestroyMode
	}
	prior := p.now
	if prior == nil {
		prior = states.NewState()
	}
	plan, diags := p.engine.Plan(t.Context(), config, prior, opts)
	check(t, diags)
	p.planned = plan
	out, err := planjson.Plan(plan, config, p.engine.Schemas(t.Context()), "1.12.6")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (p *inProcess) apply(t *testing.T) {
	t.Helper()
	state, diags := p.engine.Apply(t.Context(), p.config, p.planned)
	check(t, diags)
	p.now = state
}

func (p *inProcess) state(t *testing.T) *tfjson.State {
	t.Helper()
	out, err := planjson.State(p.now, p.engine.Schemas(t.Context()), "1.12.6")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func check(t *testing.T, diags tfdiags.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
}
