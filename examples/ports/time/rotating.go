package timeport

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Rotating keeps a timestamp in the state until the current time is past the time of its
// rotation, and is then created again.
type Rotating struct {
	// RFC3339 is the base timestamp in the format of RFC 3339. Defaults to the current time.
	RFC3339 *Timestamp `tf:",replace"`
	// RotationRFC3339 is the time of the rotation in the format of RFC 3339. Defaults to the
	// base timestamp and the other `rotation_` arguments.
	RotationRFC3339 *Timestamp
	// RotationYears is the number of years from the base timestamp to the rotation.
	RotationYears *int
	// RotationMonths is the number of months from the base timestamp to the rotation.
	RotationMonths *int
	// RotationDays is the number of days from the base timestamp to the rotation.
	RotationDays *int
	// RotationHours is the number of hours from the base timestamp to the rotation.
	RotationHours *int
	// RotationMinutes is the number of minutes from the base timestamp to the rotation.
	RotationMinutes *int
	// Triggers are arbitrary values. Changing them saves a new base timestamp.
	Triggers map[string]string `tf:",optional,replace"`
}

// RotatingOutput is a timestamp with a rotation in the state.
type RotatingOutput struct {
	// ID is the timestamp in the format of RFC 3339, such as `2020-02-12T06:36:13Z`.
	ID string
	Moment

	RFC3339         Timestamp `tf:",computed,keep"`
	RotationRFC3339 Timestamp `tf:",computed"`
}

// Constraints returns the rules of the configuration.
func (*Rotating) Constraints() []runtime.Constraint {
	rules := []runtime.Constraint{runtime.CheckTogether("At least one of the `rotation_` arguments must be set",
		func(at *Timestamp, years, months, days, hours, minutes *int) error {
			if at != nil {
				return nil
			}
			return missing("Missing Attribute Configuration", "Set at least one of the rotation_ arguments.", years, months, days, hours, minutes)
		}, "rotation_rfc3339", "rotation_years", "rotation_months", "rotation_days", "rotation_hours", "rotation_minutes")}
	for _, unit := range []string{"years", "months", "days", "hours", "minutes"} {
		rules = append(rules, runtime.Check("rotation_"+unit, "must be at least 1", positive))
	}
	return rules
}

func positive(n int) error {
	if n < 1 {
		return errors.New("The value must be at least 1.") //nolint:revive,staticcheck // the whole message
	}
	return nil
}

// from returns the outputs for a base timestamp.
func (r *Rotating) from(base Timestamp) *RotatingOutput {
	at := base.plus(r.RotationYears, r.RotationMonths, r.RotationDays, r.RotationHours, r.RotationMinutes, nil)
	if r.RotationRFC3339 != nil {
		at = *r.RotationRFC3339
	}
	return &RotatingOutput{base.String(), base.moment(), base, at}
}

// PlanOutputs plans the rotation of an update. That of a new resource is known only after
// it is created.
func (r *Rotating) PlanOutputs(ctx context.Context, _ Clock, plan *runtime.OutputPlan) error {
	if r.RFC3339 != nil && !runtime.PlansCreate(ctx) {
		out := r.from(*r.RFC3339)
		plan.Set("id", out.ID)
		out.set(plan)
		plan.Set("rotation_rfc3339", out.RotationRFC3339)
	}
	return nil
}

// Create takes the time.
func (r *Rotating) Create(_ context.Context, clock Clock) (*RotatingOutput, error) {
	if r.RFC3339 == nil {
		return r.from(clock.now()), nil
	}
	return r.from(*r.RFC3339), nil
}

// Read reports that the resource does not exist if the rotation is due.
func (r *Rotating) Read(_ context.Context, clock Clock, prior *RotatingOutput) (*RotatingOutput, error) {
	if clock().After(prior.RotationRFC3339.Time) {
		return nil, fmt.Errorf("%w: its rotation was due at %s", runtime.ErrNotFound, prior.RotationRFC3339)
	}
	return prior, nil
}

// Update changes the time of the rotation.
func (r *Rotating) Update(_ context.Context, _ Clock, prior runtime.Prior[Rotating, *RotatingOutput]) (*RotatingOutput, error) {
	return r.from(prior.Outputs.RFC3339), nil
}

// Delete has nothing to delete.
func (r *Rotating) Delete(context.Context, Clock, *RotatingOutput) error { return nil }

// ImportByID accepts the base timestamp, and either the time of the rotation or the five
// numbers.
func (r *Rotating) ImportByID(_ context.Context, _ Clock, id string) (*RotatingOutput, error) {
	if first, second, found := strings.Cut(id, ","); found && !strings.Contains(second, ",") {
		at, err := importID(second)
		if err != nil {
			return nil, err
		}
		id, r.RotationRFC3339 = first, &at
		base, err := importID(id)
		return r.from(base), err
	}
	base, err := importID(id, &r.RotationYears, &r.RotationMonths, &r.RotationDays, &r.RotationHours, &r.RotationMinutes)
	return r.from(base), err
}
