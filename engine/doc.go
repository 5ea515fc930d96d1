// Package engine plans and applies configurations with providers in this process, in
// the role of Terraform and OpenTofu, and with their checks of provider responses.
//
//	e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{addr: New}})
//	config, _ := configs.Load(configs.Directory("testdata/site"), ".", configs.Options{})
//	plan, diags := e.Plan(ctx, config, states.NewState(), engine.PlanOptions{})
//	state, diags := e.Apply(ctx, config, plan)
//
// The engine exists for tests: a lifecycle takes little more time than the provider's own
// calls. Package acctest runs test cases on it; engine/configs loads configurations,
// engine/lang evaluates expressions, and engine/plans defines plans.
//
// Invariants: each check of docs/checks.md is made in the order of Terraform core, and
// responses are corrected only where core corrects them. Options.Flavor selects between
// Terraform and OpenTofu where they differ. An unsupported construct is an error that
// names it.
//
// Elsewhere: package objchange decides which objects are valid, and package states has the
// state.
package engine
