package legacy

import (
	"errors"
	"strings"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// expand returns the planned server.
func expand(d *schema.ResourceData) Server {
	s := Server{
		Name:     strings.ToLower(get[string](d, "name")), // the plan has the name as written
		Zone:     get[string](d, "zone"),
		Size:     get[string](d, "size"),
		Enabled:  get[bool](d, "enabled"),
		Weight:   get[float64](d, "weight"),
		UserData: get[string](d, "user_data"),
		Policy:   get[string](d, "policy"),
		Password: get[string](d, "password"),
		Secret:   secret(d),
		Tags:     map[string]string{},
	}
	for k, v := range get[map[string]any](d, "tags") {
		s.Tags[k], _ = v.(string)
	}
	s.Labels = all[string](get[[]any](d, "labels"))
	s.Ports = all[int](get[*schema.Set](d, "ports").List())
	for _, m := range all[map[string]any](get[[]any](d, "disk")) {
		s.Disks = append(s.Disks, Disk{ID: as[string](m["id"]), Name: as[string](m["name"]), GB: as[int](m["gb"])})
	}
	for _, m := range all[map[string]any](get[*schema.Set](d, "network").List()) {
		s.Networks = append(s.Networks, Network{
			Name: as[string](m["name"]), Public: as[bool](m["public"]), Aliases: all[string](as[*schema.Set](m["aliases"]).List()),
		})
	}
	for _, m := range all[map[string]any](get[[]any](d, "rule")) {
		s.Rules = append(s.Rules, Rule{Action: as[string](m["action"]), Port: as[int](m["port"])})
	}
	for _, m := range all[map[string]any](get[[]any](d, "boot")) {
		s.Boot = &Boot{Image: as[string](m["image"]), Delay: as[int](m["delay"])}
	}
	return s
}

// secret returns the write-only attribute from the configuration.
func secret(d *schema.ResourceData) string {
	v, diags := d.GetRawConfigAt(cty.GetAttrPath("secret"))
	if diags.HasError() || v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

// as converts v to T, or returns the zero value, which the schema excludes.
func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

func get[T any](d *schema.ResourceData, name string) T { return as[T](d.Get(name)) }

// all returns the elements of type T, without null.
func all[T any](list []any) []T {
	var ts []T
	for _, v := range list {
		if t, ok := v.(T); ok {
			ts = append(ts, t)
		}
	}
	return ts
}

// flatten stores a server. The secret is not stored, and the digest of user data is
// stored already.
func flatten(d *schema.ResourceData, s Server) error {
	rules := make([]any, 0, len(s.Rules))
	for _, r := range s.Rules {
		rules = append(rules, map[string]any{"action": r.Action, "port": r.Port})
	}
	var boot []any
	if s.Boot != nil {
		boot = []any{map[string]any{"image": s.Boot.Image, "delay": s.Boot.Delay}}
	}
	return errors.Join(
		d.Set("name", s.Name),
		d.Set("zone", s.Zone),
		d.Set("size", s.Size),
		d.Set("enabled", s.Enabled),
		d.Set("weight", s.Weight),
		d.Set("policy", s.Policy),
		d.Set("password", s.Password),
		d.Set("tags", s.Tags),
		d.Set("labels", s.Labels),
		d.Set("ports", s.Ports),
		d.Set("revision", s.Revision),
		d.Set("fingerprint", digest(s.Size+"\x00"+s.UserData)),
		d.Set("disk", flattenDisks(s)),
		d.Set("network", flattenNetworks(s)),
		d.Set("rule", rules),
		d.Set("boot", boot),
	)
}

func flattenDisks(s Server) []any {
	list := make([]any, 0, len(s.Disks))
	for _, disk := range s.Disks {
		list = append(list, map[string]any{"id": disk.ID, "name": disk.Name, "gb": disk.GB})
	}
	return list
}

func flattenNetworks(s Server) []any {
	list := make([]any, 0, len(s.Networks))
	for _, n := range s.Networks {
		list = append(list, map[string]any{"name": n.Name, "public": n.Public, "aliases": n.Aliases})
	}
	return list
}
