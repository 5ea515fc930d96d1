package clock

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

func rotating(now func() time.Time) *schema.Resource {
	store := func(d *schema.ResourceData) diag.Diagnostics {
		t, err := base(d, "rfc3339", now)
		if err != nil {
			return diag.FromErr(err)
		}
		d.SetId(t.Format(time.RFC3339))
		if err := setParts(d, t); err != nil {
			return diag.FromErr(err)
		}
		return diag.FromErr(d.Set("rotation_rfc3339", move(d.Get, "rotation_", t).Format(time.RFC3339)))
	}
	attributes := withUnits(withParts(given("rfc3339", "The time of the last rotation. Defaults to now.")), "rotation_", 1)
	attributes["rotation_rfc3339"] = &schema.Schema{Description: "The time of the next rotation.", Type: schema.TypeString, Computed: true}
	return &schema.Resource{
		Description:   "A time that is replaced when its rotation is due.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics { return store(d) },
		// Remove an expired rotation from the state, so that the plan creates it again.
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			due, err := time.Parse(time.RFC3339, d.Get("rotation_rfc3339").(string)) //nolint:forcetypeassert // the schema says so
			if err != nil {
				return diag.FromErr(err)
			}
			if !now().Before(due) {
				d.SetId("")
			}
			return nil
		},
		UpdateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics { return store(d) },
		DeleteContext: schema.NoopContext,
		CustomizeDiff: func(_ context.Context, d *schema.ResourceDiff, _ any) error {
			if d.Id() == "" || !unitsChange(d, "rotation_") {
				return nil
			}
			return d.SetNewComputed("rotation_rfc3339")
		},
		Importer: &schema.ResourceImporter{StateContext: importRotating},
		Schema:   attributes,
	}
}

// importRotating parses "TIME,YEARS,MONTHS,DAYS,HOURS,MINUTES,SECONDS"; empty parts are
// not set.
func importRotating(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	fields := strings.Split(d.Id(), ",")
	if len(fields) != 1+len(units) {
		return nil, errors.New("the id of a rotating time must be TIME,YEARS,MONTHS,DAYS,HOURS,MINUTES,SECONDS")
	}
	t, err := time.Parse(time.RFC3339, fields[0])
	if err != nil {
		return nil, fmt.Errorf("invalid time in the id of a rotating time: %w", err)
	}
	for i, unit := range units {
		if fields[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(fields[i+1])
		if err != nil {
			return nil, fmt.Errorf("invalid %s in the id of a rotating time: %w", unit, err)
		}
		if err := d.Set("rotation_"+unit, n); err != nil {
			return nil, err
		}
	}
	d.SetId(fields[0])
	if err := setParts(d, t); err != nil {
		return nil, err
	}
	return []*schema.ResourceData{d}, d.Set("rotation_rfc3339", move(d.Get, "rotation_", t).Format(time.RFC3339))
}

func offset(now func() time.Time) *schema.Resource {
	store := func(d *schema.ResourceData) diag.Diagnostics {
		t, err := base(d, "base_rfc3339", now)
		if err != nil {
			return diag.FromErr(err)
		}
		d.SetId(t.Format(time.RFC3339))
		if err := d.Set("base_rfc3339", t.Format(time.RFC3339)); err != nil {
			return diag.FromErr(err)
		}
		return diag.FromErr(setParts(d, move(d.Get, "offset_", t)))
	}
	return &schema.Resource{
		Description:   "A time at an offset from another time.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics { return store(d) },
		ReadContext:   schema.NoopContext,
		UpdateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics { return store(d) },
		DeleteContext: schema.NoopContext,
		// If the base is known, the plan is; otherwise an update makes all parts
		// unknown.
		CustomizeDiff: customdiff.If(
			func(_ context.Context, d *schema.ResourceDiff, _ any) bool {
				return d.Id() != "" && unitsChange(d, "offset_")
			},
			func(_ context.Context, d *schema.ResourceDiff, _ any) error {
				t, err := time.Parse(time.RFC3339, d.Get("base_rfc3339").(string)) //nolint:forcetypeassert // the schema says so
				if err != nil {
					return err
				}
				return planParts(d, move(d.Get, "offset_", t))
			},
		),
		Schema: withUnits(withParts(given("base_rfc3339", "The time to which the offset is added. Defaults to now.")), "offset_", math.MinInt32),
	}
}

// unitsChange reports whether the plan changes the offset.
func unitsChange(d *schema.ResourceDiff, prefix string) bool {
	for _, unit := range units {
		if d.HasChange(prefix + unit) {
			return true
		}
	}
	return false
}

// planParts plans a time in the form of setParts.
func planParts(d *schema.ResourceDiff, t time.Time) error {
	for name, part := range parts {
		if err := d.SetNew(name, part(t)); err != nil {
			return err
		}
	}
	return d.SetNew("rfc3339", t.Format(time.RFC3339))
}

// sleep returns a resource that waits while it is created and destroyed, which delays
// its dependents.
func sleep() *schema.Resource {
	wait := func(ctx context.Context, d *schema.ResourceData, name string) diag.Diagnostics {
		text, _ := d.Get(name).(string)
		if text == "" {
			return nil
		}
		duration, err := time.ParseDuration(text)
		if err != nil {
			return diag.FromErr(err)
		}
		select {
		case <-time.After(duration):
			return nil
		case <-ctx.Done():
			return diag.FromErr(ctx.Err())
		}
	}
	duration := func(description string) *schema.Schema {
		return &schema.Schema{
			Description: description,
			Type:        schema.TypeString,
			Optional:    true,
			ValidateFunc: func(v any, name string) ([]string, []error) {
				text, _ := v.(string)
				if _, err := time.ParseDuration(text); err != nil {
					return nil, []error{fmt.Errorf("%q must be a duration such as 30s or 5m, got %q", name, text)}
				}
				return nil, nil
			},
			AtLeastOneOf: []string{"create_duration", "destroy_duration"},
		}
	}
	return &schema.Resource{
		Description: "A wait.",
		CreateContext: func(ctx context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			if diags := wait(ctx, d, "create_duration"); diags.HasError() {
				return diags
			}
			d.SetId("slept")
			return nil
		},
		ReadContext:   schema.NoopContext,
		UpdateContext: schema.NoopContext,
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			return wait(ctx, d, "destroy_duration")
		},
		Schema: map[string]*schema.Schema{
			"triggers":         triggers(),
			"create_duration":  duration("Time to wait during the creation."),
			"destroy_duration": duration("Time to wait before the destruction."),
		},
	}
}
