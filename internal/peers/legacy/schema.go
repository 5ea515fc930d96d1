package legacy

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

// timeouts is the timeouts block.
var timeouts = schema.ResourceTimeout{
	Create: schema.DefaultTimeout(defaultTimeout),
	Update: schema.DefaultTimeout(defaultTimeout),
}

// sizes are sorted from small to large.
var sizes = []string{"small", "medium", "large"}

// digest returns the stored form of user data.
func digest(v any) string {
	text, _ := v.(string)
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sameJSON reports whether both are the same JSON document.
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
			Description:  "The name, in lower case whatever is written.",
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
			Description: "Where the server is; the cloud chooses where it is left out.",
			Type:        schema.TypeString,
			Optional:    true,
			Computed:    true,
			ForceNew:    true,
		},
		"size": {
			Description:      "How large the server is. A smaller one is another server.",
			Type:             schema.TypeString,
			Optional:         true,
			Default:          "small",
			ValidateDiagFunc: validation.ToDiagFunc(validation.StringInSlice(sizes, false)),
		},
		"enabled": {
			Description: "Whether the server is on.",
			Type:        schema.TypeBool,
			Optional:    true,
			Default:     true,
		},
		"weight": {
			Description:  "The share of the load.",
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
			Description: "Words in order.",
			Type:        schema.TypeList,
			Elem:        &schema.Schema{Type: schema.TypeString},
			Optional:    true,
			MaxItems:    3,
		},
		"ports": {
			Description: "Open ports, in no order.",
			Type:        schema.TypeSet,
			Elem:        &schema.Schema{Type: schema.TypeInt, ValidateFunc: validation.IsPortNumber},
			Optional:    true,
		},
		"user_data": {
			Description: "What the server runs first. Only its SHA-256 is stored.",
			Type:        schema.TypeString,
			Optional:    true,
			StateFunc:   digest,
		},
		"policy": {
			Description:      "A document in JSON.",
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
			Description:  "A password that no state has.",
			Type:         schema.TypeString,
			Optional:     true,
			WriteOnly:    true,
			RequiredWith: []string{"secret_version"},
		},
		"secret_version": {
			Description: "What to change for the secret to be written again.",
			Type:        schema.TypeInt,
			Optional:    true,
		},
		"owner": {
			Description: "Who is asked about the server.",
			Type:        schema.TypeString,
			Optional:    true,
			Deprecated:  "Use the tag of this name.",
		},
		"revision": {
			Description: "How often the server was written.",
			Type:        schema.TypeInt,
			Computed:    true,
		},
		"fingerprint": {
			Description: "What tells user data and size apart from others.",
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
		Description: "Disks in order.",
		Type:        schema.TypeList,
		Optional:    true,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"name": {Description: "The name.", Type: schema.TypeString, Required: true},
			"gb":   {Description: "How large it is.", Type: schema.TypeInt, Optional: true, Default: 10},
			"id":   {Description: "What the cloud calls it.", Type: schema.TypeString, Computed: true},
		}},
	}
}

func networkSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Networks, in no order.",
		Type:        schema.TypeSet,
		Optional:    true,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"name":   {Description: "The name.", Type: schema.TypeString, Required: true},
			"public": {Description: "Whether others reach the server by it.", Type: schema.TypeBool, Optional: true, Default: false},
			"aliases": {
				Description: "Other names of the server in it.",
				Type:        schema.TypeSet,
				Elem:        &schema.Schema{Type: schema.TypeString},
				Optional:    true,
			},
		}},
	}
}

// ruleSchema returns an attribute that may be set by blocks: rule = [] means none,
// which blocks cannot express.
func ruleSchema() *schema.Schema {
	return &schema.Schema{
		Description: "Rules, or what the cloud chooses.",
		Type:        schema.TypeList,
		Optional:    true,
		Computed:    true,
		ConfigMode:  schema.SchemaConfigModeAttr,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"action": {Description: "What is done.", Type: schema.TypeString, Required: true},
			"port":   {Description: "To which port.", Type: schema.TypeInt, Optional: true},
		}},
	}
}

func bootSchema() *schema.Schema {
	return &schema.Schema{
		Description: "How the server begins.",
		Type:        schema.TypeList,
		Optional:    true,
		MaxItems:    1,
		Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"image": {Description: "From which image.", Type: schema.TypeString, Required: true, ForceNew: true},
			"delay": {Description: "After how many seconds.", Type: schema.TypeInt, Optional: true},
		}},
	}
}

// First returns the provider's first release: its servers had a region, a contact and
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
			"region": {Description: "Where it is.", Type: schema.TypeString, Required: true, ForceNew: true},
			"port":   {Description: "The open port.", Type: schema.TypeInt, Required: true, ForceNew: true},
			// The cloud does not store it, so only the upgrade can preserve it.
			"contact": {Description: "Who is asked about the server.", Type: schema.TypeString, Optional: true, ForceNew: true},
			"tags": {
				Description: "Arbitrary values.", Type: schema.TypeMap, Elem: &schema.Schema{Type: schema.TypeString},
				Optional: true, ForceNew: true,
			},
		},
	}
	return p
}

// upgraders convert region to zone and contact to owner, and then one port to several.
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
