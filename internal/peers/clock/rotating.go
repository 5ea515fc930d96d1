package clock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
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
	attributes := withUnits(withParts(given("rfc3339", "The time of the last rotation, now by default.")), "rotation_", 1)
	attributes["rotation_rfc3339"] = &schema.Schema{Description: "When the next rotation is due.", Type: schema.TypeString, Computed: true}
	return &schema.Resource{
		Description:   "A time that is renewed when it is due.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics { return store(d) },
		// An expired rotation is removed, so that it is replaced.
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
		return nil, errors.New("the id of a rotating time is TIME,YEARS,MONTHS,DAYS,HOURS,MINUTES,SECONDS")
	}
	t, err := time.Parse(time.RFC3339, fields[0])
	if err != nil {
		return nil, fmt.Errorf("the time of a rotating time: %w", err)
	}
	for i, unit := range units {
		if fields[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(fields[i+1])
		if err != nil {
			return nil, fmt.Errorf("the %s of a rotating time: %w", unit, err)
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
