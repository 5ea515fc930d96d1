package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// killed runs a configuration whose provider may be killed. v is the value of the input variable v.
type killed interface {
	apply(ctx context.Context, v int) error
	// unchanged returns an error if a plan fails or has changes.
	unchanged(ctx context.Context, v int) error
	// forget removes the state.
	forget() error
}

// commandLine runs OpenTofu or Terraform.
type commandLine struct{ w *acctest.Workdir }

func newCommandLine(w *acctest.Workdir, config string) killed {
	w.Write("main.tf", config)
	return commandLine{w}
}

func (c commandLine) run(v int, args ...string) error {
	if r := c.w.Run(append(args, "-no-color", "-var=v="+strconv.Itoa(v))...); r.Code != 0 {
		return fmt.Errorf("%s: exit code %d:\n%s", args, r.Code, r.Output)
	}
	return nil
}

func (c commandLine) apply(_ context.Context, v int) error { return c.run(v, "apply", "-auto-approve") }

func (c commandLine) unchanged(_ context.Context, v int) error {
	return c.run(v, "plan", "-detailed-exitcode")
}

func (c commandLine) forget() error {
	err := os.Remove(filepath.Join(c.w.Dir, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// inProcess runs the engine in this process, with the provider in another.
type inProcess struct {
	engine *engine.Engine
	config *configs.Config
	state  *states.State
}

const registry = "registry.test"

func newInProcess(t *testing.T, program, config string) killed {
	t.Helper()
	addr, err := addrs.ParseProviderSourceString("posixform/posix", registry)
	resourcetest.Must(t, err)
	config = "terraform {\n  required_providers {\n    posix = {\n      source = \"posixform/posix\"\n    }\n  }\n}\n" + config
	loaded, diags := configs.Load(configs.Files{"main.tf": []byte(config)}, ".", configs.Options{Hostname: registry})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return &inProcess{config: loaded, state: states.NewState(), engine: engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		addr: func(ctx context.Context) (provider.Interface, error) {
			remote, err := client.Dial(ctx, client.DialConfig{Path: program})
			if err != nil {
				return nil, err // an untyped nil
			}
			return remote, nil
		},
	}})}
}

func (p *inProcess) plan(ctx context.Context, v int) (*plans.Plan, error) {
	plan, diags := p.engine.Plan(ctx, p.config, p.state, engine.PlanOptions{Variables: map[string]cty.Value{"v": cty.NumberIntVal(int64(v))}})
	return plan, diags.Err()
}

func (p *inProcess) apply(ctx context.Context, v int) error {
	plan, err := p.plan(ctx, v)
	if err != nil {
		return err
	}
	state, diags := p.engine.Apply(ctx, p.config, plan)
	if state != nil {
		p.state = state
	}
	return diags.Err()
}

func (p *inProcess) unchanged(ctx context.Context, v int) error {
	plan, err := p.plan(ctx, v)
	if err != nil {
		return err
	}
	for _, c := range plan.Changes {
		if c.Action != plans.NoOp {
			return fmt.Errorf("%s: %s", c.Addr, c.Action)
		}
	}
	return nil
}

func (p *inProcess) forget() error {
	p.state = states.NewState()
	return nil
}
