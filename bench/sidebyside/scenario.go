package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/framework"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/ours"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/sdkv2"
)

// Scenario is one capability of the resource.
type Scenario struct {
	// Name completes the sentence "the resource …".
	Name string
	// run calls check or fail for a deviation, which ends the scenario.
	run func(ctx context.Context, w *world)
}

// Group is a part of the table.
type Group struct {
	Title     string
	Scenarios []Scenario
}

// Groups returns all scenarios.
func Groups() []Group {
	return []Group{
		{"Lifecycle", lifeScenarios()},
		{"Values", valueScenarios()},
		{"Validation, at the attribute's path", validationScenarios()},
	}
}

// maxWait is the time limit of a scenario.
const maxWait = 10 * time.Second

// failure is the panic value that ends a scenario.
type failure struct{ err error }

// check ends the scenario if err is not nil.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// fail ends the scenario.
func fail(text string) { check(errors.New(text)) }

// Run runs a scenario with a contender in a new world, and returns its failure. A panic of
// the provider is a failure.
func (s Scenario) Run(ctx context.Context, c Contender) (err error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	w, remove, err := newWorld(ctx, c)
	if err != nil {
		return err
	}
	defer remove()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	s.run(ctx, w)
	return nil
}

// applyConfig plans and applies a configuration.
func (w *world) applyConfig(ctx context.Context, a attrs) error {
	p, err := w.plan(ctx, w.config(a))
	if err != nil {
		return err
	}
	return w.apply(ctx, p)
}

// planConfig plans a configuration. It ends the scenario unless the plan has the action.
func (w *world) planConfig(ctx context.Context, a attrs, want action) *plan {
	p, err := w.plan(ctx, w.config(a))
	check(err)
	check(p.expect(want))
	return p
}

// Contender is one of the three ways to write the resource.
type Contender struct {
	// Title is the name on the page.
	Title string
	// Dir is the directory of its code, relative to this package.
	Dir string
	// New returns a server of its provider.
	New func(context.Context) (tfplugin.ProviderServer, error)
}

// Contenders returns all three contenders, starting with the runtime of this repository.
func Contenders() []Contender {
	return []Contender{
		{Title: "runtime", Dir: "ours", New: ours.New},
		{Title: "framework", Dir: "framework", New: func(context.Context) (tfplugin.ProviderServer, error) { return framework.New() }},
		{Title: "SDKv2", Dir: "sdkv2", New: sdkv2.New},
	}
}
