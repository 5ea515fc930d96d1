package clock

import (
	"context"
	"math"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

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
		Description:   "A time beside another.",
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
		Schema: withUnits(withParts(given("base_rfc3339", "The time that is moved, now by default.")), "offset_", math.MinInt32),
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
