package timeport

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Duration is a [runtime.Duration] with another title of its error.
type Duration struct{ runtime.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	if err := d.Duration.UnmarshalText(text); err != nil {
		return diag.Diagnostic{Summary: "Invalid Attribute Value Match", Detail: err.Error()}
	}
	return nil
}

// Sleep delays its creation and its destruction.
type Sleep struct {
	// CreateDuration is the time to wait during creation, such as `30s`. Changing it has no
	// effect on an existing resource.
	CreateDuration *Duration
	// DestroyDuration is the time to wait during destruction, such as `30s`. Takes effect
	// once applied.
	DestroyDuration *Duration
	// Triggers are arbitrary values. Changing them destroys and creates the resource again,
	// with both delays.
	Triggers map[string]string `tf:",optional,replace"`
}

// SleepOutput is a delay in the state.
type SleepOutput struct {
	// ID is the time of the creation in the format of RFC 3339.
	ID string `tf:",keep"`
}

// Constraints returns the rules of the configuration.
func (*Sleep) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.CheckTogether("At least one of the durations must be set", func(create, destroy *Duration) error {
		if create == nil && destroy == nil {
			return diag.Diagnostic{Summary: "Invalid Attribute Combination", Detail: "Set create_duration, destroy_duration or both."}
		}
		return nil
	}, "create_duration", "destroy_duration")}
}

// Create waits.
func (s *Sleep) Create(ctx context.Context, clock Clock) (*SleepOutput, error) {
	if err := wait(ctx, s.CreateDuration); err != nil {
		return nil, err
	}
	return &SleepOutput{clock.now().String()}, nil
}

// Read returns the object as it is in the state.
func (s *Sleep) Read(_ context.Context, _ Clock, prior *SleepOutput) (*SleepOutput, error) {
	return prior, nil
}

// Update stores new durations.
func (s *Sleep) Update(_ context.Context, _ Clock, prior runtime.Prior[Sleep, *SleepOutput]) (*SleepOutput, error) {
	return prior.Outputs, nil
}

// Delete waits.
func (s *Sleep) Delete(ctx context.Context, _ Clock, _ *SleepOutput) error {
	return wait(ctx, s.DestroyDuration)
}

// ImportByID accepts the two durations, separated by a comma; one may be empty.
func (s *Sleep) ImportByID(_ context.Context, clock Clock, id string) (*SleepOutput, error) {
	create, destroy, found := strings.Cut(id, ",")
	if !found || create == "" && destroy == "" {
		return nil, errors.New("must be the two durations, separated by a comma, such as 30s,")
	}
	for text, field := range map[string]**Duration{create: &s.CreateDuration, destroy: &s.DestroyDuration} {
		if text == "" {
			continue
		}
		*field = new(Duration)
		if err := (*field).UnmarshalText([]byte(text)); err != nil {
			return nil, err
		}
	}
	return &SleepOutput{clock.now().String()}, nil
}

// wait returns after a duration, or with the error of ctx when it ends.
func wait(ctx context.Context, d *Duration) error {
	if d == nil {
		return nil
	}
	select {
	case <-time.After(time.Duration(d.Duration)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
