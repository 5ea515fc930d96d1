package acctest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/planjson"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// What the engine says that it is, to checks of its version and in JSON.
const (
	openTofuVersion  = "1.12.6"
	terraformVersion = "1.14.0"
)

func versionOf(flavor engine.Flavor) string {
	if flavor == engine.Terraform {
		return terraformVersion
	}
	return openTofuVersion
}

// session is what the command has in a working directory: providers, a
// configuration and a state. Its methods are the command's, and their errors have
// the command's text. It is used by one goroutine.
type session struct {
	ctx     context.Context //nolint:containedctx // a session is one test, and T has no context
	flavor  engine.Flavor
	observe func(engine.Call)

	providers providerSet
	engine    *engine.Engine
	known     map[addrs.Provider]engine.Factory // those of the engine

	config *loaded
	state  *states.State // nil until something was written

	shown    *tfjson.State // of which state
	shownFor *states.State
}

// loaded is a configuration with the values of its variables.
type loaded struct {
	files  *fileSet
	config *configs.Config
	vars   map[string]cty.Value
	diags  hcl.Diagnostics
	// valid is set once the engine has found no fault with it.
	valid bool
}

func newSession(flavor engine.Flavor, providers providerSet, observe func(engine.Call)) *session {
	return &session{ctx: context.Background(), flavor: flavor, providers: providers, observe: observe}
}

// empty is a session without state, with the same providers: for what must leave
// no trace.
func (s *session) empty() *session {
	out := *s
	out.state, out.shown, out.shownFor = nil, nil, nil
	return &out
}

// setConfig makes the files the configuration. The error is for variables that
// cannot be read; what is wrong with the configuration is said by what uses it.
func (s *session) setConfig(files *fileSet, vars config.Variables) error {
	if s.config != nil && s.config.files == files && len(vars) == 0 && len(s.config.vars) == 0 {
		return nil
	}
	c := &loaded{files: files}
	c.config, c.diags = configs.Load(files, ".", s.options())
	if files.implied {
		s.providers.require(c.config.Module, s.options())
	}
	s.config = c
	s.useEngine()
	var err error
	c.vars, err = variables(c.config, files, vars)
	return err
}

// options are how configurations are read.
func (s *session) options() configs.Options {
	host, namespace := registry(s.flavor)
	return configs.Options{Terraform: s.flavor == engine.Terraform, Hostname: host, Namespace: namespace, Version: versionOf(s.flavor)}
}

// setProviders replaces the providers.
func (s *session) setProviders(set providerSet) {
	s.providers, s.engine, s.known, s.shown = set, nil, nil, nil
	if s.config != nil {
		s.config.valid = false
		s.useEngine()
	}
}

// useEngine sees to an engine with all providers of the configuration. One that
// has them stays, and with it the schemas.
func (s *session) useEngine() {
	want := s.providers.addresses(s.config.config, s.options())
	if s.engine != nil {
		missing := false
		for addr := range want {
			missing = missing || s.known[addr] == nil
		}
		if !missing {
			return
		}
	}
	s.known = want
	s.engine = engine.New(engine.Options{Flavor: s.flavor, Providers: want, Observe: s.observe})
}

// failure is how a command ended that failed, with what it printed.
func (s *session) failure(diags tfdiags.Diagnostics) error {
	if !diags.HasErrors() {
		return nil
	}
	return errors.New("exit status 1\n" + diags.Format(diag.Error, s.source))
}

// source is the content of a file of the configuration.
func (s *session) source(name string) []byte {
	if file := s.config.config.Files[name]; file != nil {
		return file.Bytes
	}
	return nil
}

// plan is the plan command.
func (s *session) plan(opts engine.PlanOptions) (*plans.Plan, error) {
	c := s.config
	if c.diags.HasErrors() {
		return nil, s.failure(tfdiags.Diagnostics{}.Append(c.diags))
	}
	if !c.valid {
		if diags := s.engine.Validate(s.ctx, c.config); diags.HasErrors() {
			return nil, s.failure(diags)
		}
		c.valid = true
	}
	opts.Variables = c.vars
	plan, diags := s.engine.Plan(s.ctx, c.config, s.prior(), opts)
	if diags.HasErrors() {
		return nil, s.failure(diags)
	}
	return plan, nil
}

// prior is the state that a run begins with.
func (s *session) prior() *states.State {
	if s.state == nil {
		return states.NewState()
	}
	return s.state
}

// apply is the apply command with a plan. What was done is in the state also when
// it failed.
func (s *session) apply(plan *plans.Plan) error {
	state, diags := s.engine.Apply(s.ctx, s.config.config, plan)
	if state != nil {
		s.state = state
	}
	return s.failure(diags)
}

// run plans and applies.
func (s *session) run(opts engine.PlanOptions) error {
	plan, err := s.plan(opts)
	if err != nil {
		return err
	}
	return s.apply(plan)
}

// refresh is the refresh command.
func (s *session) refresh() error {
	return s.run(engine.PlanOptions{Mode: plans.RefreshOnlyMode})
}

// destroy is the destroy command, without refreshing before.
func (s *session) destroy() error {
	return s.run(engine.PlanOptions{Mode: plans.DestroyMode, SkipRefresh: true})
}

// importByID is the import command.
func (s *session) importByID(addr addrs.AbsResourceInstance, id string) error {
	return s.run(engine.PlanOptions{Imports: []engine.ImportTarget{{Addr: addr, ID: id}}})
}

// taint is the taint command.
func (s *session) taint(address string) error {
	addr, err := addrs.ParseAbsResourceInstanceStr(address)
	if err != nil {
		return err
	}
	state := s.prior().DeepCopy()
	r := state.Resource(addr.ContainingResource())
	instance := state.ResourceInstance(addr)
	if !instance.HasCurrent() {
		return fmt.Errorf("there is no %s in the state to taint", address)
	}
	tainted := *instance.Current
	tainted.Status = states.ObjectTainted
	state.SyncWrapper().SetResourceInstanceCurrent(addr, &tainted, r.ProviderConfig)
	s.state = state
	return nil
}

// forget is the state rm command.
func (s *session) forget(address string) error {
	addr, err := addrs.ParseAbsResourceInstanceStr(address)
	if err != nil {
		return err
	}
	state := s.prior().DeepCopy()
	if !state.ResourceInstance(addr).HasObjects() {
		return fmt.Errorf("there is no %s in the state to remove", address)
	}
	state.SyncWrapper().ForgetResourceInstanceAll(addr)
	s.state = state
	return nil
}

// schemas are those of all providers.
func (s *session) schemas() planjson.Schemas { return s.engine.Schemas(s.ctx) }

// stateJSON is what show -json prints of the state.
func (s *session) stateJSON() (*tfjson.State, error) {
	if s.shown != nil && s.shownFor == s.state {
		return s.shown, nil
	}
	shown, err := planjson.State(s.state, s.schemas(), versionOf(s.flavor))
	if err != nil {
		return nil, fmt.Errorf("exit status 1\n\nError: %w", err)
	}
	s.shown, s.shownFor = shown, s.state
	return shown, nil
}

// legacy is the state as Check functions have it, each time a new one.
func (s *session) legacy() (*terraform.State, error) {
	shown, err := s.stateJSON()
	if err != nil {
		return nil, err
	}
	return legacyState(shown)
}

// planJSON is what show -json prints of a plan.
func (s *session) planJSON(plan *plans.Plan) (*tfjson.Plan, error) {
	shown, err := planjson.Plan(plan, s.config.config, s.schemas(), versionOf(s.flavor))
	if err != nil {
		return nil, fmt.Errorf("exit status 1\n\nError: %w", err)
	}
	return shown, nil
}
