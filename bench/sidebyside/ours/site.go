package ours

import (
	"context"
	"errors"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// New returns a protocol server with the provider.
func New(ctx context.Context) (tfplugin.ProviderServer, error) {
	p, err := runtime.New(runtime.Definition{
		Name:   "web",
		Config: runtime.MakeConfig(func(_ context.Context, block *web) (*store.Store, error) { return store.Open(block.Directory) }),
		Resources: map[string]runtime.ResourceRegistration{
			"site": runtime.MakeResource[site, *output, *store.Store](),
		},
	})
	if err != nil {
		return nil, err
	}
	return tfprotov6.NewServer(ctx, guard.Wrap(p))
}

// web is the provider.
type web struct {
	// Directory of the sites, which must exist.
	Directory string
}

// site is a site that responds under a host name.
type site struct {
	content
	// Timeouts of the operations.
	Timeouts *runtime.Timeouts
}

// content is the configuration that is read back.
type content struct {
	// Host name of the site, unique in the directory. Changing this forces a new resource.
	Name string
	// Port of the site. Defaults to 443.
	Port int64
	// Protocol of the site. Defaults to `https`.
	Protocol string
	// Directory from which files are served.
	Root *string
	// URL to which all requests are redirected.
	Redirect *string
	// Routes for requests; the first that matches is used.
	Routes []route `tf:",optional"`
	// Further settings as a JSON document; equivalent documents are not a change.
	Settings *runtime.JSON
	// Token that clients must send.
	Token *string `tf:",sensitive"`
}

// route sends the requests below a path to a backend.
type route struct {
	// Path of the route, which includes everything below it.
	Path string
	// Host and port that requests are sent to.
	Backend string
	// Share of the requests among routes with the same path.
	Weight *int64
}

// output is an existing site.
type output struct {
	content
	// URL of the site.
	URL string
	// Number of writes of the site.
	Revision int64 `tf:",volatile"`
	// Time at which the site was created.
	CreatedAt string
}

// siteID identifies a site.
type siteID struct{ Name string }

const limit = 20 * time.Minute

func (*site) SchemaVersion() int      { return 1 }
func (*site) ReplaceFields() []string { return []string{"name"} }

func (*site) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: limit, Update: limit, Delete: limit}
}

func (s *site) Defaults() { s.Port, s.Protocol = 443, "https" }

func (*site) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Length("name", 3, 63),
		runtime.Pattern("name", `^[a-z][a-z0-9-]*$`, "lower-case letters, digits and dashes"),
		runtime.Range("port", 1, 65535),
		runtime.OneOf("protocol", "http", "https", "tcp"),
		runtime.ExactlyOneOf("root", "redirect"),
		runtime.Pattern("redirect", `^https?://`, "a URL"),
		runtime.Length("routes", 1, 8),
		runtime.Pattern("token", `^tok_[0-9a-f]{8}$`, "a token"),
	}
}

func (*route) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Pattern("path", `^/`, "a path that starts with a slash"),
		runtime.Length("backend", 1, 253),
		runtime.Range("weight", 1, 100),
	}
}

func (*site) Identity(_ *store.Store, out *output) siteID { return siteID{out.Name} }

// Migrations renames listen_port of version 0 to port.
func (*site) Migrations() []runtime.Migration {
	type v0 struct{ ListenPort int64 }
	type v1 struct{ Port int64 }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, old v0) (v1, error) { return v1{old.ListenPort}, nil }),
	}
}

// ModifyResourcePlan determines which outputs an update changes; the others keep their values,
// except for the revision, which every write changes.
func (*site) ModifyResourcePlan(req runtime.ResourcePlanRequest[site, *output, *store.Store], resp *runtime.ResourcePlanResponse) error {
	if was, is := req.PriorInputs, req.CurrentInputs; was.Port != is.Port || was.Protocol != is.Protocol {
		resp.MarkOutputUnknown("url")
	}
	return nil
}

func (s *site) Create(ctx context.Context, sites *store.Store) (*output, error) {
	wanted := store.Site{
		Name: s.Name, Port: s.Port, Protocol: s.Protocol, Root: s.Root, Redirect: s.Redirect,
		Settings: (*string)(s.Settings), Token: s.Token,
	}
	for _, r := range s.Routes {
		wanted.Routes = append(wanted.Routes, store.Route(r))
	}
	return newOutput(sites.Put(ctx, wanted))
}

func (*site) Read(ctx context.Context, sites *store.Store, prior *output) (*output, error) {
	return newOutput(sites.Get(ctx, prior.Name))
}

func (s *site) Update(ctx context.Context, sites *store.Store, _ runtime.Prior[site, *output]) (*output, error) {
	return s.Create(ctx, sites)
}

func (*site) Delete(ctx context.Context, sites *store.Store, prior *output) error {
	return sites.Delete(ctx, prior.Name)
}

// newOutput returns the output for a stored site, or err. It replaces store.ErrNotFound with runtime.ErrNotFound.
func newOutput(found *store.Site, err error) (*output, error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, runtime.ErrNotFound
	case err != nil:
		return nil, err
	}
	out := &output{
		content: content{
			Name: found.Name, Port: found.Port, Protocol: found.Protocol, Root: found.Root, Redirect: found.Redirect,
			Settings: (*runtime.JSON)(found.Settings), Token: found.Token,
		},
		URL: store.URL(found.Protocol, found.Name, found.Port), Revision: found.Revision, CreatedAt: found.CreatedAt,
	}
	for _, r := range found.Routes {
		out.Routes = append(out.Routes, route(r))
	}
	return out, nil
}
