package legacy_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"
)

// defaultTimeout is the default of all timeouts.
const defaultTimeout = 10 * time.Minute

// timeouts has the timeouts that a configuration of a server can change.
var timeouts = schema.ResourceTimeout{
	Create: schema.DefaultTimeout(defaultTimeout),
	Update: schema.DefaultTimeout(defaultTimeout),
}

// sizes has the sizes of servers, sorted from small to large.
var sizes = []string{"small", "medium", "large"}

// digest returns the SHA-256 of the string v in hexadecimal, or "" if v is empty or not a string.
func digest(v any) string {
	text, _ := v.(string)
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sameJSON reports whether before and after are the same, apart from white space in JSON.
func sameJSON(_, before, after string, _ *schema.ResourceData) bool {
	var a, b bytes.Buffer
	if json.Compact(&a, []byte(before)) != nil || json.Compact(&b, []byte(after)) != nil {
		return before == after
	}
	return bytes.Equal(a.Bytes(), b.Bytes())
}

// serverSchema returns the current schema of a server.
func serverSchema() map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"name": {
			Description:  "Name of the server, stored in lower case.",
			Type:         schema.TypeString,
			Required:     true,
			ForceNew:     true,
			StateFunc:    func(v any) string { text, _ := v.(string); return strings.ToLower(text) },
			ValidateFunc: validation.StringIsNotWhiteSpace,
			DiffSuppressFunc: func(_, before, after string, _ *schema.ResourceData) bool {
				return strings.EqualFold(before, after)
			},
		},
		"zone": {
			Description: "Zone of the server. Defaults to a zone chosen by the cloud.",
			Type:        schema.TypeString,
			Optional:    true,
			Computed:    true,
			ForceNew:    true,
		},
		"size": {
			Description:      "Size of the server. Reducing it forces a new resource.",
			Type:             schema.TypeString,
			Optional:         true,
			Default:          "small",
			ValidateDiagFunc: validation.ToDiagFunc(validation.StringInSlice(sizes, false)),
		},
		"enabled": {
			Description: "Whether the server is enabled.",
			Type:        schema.TypeBool,
			Optional:    true,
			Default:     true,
		},
		"weight": {
			Description:  "Share of the load, from 0 to 1.",
			Type:         schema.TypeFloat,
			Optional:     true,
			ValidateFunc: validation.FloatBetween(0, 1),
		},
		"tags": {
			Description: "Arbitrary values.",
			Type:        schema.TypeMap,
			Elem:        &schema.Schema{Type: schema.TypeString},
			Optional:    true,
		},
		"labels": {
			Description: "Labels, in order.",
			Type:        schema.TypeList,
			Elem:        &schema.Schema{Type: schema.TypeString},
			Optional:    true,
			MaxItems:    3,
		},
		"ports": {
			Description: "Open ports.",
			Type:        schema.TypeSet,
			Elem:        &schema.Schema{Type: schema.TypeInt, ValidateFunc: validation.IsPortNumber},
			Optional:    true,
		},
		"user_data": {
			Description: "Script to run at the first boot. Only its SHA-256 is stored.",
			Type:        schema.TypeString,
			Optional:    true,
			StateFunc:   digest,
		},
		"policy": {
			Description:      "Policy as a JSON document.",
			Type:             schema.TypeString,
			Optional:         true,
			ValidateFunc:     validation.StringIsJSON,
			DiffSuppressFunc: sameJSON,
		},
		"password": {
			Description:   "The password.",
			Type:          schema.TypeString,
			Optional:      true,
			Sensitive:     true,
			ConflictsWith: []string{"secret"},
		},
		"secret": {
			Description:  "Password that is not stored in the state.",
			Type:         schema.TypeString,
			Optional:     true,
			WriteOnly:    true,
			RequiredWith: []string{"secret_version"},
		},
		"secret_version": {
			Description: "Version of the secret. Changing it writes the secret again.",
			Type:        schema.TypeInt,
			Optional:    true,
		},
		"owner": {
			Description: "Person who is responsible for the server.",
			Type:        schema.TypeString,
			Optional:    true,
			Deprecated:  "Use the tag owner.",
		},
		"revision": {
			Description: "Number of writes of the server.",
			Type:        schema.TypeInt,
			Computed:    true,
		},
		"fingerprint": {
			Description: "Digest of user data and size.",
			Type:        schema.TypeString,
			Computed:    true,
		},
		"disk":    diskSchema(),
		"network": networkSchema(),
		"rule":    ruleSchema(),
		"boot":    bootSchema(),
	}
}

func diskSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Disks of the server, in order.",
		Type:        schema.TypeList,
		Optional:    true,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"name": {Description: "The name.", Type: schema.TypeString, Required: true},
			"gb":   {Description: "Size in GB.", Type: schema.TypeInt, Optional: true, Default: 10},
			"id":   {Description: "ID of the disk in the cloud.", Type: schema.TypeString, Computed: true},
		}},
	}
}

func networkSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Networks of the server.",
		Type:        schema.TypeSet,
		Optional:    true,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"name":   {Description: "The name.", Type: schema.TypeString, Required: true},
			"public": {Description: "Whether the network is public.", Type: schema.TypeBool, Optional: true, Default: false},
			"aliases": {
				Description: "Other names of the server in the network.",
				Type:        schema.TypeSet,
				Elem:        &schema.Schema{Type: schema.TypeString},
				Optional:    true,
			},
		}},
	}
}

// ruleSchema returns an attribute that may also be set by blocks. rule = [] is an
// empty list, which blocks cannot express.
func ruleSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Firewall rules. Defaults to rules chosen by the cloud.",
		Type:        schema.TypeList,
		Optional:    true,
		Computed:    true,
		ConfigMode:  schema.SchemaConfigModeAttr,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"action": {Description: "Action of the rule.", Type: schema.TypeString, Required: true},
			"port":   {Description: "Port to which the rule applies.", Type: schema.TypeInt, Optional: true},
		}},
	}
}

func bootSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Boot settings.",
		Type:        schema.TypeList,
		Optional:    true,
		MaxItems:    1,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"image": {Description: "Image to boot.", Type: schema.TypeString, Required: true, ForceNew: true},
			"delay": {Description: "Delay of the boot in seconds.", Type: schema.TypeInt, Optional: true},
		}},
	}
}

// First returns the provider's first release: its servers have a region, a contact and
// one port.
func First(cloud *Cloud) *schema.Provider {
	p := Provider(cloud)
	p.ResourcesMap["legacy_server"] = &schema.Resource{
		Description: "A server of the cloud.",
		CreateContext: func(_ context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id, err := accountOf(meta).cloud.Create(Server{
				Name: get[string](d, "name"), Zone: get[string](d, "region"), Size: "small", Enabled: true,
				Ports: []int{get[int](d, "port")},
			})
			d.SetId(id)
			return diag.FromErr(err)
		},
		ReadContext:   schema.NoopContext,
		DeleteContext: deleteServer,
		Schema: map[string]*schema.Schema{
			"name":   {Description: "The name.", Type: schema.TypeString, Required: true, ForceNew: true},
			"region": {Description: "Region of the server.", Type: schema.TypeString, Required: true, ForceNew: true},
			"port":   {Description: "The open port.", Type: schema.TypeInt, Required: true, ForceNew: true},
			// The cloud does not store the contact, so only the upgrade can preserve it.
			"contact": {Description: "Person who is responsible for the server.", Type: schema.TypeString, Optional: true, ForceNew: true},
			"tags": {
				Description: "Arbitrary values.", Type: schema.TypeMap, Elem: &schema.Schema{Type: schema.TypeString},
				Optional: true, ForceNew: true,
			},
		},
	}
	return p
}

// upgraders returns the upgraders that convert region to zone and contact to owner, and
// then the port to a set of ports.
func upgraders() []schema.StateUpgrader {
	rename := func(state map[string]any, from, to string, convert func(any) any) {
		if v, ok := state[from]; ok {
			state[to] = convert(v)
			delete(state, from)
		}
	}
	return []schema.StateUpgrader{
		{
			Version: 0,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "region": cty.String, "contact": cty.String, "port": cty.Number, "tags": cty.Map(cty.String)}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				rename(state, "region", "zone", func(v any) any { return v })
				rename(state, "contact", "owner", func(v any) any { return v })
				return state, nil
			},
		},
		{
			Version: 1,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "zone": cty.String, "owner": cty.String, "port": cty.Number, "tags": cty.Map(cty.String)}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				rename(state, "port", "ports", func(v any) any { return []any{v} })
				return state, nil
			},
		},
	}
}
