package timeport

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sleep delays its creation and its destruction.
type Sleep struct {
	inState[*SleepOutput]

	// CreateDuration is the time to wait during creation, such as `30s`. Changing it has no
	// effect on an existing resource.
	CreateDuration *runtime.Duration
	// DestroyDuration is the time to wait during destruction, such as `30s`. Takes effect
	// once applied.
	DestroyDuration *runtime.Duration
	// Arbitrary values. Changing this forces a new resource, with both delays.
	Triggers map[string]string `tf:",optional,replace"`
}

// SleepOutput is a delay in the state.
type SleepOutput struct {
	// ID is the time of the creation or of the import, in the format of RFC 3339.
	ID string `tf:",keep"`
}

// Constraints returns the rules of the configuration.
func (*Sleep) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtLeastOneOf("create_duration", "destroy_duration")}
}

// Create waits for CreateDuration.
func (s *Sleep) Create(ctx context.Context, clock Clock) (*SleepOutput, error) {
	if err := wait(ctx, s.CreateDuration); err != nil {
		return nil, err
	}
	return &SleepOutput{clock.now().String()}, nil
}

// Update stores new durations.
func (s *Sleep) Update(_ context.Context, _ Clock, prior runtime.Prior[Sleep, *SleepOutput]) (*SleepOutput, error) {
	return prior.Outputs, nil
}

// Delete waits for DestroyDuration.
func (s *Sleep) Delete(ctx context.Context, _ Clock, _ *SleepOutput) error {
	return wait(ctx, s.DestroyDuration)
}

// ImportByID accepts the two durations, separated by a comma. One of the durations may be empty.
func (s *Sleep) ImportByID(_ context.Context, clock Clock, id string) (*SleepOutput, error) {
	create, destroy, found := strings.Cut(id, ",")
	if !found || create == "" && destroy == "" {
		return nil, errors.New("must be the two durations, separated by a comma, such as \"30s,10s\" or \"30s,\"")
	}
	var errs [2]error
	s.CreateDuration, errs[0] = duration(create)
	s.DestroyDuration, errs[1] = duration(destroy)
	return &SleepOutput{clock.now().String()}, errors.Join(errs[:]...)
}

// duration parses a part of an import ID. It returns nil for an empty part.
func duration(text string) (*runtime.Duration, error) {
	if text == "" {
		return nil, nil
	}
	var d runtime.Duration
	err := d.UnmarshalText([]byte(text))
	return &d, err
}

// wait waits for a duration, which may be nil. If ctx ends first, it returns the error of ctx.
func wait(ctx context.Context, d *runtime.Duration) error {
	if d == nil {
		return nil
	}
	select {
	case <-time.After(time.Duration(*d)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
