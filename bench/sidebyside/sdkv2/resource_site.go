package sdkv2

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/structure"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
)

var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	redirectPattern = regexp.MustCompile(`^https?://`)
	pathPattern     = regexp.MustCompile(`^/`)
	tokenPattern    = regexp.MustCompile(`^tok_[0-9a-f]{8}$`)
)

func resourceSite() *schema.Resource {
	return &schema.Resource{
		Description:   "A site that responds under a host name.",
		CreateContext: resourceSiteCreate,
		ReadContext:   resourceSiteRead,
		UpdateContext: resourceSiteUpdate,
		DeleteContext: resourceSiteDelete,
		CustomizeDiff: resourceSiteDiff,
		Importer: &schema.ResourceImporter{
			StateContext: schema.ImportStatePassthroughWithIdentity("name"),
		},
		Timeouts: &schema.ResourceTimeout{
			Create: schema.DefaultTimeout(20 * time.Minute),
			Update: schema.DefaultTimeout(20 * time.Minute),
			Delete: schema.DefaultTimeout(20 * time.Minute),
		},
		Identity: &schema.ResourceIdentity{
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{
					"name": {
						Type:              schema.TypeString,
						RequiredForImport: true,
					},
				}
			},
		},
		SchemaVersion: 1,
		StateUpgraders: []schema.StateUpgrader{
			{
				Version: 0,
				Type:    cty.EmptyObject, // used only for states of Terraform 0.11 and earlier
				Upgrade: resourceSiteUpgradeV0,
			},
		},
		Schema: map[string]*schema.Schema{
			"name": {
				Description: "Host name of the site, unique in the directory. Changing this forces a new resource.",
				Type:        schema.TypeString,
				Required:    true,
				ForceNew:    true,
				ValidateFunc: validation.All(
					validation.StringLenBetween(3, 63),
					validation.StringMatch(namePattern, "must be lower-case letters, digits and dashes"),
				),
			},
			"port": {
				Description:  "Port of the site. Defaults to 443.",
				Type:         schema.TypeInt,
				Optional:     true,
				Default:      443,
				ValidateFunc: validation.IsPortNumber,
			},
			"protocol": {
				Description:  "Protocol of the site: `http`, `https` or `tcp`. Defaults to `https`.",
				Type:         schema.TypeString,
				Optional:     true,
				Default:      "https",
				ValidateFunc: validation.StringInSlice([]string{"http", "https", "tcp"}, false),
			},
			"root": {
				Description:  "Directory from which files are served. Either this or `redirect` must be set.",
				Type:         schema.TypeString,
				Optional:     true,
				ExactlyOneOf: []string{"root", "redirect"},
			},
			"redirect": {
				Description:  "URL to which all requests are redirected.",
				Type:         schema.TypeString,
				Optional:     true,
				ValidateFunc: validation.StringMatch(redirectPattern, "must be a URL"),
			},
			"routes": {
				Description: "Routes for requests; the first that matches is used.",
				Type:        schema.TypeList,
				Optional:    true,
				MaxItems:    8,
				Elem: &schema.Resource{
					Schema: map[string]*schema.Schema{
						"path": {
							Description:  "Path of the route, which includes everything below it.",
							Type:         schema.TypeString,
							Required:     true,
							ValidateFunc: validation.StringMatch(pathPattern, "must start with a slash"),
						},
						"backend": {
							Description:  "Host and port that requests are sent to.",
							Type:         schema.TypeString,
							Required:     true,
							ValidateFunc: validation.StringLenBetween(1, 253),
						},
						"weight": {
							Description:  "Share of the requests among routes with the same path.",
							Type:         schema.TypeInt,
							Optional:     true,
							ValidateFunc: validation.IntBetween(1, 100),
						},
					},
				},
			},
			"settings": {
				Description:           "Further settings as a JSON document; equivalent documents are not a change.",
				Type:                  schema.TypeString,
				Optional:              true,
				ValidateFunc:          validation.StringIsJSON,
				DiffSuppressFunc:      structure.SuppressJsonDiff,
				DiffSuppressOnRefresh: true,
			},
			"token": {
				Description:  "Token that clients must send.",
				Type:         schema.TypeString,
				Optional:     true,
				Sensitive:    true,
				ValidateFunc: validation.StringMatch(tokenPattern, "must be a token"),
			},
			"url": {
				Description: "URL of the site.",
				Type:        schema.TypeString,
				Computed:    true,
			},
			"revision": {
				Description: "Number of writes of the site.",
				Type:        schema.TypeInt,
				Computed:    true,
			},
			"created_at": {
				Description: "Time at which the site was created.",
				Type:        schema.TypeString,
				Computed:    true,
			},
		},
	}
}

// resourceSiteDiff determines which outputs an update changes; the others keep their
// values.
func resourceSiteDiff(_ context.Context, d *schema.ResourceDiff, _ any) error {
	if d.Id() == "" {
		return nil // create
	}
	if d.HasChanges("port", "protocol") {
		if err := d.SetNewComputed("url"); err != nil {
			return err
		}
	}
	if len(d.GetChangedKeysPrefix("")) > 0 { // unlike HasChanges, this ignores suppressed differences
		return d.SetNewComputed("revision")
	}
	return nil
}

func resourceSiteCreate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	site, err := meta.(*store.Store).Put(ctx, expandSite(d))
	if err != nil {
		return diag.FromErr(err)
	}
	d.SetId(site.Name)
	return flattenSite(d, site)
}

func resourceSiteRead(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	site, err := meta.(*store.Store).Get(ctx, d.Id())
	if errors.Is(err, store.ErrNotFound) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return diag.FromErr(err)
	}
	return flattenSite(d, site)
}

func resourceSiteUpdate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	site, err := meta.(*store.Store).Put(ctx, expandSite(d))
	if err != nil {
		d.Partial(true) // keep the prior state
		return diag.FromErr(err)
	}
	return flattenSite(d, site)
}

func resourceSiteDelete(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	return diag.FromErr(meta.(*store.Store).Delete(ctx, d.Id()))
}

// expandSite converts the resource data to a site of the store.
func expandSite(d *schema.ResourceData) store.Site {
	site := store.Site{
		Name: d.Get("name").(string), Port: int64(d.Get("port").(int)), Protocol: d.Get("protocol").(string),
		Root: expandString(d, "root"), Redirect: expandString(d, "redirect"),
		Settings: expandString(d, "settings"), Token: expandString(d, "token"),
	}
	for _, v := range d.Get("routes").([]any) {
		route := v.(map[string]any)
		r := store.Route{Path: route["path"].(string), Backend: route["backend"].(string)}
		if weight := int64(route["weight"].(int)); weight != 0 {
			r.Weight = &weight
		}
		site.Routes = append(site.Routes, r)
	}
	return site
}

func expandString(d *schema.ResourceData, key string) *string {
	if v, ok := d.GetOk(key); ok {
		s := v.(string)
		return &s
	}
	return nil
}

// flattenSite copies a stored site to the resource data.
func flattenSite(d *schema.ResourceData, site *store.Site) diag.Diagnostics {
	var routes []any
	for _, r := range site.Routes {
		route := map[string]any{"path": r.Path, "backend": r.Backend}
		if r.Weight != nil {
			route["weight"] = *r.Weight
		}
		routes = append(routes, route)
	}
	for key, value := range map[string]any{
		"name":       site.Name,
		"port":       site.Port,
		"protocol":   site.Protocol,
		"root":       site.Root,
		"redirect":   site.Redirect,
		"routes":     routes,
		"settings":   site.Settings,
		"token":      site.Token,
		"url":        store.URL(site.Protocol, site.Name, site.Port),
		"revision":   site.Revision,
		"created_at": site.CreatedAt,
	} {
		if err := d.Set(key, value); err != nil {
			return diag.FromErr(err)
		}
	}
	identity, err := d.Identity()
	if err != nil {
		return diag.FromErr(err)
	}
	return diag.FromErr(identity.Set("name", site.Name))
}

// resourceSiteUpgradeV0 renames listen_port of version 0 to port.
func resourceSiteUpgradeV0(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
	state["port"] = state["listen_port"]
	delete(state, "listen_port")
	return state, nil
}
