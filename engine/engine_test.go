package engine_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/states"
)

// run is a lifecycle with one engine.
type run struct {
	*testing.T
	engine *engine.Engine
	state  *states.State
}

func newRun(t *testing.T, opts engine.Options) *run {
	t.Helper()
	return &run{T: t, engine: engine.New(opts), state: states.NewState()}
}

func (r *run) load(text string) *configs.Config {
	r.Helper()
	config, diags := configs.Load(configs.Files{"main.tf": []byte(text)}, ".", configs.Options{})
	if diags.HasErrors() {
		r.Fatal(diags)
	}
	return config
}

func (r *run) plan(text string, opts engine.PlanOptions) *plans.Plan {
	r.Helper()
	plan, diags := r.engine.Plan(r.Context(), r.load(text), r.state, opts)
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	return plan
}

func (r *run) apply(text string, opts engine.PlanOptions) *plans.Plan {
	r.Helper()
	config := r.load(text)
	if diags := r.engine.Validate(r.Context(), config); diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	plan, diags := r.engine.Plan(r.Context(), config, r.state, opts)
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	state, diags := r.engine.Apply(r.Context(), config, plan)
	r.state = state
	if diags.HasErrors() {
		r.Fatal(diags.Error())
	}
	return plan
}

func (r *run) output(name string) cty.Value {
	r.Helper()
	o := r.state.RootModule().OutputValues[name]
	if o == nil {
		r.Fatalf("no output %s", name)
	}
	return o.Value
}

const chain = `
variable "first" {
  default = "a"
}
locals {
  both = "${terraform_data.one.output}-${var.first}"
}
resource "terraform_data" "one" {
  input = var.first
}
resource "terraform_data" "many" {
  count            = 2
  input            = "${local.both}-${count.index}"
  triggers_replace = terraform_data.one.output
}
output "all" {
  value = terraform_data.many[*].output
}
`

func TestLifecycle(t *testing.T) {
	t.Parallel()
	r := newRun(t, engine.Options{})
	first := r.apply(chain, engine.PlanOptions{})
	if len(first.Changes) != 3 {
		t.Errorf("%d changes planned, want 3", len(first.Changes))
	}
	want := cty.TupleVal([]cty.Value{cty.StringVal("a-a-0"), cty.StringVal("a-a-1")})
	if got := r.output("all"); !got.RawEquals(want) {
		t.Errorf("output all is %#v, want %#v", got, want)
	}
	if again := r.plan(chain, engine.PlanOptions{}); !again.Empty() {
		t.Errorf("a plan after apply is not empty: %s", actions(again))
	}
	changed := r.apply(chain, engine.PlanOptions{Variables: map[string]cty.Value{"first": cty.StringVal("b")}})
	if got, want := actions(changed), "terraform_data.many[0] DeleteThenCreate, terraform_data.many[1] DeleteThenCreate, terraform_data.one Update"; got != want {
		t.Errorf("actions of a change: %s, want %s", got, want)
	}
	r.apply(chain, engine.PlanOptions{Mode: plans.DestroyMode})
	if !r.state.Empty() {
		t.Errorf("after a destroy there is still something: %s", r.state)
	}
}

func actions(p *plans.Plan) string {
	text := ""
	for _, c := range p.Changes {
		if c.Action == plans.NoOp {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += c.Addr.String() + " " + c.Action.String()
	}
	return text
}
