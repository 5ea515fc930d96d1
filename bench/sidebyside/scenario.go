package sidebyside

import (
	"context"
	"fmt"
	"time"
)

// Scenario is one thing that the resource must do.
type Scenario struct {
	// Name completes the sentence "the resource …".
	Name string
	// run returns what is not as it should be.
	run func(ctx context.Context, w *world) error
}

// Group is a part of the table.
type Group struct {
	Title     string
	Scenarios []Scenario
}

// Groups are all scenarios.
func Groups() []Group {
	return []Group{
		{"Life", lifeScenarios()},
		{"Values", valueScenarios()},
		{"Validation, at the attribute's path", validationScenarios()},
	}
}

// patience is how long a scenario may take; a provider that waits for good is
// stopped then.
const patience = 10 * time.Second

// Run lets a contender act a scenario in a world of its own and returns what
// was not as it should be. A panic of the provider is one of these things.
func (s Scenario) Run(ctx context.Context, c Contender) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w, remove, err := newWorld(ctx, c)
	if err != nil {
		return err
	}
	defer remove()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.run(ctx, w)
}

// made plans and applies a configuration.
func (w *world) made(ctx context.Context, a attrs) error {
	p, err := w.plan(ctx, w.config(a))
	if err != nil {
		return err
	}
	return w.apply(ctx, p)
}

// planned plans a configuration and judges what it would do.
func (w *world) planned(ctx context.Context, a attrs, want action) (*plan, error) {
	p, err := w.plan(ctx, w.config(a))
	if err != nil {
		return nil, err
	}
	return p, p.expect(want)
}

// steps runs one after the other until one fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
