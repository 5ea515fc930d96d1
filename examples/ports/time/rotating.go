package timeport

import (
	"context"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Rotating keeps a timestamp in the state until the current time is past the time of its
// rotation, and is then created again.
type Rotating struct {
	inState[*RotatingOutput]

	// RFC3339 is the base timestamp in the format of RFC 3339. Defaults to the current time.
	RFC3339 *Timestamp `tf:",replace"`
	// RotationRFC3339 is the time of the rotation in the format of RFC 3339. Defaults to the
	// base timestamp plus the other `rotation_` arguments.
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
	// Arbitrary values. Changing this forces a new resource.
	Triggers map[string]string `tf:",optional,replace"`
}

// RotatingOutput is a timestamp with a rotation in the state.
type RotatingOutput struct {
	// ID is the base timestamp in the format of RFC 3339, such as `2035-06-01T10:00:00Z`.
	ID string
	Moment

	RFC3339         Timestamp `tf:",computed,keep"`
	RotationRFC3339 Timestamp `tf:",computed"`
}

// Constraints returns the rules of the configuration.
func (*Rotating) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.AtLeastOneOf("rotation_rfc3339", "rotation_years", "rotation_months", "rotation_days", "rotation_hours", "rotation_minutes"),
		runtime.AtLeast("rotation_years", 1),
		runtime.AtLeast("rotation_months", 1),
		runtime.AtLeast("rotation_days", 1),
		runtime.AtLeast("rotation_hours", 1),
		runtime.AtLeast("rotation_minutes", 1),
	}
}

// from returns the outputs for a base timestamp.
func (r *Rotating) from(base Timestamp) *RotatingOutput {
	at := base.plus(r.RotationYears, r.RotationMonths, r.RotationDays, r.RotationHours, r.RotationMinutes, nil)
	if r.RotationRFC3339 != nil {
		at = *r.RotationRFC3339
	}
	return &RotatingOutput{base.String(), at.moment(), base, at}
}

// PlanOutputs plans the outputs of an update. The outputs of a new resource are known only after
// the resource is created.
func (r *Rotating) PlanOutputs(ctx context.Context, _ Clock, plan *runtime.OutputPlan) error {
	if r.RFC3339 != nil && !runtime.PlansCreate(ctx) {
		out := r.from(*r.RFC3339)
		plan.Set("id", out.ID)
		out.set(plan)
		plan.Set("rotation_rfc3339", out.RotationRFC3339)
	}
	return nil
}

// Create returns the outputs for the base timestamp, by default the current time.
func (r *Rotating) Create(_ context.Context, clock Clock) (*RotatingOutput, error) {
	return r.from(clock.or(r.RFC3339)), nil
}

// Read returns an error that wraps [runtime.ErrNotFound] if the time of the rotation has passed.
func (r *Rotating) Read(_ context.Context, clock Clock, prior *RotatingOutput) (*RotatingOutput, error) {
	if clock().After(prior.RotationRFC3339.Time) {
		return nil, fmt.Errorf("%w: the rotation was due at %s", runtime.ErrNotFound, prior.RotationRFC3339)
	}
	return prior, nil
}

// Update changes the time of the rotation.
func (r *Rotating) Update(_ context.Context, _ Clock, prior runtime.Prior[Rotating, *RotatingOutput]) (*RotatingOutput, error) {
	return r.from(prior.Outputs.RFC3339), nil
}

// ImportByID accepts the base timestamp, and either the time of the rotation or the five
// numbers from years to minutes.
func (r *Rotating) ImportByID(_ context.Context, _ Clock, id string) (*RotatingOutput, error) {
	const form = "BASE,ROTATION or BASE,YEARS,MONTHS,DAYS,HOURS,MINUTES"
	if first, second, found := strings.Cut(id, ","); found && !strings.Contains(second, ",") {
		at, err := importID(second, form)
		if err != nil {
			return nil, err
		}
		r.RotationRFC3339 = &at
		base, err := importID(first, form)
		return r.from(base), err
	}
	base, err := importID(id, form, &r.RotationYears, &r.RotationMonths, &r.RotationDays, &r.RotationHours, &r.RotationMinutes)
	return r.from(base), err
}
