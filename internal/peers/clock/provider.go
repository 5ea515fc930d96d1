package clock

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"
)

// Provider returns the provider with a clock.
func Provider(now func() time.Time) *schema.Provider {
	return &schema.Provider{
		ResourcesMap: map[string]*schema.Resource{
			"clock_static":   static(now),
			"clock_offset":   offset(now),
			"clock_rotating": rotating(now),
			"clock_sleep":    sleep(),
		},
	}
}

// triggers returns the attribute that forces a new time when it changes.
func triggers() *schema.Schema {
	return &schema.Schema{
		Description: "Arbitrary values. Changing them forces a new time.",
		Type:        schema.TypeMap,
		Elem:        &schema.Schema{Type: schema.TypeString},
		Optional:    true,
		ForceNew:    true,
	}
}

// given returns the attributes triggers and name, a time that defaults to now.
func given(name, description string) map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"triggers": triggers(),
		name: {
			Description:      description,
			Type:             schema.TypeString,
			Optional:         true,
			Computed:         true,
			ForceNew:         true,
			ValidateFunc:     validation.IsRFC3339Time,
			DiffSuppressFunc: sameInstant,
		},
	}
}

// sameInstant reports whether before and after are the same time.
func sameInstant(_, before, after string, _ *schema.ResourceData) bool {
	a, errA := time.Parse(time.RFC3339, before)
	b, errB := time.Parse(time.RFC3339, after)
	return errA == nil && errB == nil && a.Equal(b)
}

// parts has the computed attributes of a time.
var parts = map[string]func(time.Time) int{
	"year":   time.Time.Year,
	"month":  func(t time.Time) int { return int(t.Month()) },
	"day":    time.Time.Day,
	"hour":   time.Time.Hour,
	"minute": time.Time.Minute,
	"second": time.Time.Second,
	"unix":   func(t time.Time) int { return int(t.Unix()) },
}

// withParts adds a time and its parts to a schema.
func withParts(attributes map[string]*schema.Schema) map[string]*schema.Schema {
	for name := range parts {
		attributes[name] = &schema.Schema{Description: "The " + name + " of the time.", Type: schema.TypeInt, Computed: true}
	}
	if attributes["rfc3339"] == nil {
		attributes["rfc3339"] = &schema.Schema{Description: "The time.", Type: schema.TypeString, Computed: true}
	}
	return attributes
}

// setParts stores a time in the form of withParts.
func setParts(d *schema.ResourceData, t time.Time) error {
	for name, part := range parts {
		if err := d.Set(name, part(t)); err != nil {
			return err
		}
	}
	return d.Set("rfc3339", t.Format(time.RFC3339))
}

// base returns the configured time, or now.
func base(d *schema.ResourceData, name string, now func() time.Time) (time.Time, error) {
	if text, set := d.GetOk(name); set {
		return time.Parse(time.RFC3339, text.(string)) //nolint:forcetypeassert // the schema says so
	}
	return now().UTC().Truncate(time.Second), nil
}

func static(now func() time.Time) *schema.Resource {
	return &schema.Resource{
		Description: "A constant time.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			t, err := base(d, "rfc3339", now)
			if err != nil {
				return diag.FromErr(err)
			}
			d.SetId(t.Format(time.RFC3339))
			return diag.FromErr(setParts(d, t))
		},
		ReadContext:   schema.NoopContext,
		DeleteContext: schema.NoopContext,
		Importer: &schema.ResourceImporter{
			StateContext: func(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
				t, err := time.Parse(time.RFC3339, d.Id())
				if err != nil {
					return nil, fmt.Errorf("the id of a static time must be an RFC 3339 time: %w", err)
				}
				return []*schema.ResourceData{d}, setParts(d, t)
			},
		},
		Schema: withParts(given("rfc3339", "The time. Defaults to now.")),
	}
}

// units are the units of offsets.
var units = []string{"years", "months", "days", "hours", "minutes", "seconds"}

// move returns t with the configured offset.
func move(get func(string) any, prefix string, t time.Time) time.Time {
	n := map[string]int{}
	for _, unit := range units {
		n[unit], _ = get(prefix + unit).(int)
	}
	return t.AddDate(n["years"], n["months"], n["days"]).Add(
		time.Duration(n["hours"])*time.Hour + time.Duration(n["minutes"])*time.Minute + time.Duration(n["seconds"])*time.Second)
}

// withUnits adds the units to a schema, at least one of which must be set.
func withUnits(attributes map[string]*schema.Schema, prefix string, least int) map[string]*schema.Schema {
	names := make([]string, 0, len(units))
	for _, unit := range units {
		names = append(names, prefix+unit)
	}
	for _, name := range names {
		attributes[name] = &schema.Schema{
			Description:  "By how many " + strings.TrimPrefix(name, prefix) + ".",
			Type:         schema.TypeInt,
			Optional:     true,
			AtLeastOneOf: names,
			ValidateFunc: validation.IntAtLeast(least),
		}
	}
	return attributes
}
