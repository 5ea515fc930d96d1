package timeport

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Static keeps a timestamp in the state: that of its creation, or a configured one.
type Static struct {
	inState[*StaticOutput]

	// RFC3339 is the timestamp in the format of RFC 3339. Defaults to the current time.
	RFC3339 *Timestamp `tf:",replace"`
	// Arbitrary values. Changing this forces a new resource.
	Triggers map[string]string `tf:",optional,replace"`
}

// StaticOutput is a timestamp in the state.
type StaticOutput struct {
	// ID is the timestamp in the format of RFC 3339, such as `2035-06-01T10:00:00Z`.
	ID string
	Moment

	RFC3339 Timestamp `tf:",computed"`
}

// PlanOutputs plans the ID and the parts of a configured timestamp.
func (s *Static) PlanOutputs(_ context.Context, _ Clock, plan *runtime.OutputPlan) error {
	if s.RFC3339 != nil {
		plan.Set("id", s.RFC3339.String())
		s.RFC3339.moment().set(plan)
	}
	return nil
}

// Create returns the configured timestamp, or the current time.
func (s *Static) Create(_ context.Context, clock Clock) (*StaticOutput, error) {
	at := clock.or(s.RFC3339)
	return &StaticOutput{at.String(), at.moment(), at}, nil
}

// Update is never called: each change replaces the resource.
func (s *Static) Update(_ context.Context, _ Clock, prior runtime.Prior[Static, *StaticOutput]) (*StaticOutput, error) {
	return prior.Outputs, nil
}

// ImportByID accepts a timestamp.
func (s *Static) ImportByID(_ context.Context, _ Clock, id string) (*StaticOutput, error) {
	at, err := importID(id, "TIMESTAMP")
	return &StaticOutput{at.String(), at.moment(), at}, err
}
