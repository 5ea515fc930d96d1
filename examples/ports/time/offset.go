package timeport

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Offset keeps a timestamp in the state: a base timestamp plus an offset.
type Offset struct {
	inState[*OffsetOutput]

	// BaseRFC3339 is the base timestamp in the format of RFC 3339. Defaults to the current
	// time.
	BaseRFC3339 *Timestamp `tf:",replace"`
	// OffsetYears is the number of years to add to the base timestamp.
	OffsetYears *int
	// OffsetMonths is the number of months to add to the base timestamp.
	OffsetMonths *int
	// OffsetDays is the number of days to add to the base timestamp.
	OffsetDays *int
	// OffsetHours is the number of hours to add to the base timestamp.
	OffsetHours *int
	// OffsetMinutes is the number of minutes to add to the base timestamp.
	OffsetMinutes *int
	// OffsetSeconds is the number of seconds to add to the base timestamp.
	OffsetSeconds *int
	// Arbitrary values. Changing this forces a new resource.
	Triggers map[string]string `tf:",optional,replace"`
}

// OffsetOutput is a timestamp with an offset in the state.
type OffsetOutput struct {
	// ID is the base timestamp in the format of RFC 3339, such as `2035-06-01T10:00:00Z`.
	ID string
	Moment

	BaseRFC3339 Timestamp `tf:",computed,keep"`
	// RFC3339 is the timestamp with the offset, in the format of RFC 3339.
	RFC3339 Timestamp
}

// Constraints returns the rules of the configuration.
func (*Offset) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.AtLeastOneOf("offset_years", "offset_months", "offset_days", "offset_hours", "offset_minutes", "offset_seconds"),
	}
}

// from returns the outputs for a base timestamp.
func (o *Offset) from(base Timestamp) *OffsetOutput {
	at := base.plus(o.OffsetYears, o.OffsetMonths, o.OffsetDays, o.OffsetHours, o.OffsetMinutes, o.OffsetSeconds)
	return &OffsetOutput{base.String(), at.moment(), base, at}
}

// PlanOutputs plans the outputs if the base timestamp is known.
func (o *Offset) PlanOutputs(_ context.Context, _ Clock, plan *runtime.OutputPlan) error {
	if o.BaseRFC3339 != nil {
		out := o.from(*o.BaseRFC3339)
		plan.Set("id", out.ID)
		out.set(plan)
		plan.Set("rfc3339", out.RFC3339)
	}
	return nil
}

// Create returns the outputs for the base timestamp, by default the current time.
func (o *Offset) Create(_ context.Context, clock Clock) (*OffsetOutput, error) {
	return o.from(clock.or(o.BaseRFC3339)), nil
}

// Update adds a new offset to the same base.
func (o *Offset) Update(_ context.Context, _ Clock, prior runtime.Prior[Offset, *OffsetOutput]) (*OffsetOutput, error) {
	return o.from(prior.Outputs.BaseRFC3339), nil
}

// ImportByID accepts the base timestamp and the six offsets.
func (o *Offset) ImportByID(_ context.Context, _ Clock, id string) (*OffsetOutput, error) {
	base, err := importID(id, "BASE,YEARS,MONTHS,DAYS,HOURS,MINUTES,SECONDS",
		&o.OffsetYears, &o.OffsetMonths, &o.OffsetDays, &o.OffsetHours, &o.OffsetMinutes, &o.OffsetSeconds)
	return o.from(base), err
}
