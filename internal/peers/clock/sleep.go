package clock

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

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
					return nil, []error{fmt.Errorf("%q is no duration such as 30s or 5m: %q", name, text)}
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
			"create_duration":  duration("How long to wait when it is created."),
			"destroy_duration": duration("How long to wait before it is destroyed."),
		},
	}
}
