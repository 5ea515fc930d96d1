package acctest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
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

// Versions that the engine reports to version checks and in JSON.
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

// session is the counterpart of a working directory: providers, a configuration and a
// state. Many methods correspond to commands; the errors that they return for diagnostics
// of the engine have the form of the command's output. A session must be used from one goroutine.
type session struct {
	ctx     context.Context //nolint:containedctx // a session is one test, and T has no context
	flavor  engine.Flavor
	observe func(engine.Call)

	providers providerSet
	engine    *engine.Engine
	factories map[addrs.Provider]engine.Factory // the factories that engine was created with

	config *loadedConfig
	state  *states.State // nil before the first write

	shown    *tfjson.State // cached result of stateJSON
	shownFor *states.State // the state that shown was made from
}

// loadedConfig is a configuration with the values of its variables.
type loadedConfig struct {
	files  *fileSet
	config *configs.Config
	vars   map[string]cty.Value
	diags  hcl.Diagnostics
	// valid is set once the engine has validated it.
	valid bool
}

func newSession(flavor engine.Flavor, providers providerSet, observe func(engine.Call)) *session {
	return &session{ctx: context.Background(), flavor: flavor, providers: providers, observe: observe}
}

// withoutState returns a session with the same providers and an empty state. Changes to
// it do not affect s.
func (s *session) withoutState() *session {
	out := *s
	out.state, out.shown, out.shownFor = nil, nil, nil
	return &out
}

// setConfig sets the configuration and its variables. It returns an error if variables
// cannot be read; plan returns the errors in the configuration.
func (s *session) setConfig(files *fileSet, vars config.Variables) error {
	if s.config != nil && s.config.files == files && len(vars) == 0 && len(s.config.vars) == 0 {
		return nil
	}
	return s.load(files, vars, s.options())
}

func (s *session) load(files *fileSet, vars config.Variables, opts configs.Options) error {
	c := &loadedConfig{files: files}
	c.config, c.diags = configs.Load(files, ".", opts)
	if files.implied {
		s.providers.require(c.config.Module, s.options())
	}
	s.config = c
	s.ensureEngine()
	var err error
	c.vars, err = variables(c.config, files, vars)
	return err
}

func (s *session) options() configs.Options {
	host, namespace := registry(s.flavor)
	return configs.Options{Terraform: s.flavor == engine.Terraform, Hostname: host, Namespace: namespace, Version: versionOf(s.flavor)}
}

func (s *session) setProviders(set providerSet) {
	s.providers, s.engine, s.factories, s.shown = set, nil, nil, nil
	if s.config != nil {
		s.config.valid = false
		s.ensureEngine()
	}
}

// ensureEngine creates an engine with all providers of the configuration. If the current
// engine has all of them, it is kept, because it caches their schemas.
func (s *session) ensureEngine() {
	want := s.providers.addresses(s.config.config, s.options())
	if s.engine != nil {
		missing := false
		for addr := range want {
			missing = missing || s.factories[addr] == nil
		}
		if !missing {
			return
		}
	}
	s.factories = want
	s.engine = engine.New(engine.Options{Flavor: s.flavor, Providers: want, Observe: s.observe})
}

// failure returns the error of a failed command with its output, or nil.
func (s *session) failure(diags tfdiags.Diagnostics) error {
	if !diags.HasErrors() {
		return nil
	}
	return errors.New("exit status 1\n" + diags.Format(diag.Error, s.source))
}

// source returns the content of a file of the configuration.
func (s *session) source(name string) []byte {
	if file := s.config.config.Files[name]; file != nil {
		return file.Bytes
	}
	return nil
}

// loadErr returns the errors of loading the configuration.
func (s *session) loadErr() error {
	return s.failure(tfdiags.Diagnostics{}.Append(s.config.diags))
}

// validate returns the errors in the configuration.
func (s *session) validate() error {
	if err := s.loadErr(); err != nil {
		return err
	}
	if c := s.config; !c.valid {
		if diags := s.engine.Validate(s.ctx, c.config); diags.HasErrors() {
			return s.failure(diags)
		}
		c.valid = true
	}
	return nil
}

// plan runs the plan command.
func (s *session) plan(opts engine.PlanOptions) (*plans.Plan, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	return s.planLoaded(opts)
}

// planLoaded plans without validating the configuration, which must have been loaded without errors.
func (s *session) planLoaded(opts engine.PlanOptions) (*plans.Plan, error) {
	opts.Variables = s.config.vars
	plan, diags := s.engine.Plan(s.ctx, s.config.config, s.prior(), opts)
	if diags.HasErrors() {
		return nil, s.failure(diags)
	}
	return plan, nil
}

// query runs the query command with the query files among the files. The session's
// configuration stays the same.
func (s *session) query(files *fileSet, vars config.Variables) ([]engine.QueryResult, error) {
	q := *s
	opts := s.options()
	opts.Query = true
	if err := q.load(files, vars, opts); err != nil {
		return nil, fatal{err}
	}
	if err := q.validate(); err != nil {
		return nil, err
	}
	results, diags := q.engine.Query(q.ctx, q.config.config, q.prior(), q.config.vars)
	return results, q.failure(diags)
}

// prior returns the state before a run.
func (s *session) prior() *states.State {
	if s.state == nil {
		return states.NewState()
	}
	return s.state
}

// apply runs the apply command with a plan. The state is updated even if it fails.
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

// refresh runs the refresh command, which makes a normal plan and stores its prior state.
func (s *session) refresh() error {
	plan, err := s.plan(engine.PlanOptions{})
	if err != nil {
		return err
	}
	s.state = plan.PriorState
	return nil
}

// refreshOnly runs the apply command with -refresh-only.
func (s *session) refreshOnly() error {
	return s.run(engine.PlanOptions{Mode: plans.RefreshOnlyMode})
}

// destroy runs the destroy command with -refresh=false.
func (s *session) destroy() error {
	return s.run(engine.PlanOptions{Mode: plans.DestroyMode, SkipRefresh: true})
}

// importByID runs the import command, which does not validate the configuration: it succeeds
// with invalid import blocks.
func (s *session) importByID(addr addrs.AbsResourceInstance, id string) error {
	if err := s.loadErr(); err != nil {
		return err
	}
	plan, err := s.planLoaded(engine.PlanOptions{Imports: []engine.ImportTarget{{Addr: addr, ID: id}}})
	if err != nil {
		return err
	}
	s.state = plan.PriorState
	return nil
}

// taint runs the taint command.
func (s *session) taint(address string) error {
	addr, err := addrs.ParseAbsResourceInstanceStr(address)
	if err != nil {
		return err
	}
	state := s.prior().DeepCopy()
	r := state.Resource(addr.ContainingResource())
	instance := state.ResourceInstance(addr)
	if !instance.HasCurrent() {
		return fmt.Errorf("cannot taint %s: it is not in the state", address)
	}
	tainted := *instance.Current
	tainted.Status = states.ObjectTainted
	state.SyncWrapper().SetResourceInstanceCurrent(addr, &tainted, r.ProviderConfig)
	s.state = state
	return nil
}

// forget runs the state rm command.
func (s *session) forget(address string) error {
	addr, err := addrs.ParseAbsResourceInstanceStr(address)
	if err != nil {
		return err
	}
	state := s.prior().DeepCopy()
	if !state.ResourceInstance(addr).HasObjects() {
		return fmt.Errorf("cannot remove %s: it is not in the state", address)
	}
	state.SyncWrapper().ForgetResourceInstanceAll(addr)
	s.state = state
	return nil
}

// schemas returns the schemas of all providers.
func (s *session) schemas() planjson.Schemas { return s.engine.Schemas(s.ctx) }

// stateJSON returns the output of show -json for the state.
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

// legacy returns the state in the form of Check functions, a new copy for each call.
func (s *session) legacy() (*terraform.State, error) {
	shown, err := s.stateJSON()
	if err != nil {
		return nil, err
	}
	return legacyState(shown)
}

// planJSON returns the output of show -json for a plan.
func (s *session) planJSON(plan *plans.Plan) (*tfjson.Plan, error) {
	shown, err := planjson.Plan(plan, s.config.config, s.schemas(), versionOf(s.flavor))
	if err != nil {
		return nil, fmt.Errorf("exit status 1\n\nError: %w", err)
	}
	return shown, nil
}

// checkPlan runs all checks on a plan.
func (s *session) checkPlan(plan *plans.Plan, checks []plancheck.PlanCheck) error {
	if len(checks) == 0 {
		return nil
	}
	shown, err := s.planJSON(plan)
	if err != nil {
		return err
	}
	var errs []error
	for _, check := range checks {
		var resp plancheck.CheckPlanResponse
		check.CheckPlan(context.Background(), plancheck.CheckPlanRequest{Plan: shown}, &resp)
		errs = append(errs, resp.Error)
	}
	return errors.Join(errs...)
}
