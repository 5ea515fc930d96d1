package directorylist_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/directorylist"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var types = runtime.Definition{
	Resources:   map[string]runtime.ResourceRegistration{"file": file.Resource(), "directory": directory.Resource()},
	DataSources: map[string]runtime.DataSourceRegistration{"directory": directorylist.DataSource()},
	Lists:       map[string]runtime.ListRegistration{"file": directorylist.Files(), "directory": directorylist.Directories()},
}

// hostWith returns a host with some files. Operations of the host fail with *failing, if that
// error is set.
func hostWith(t *testing.T, failing *error) host.Host {
	t.Helper()
	h := memory.New(memory.Config{Name: "web1", Fault: func(string, string) error {
		if failing == nil {
			return nil
		}
		return *failing
	}})
	ctx := context.Background()
	for at, content := range map[string]string{
		"/etc/nginx/nginx.conf": "main", "/etc/nginx/mime": "types", "/etc/nginx/sites/a.conf": "a", "/etc/nginx/sites/\xff.conf": "no text",
		"/etc/nginx/sites/.x.posix-tmp": "left over", "/etc/nginx/sites/e\u0301.conf": "not in form C", "/srv/www/index.html": "", "/srv/b/x/y": "",
	} {
		_, err := host.MakeParents(ctx, h, at, host.Attributes{})
		resourcetest.Must(t, err)
		if host.IsTempPath(at) {
			other := path.Dir(at) + "/other"
			_, err = h.WriteFile(ctx, other, strings.NewReader(content), host.WriteOptions{})
			resourcetest.Must(t, err, h.Rename(ctx, other, at))
			continue
		}
		_, err = h.WriteFile(ctx, at, strings.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o640))}})
		resourcetest.Must(t, err)
	}
	for at, target := range map[string]string{"/etc/nginx/link": "mime", "/srv/www/odd": "\xff", "/srv/link": "www"} {
		_, err := h.Symlink(ctx, target, at)
		resourcetest.Must(t, err)
	}
	return h
}

func on(h host.Host) func() (provider.Interface, error) {
	return resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
}

// TestQueries checks that the examples list the objects that match their configurations, with the
// attributes and identities of the objects.
func TestQueries(t *testing.T) {
	t.Parallel()
	lists := func(typeName, example string, want map[string]map[string]string) resource.TestStep {
		address := typeName + ".sites"
		checks := []querycheck.QueryResultCheck{querycheck.ExpectLength(address, len(want))}
		for at, attributes := range want {
			id := map[string]knownvalue.Check{"path": knownvalue.StringExact(at), "host": knownvalue.StringExact("web1")}
			values := []querycheck.KnownValueCheck{}
			for name, value := range attributes {
				values = append(values, querycheck.KnownValueCheck{Path: tfjsonpath.New(name), KnownValue: knownvalue.StringExact(value)})
			}
			checks = append(checks,
				querycheck.ExpectResourceDisplayName(address, queryfilter.ByResourceIdentity(id), knownvalue.StringExact("web1:"+at)),
				querycheck.ExpectResourceKnownValues(address, queryfilter.ByResourceIdentity(id), values))
		}
		return resource.TestStep{Query: true, Config: example, QueryResultChecks: checks}
	}
	object := func(path, mode string) map[string]string {
		return map[string]string{"path": path, "mode": mode, "owner": "root", "group": "root"}
	}
	files := map[string]map[string]string{
		"/etc/nginx/nginx.conf":   object("/etc/nginx/nginx.conf", "0640"),
		"/etc/nginx/sites/a.conf": object("/etc/nginx/sites/a.conf", "0640"),
	}
	files["/etc/nginx/nginx.conf"]["content"], files["/etc/nginx/sites/a.conf"]["content"] = "main", "a"
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", on(hostWith(t, nil))),
		Steps: []resource.TestStep{
			{Config: "provider \"posix\" {\n}\n"},
			lists("posix_file", resourcetest.ExampleFile(t, "list-resources/posix_file/list-resource.tfquery.hcl"), files),
			lists("posix_directory", resourcetest.ExampleFile(t, "list-resources/posix_directory/list-resource.tfquery.hcl"),
				map[string]map[string]string{"/srv/b": object("/srv/b", "0755"), "/srv/www": object("/srv/www", "0755")}),
		},
	})
}

func TestSearches(t *testing.T) {
	t.Parallel()
	h := hostWith(t, nil)
	for config, want := range map[string][]string{
		`list "posix_file" "x" { config { path = "/etc/nginx" } }`:                                                 {"/etc/nginx/mime", "/etc/nginx/nginx.conf"},
		`list "posix_file" "x" { config { path = "/etc/nginx" pattern = "sites/*" } }`:                             nil,
		`list "posix_file" "x" { config { path = "/etc" pattern = "nginx/*" recursive = true } }`:                  {"/etc/nginx/mime", "/etc/nginx/nginx.conf"},
		`list "posix_directory" "x" { config { path = "/" } }`:                                                     {"/etc", "/srv"},
		`list "posix_directory" "x" { config { path = "/" recursive = true pattern = "[!s]*" } }`:                  {"/etc", "/etc/nginx", "/srv/b", "/srv/b/x", "/srv/www"},
		`list "posix_directory" "x" { config { path = "/srv" recursive = true pattern = "**/x/" host = "web1" } }`: {"/srv/b/x"},
	} {
		config = strings.NewReplacer(" { config", " {\nprovider = posix\nconfig", " { ", " {\n", " }", "\n}", `" pattern`, "\"\npattern", `" recursive`, "\"\nrecursive", "true pattern", "true\npattern", `" host`, "\"\nhost").Replace(config)
		var got []string
		for _, one := range resourcetest.Query(t, on(h), config)["x"] {
			got = append(got, one.Identity.GetAttr("path").AsString())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", config, got, want)
		}
	}
}

// search lists files recursively, and returns their number and the diagnostics.
func search(t *testing.T, h host.Host, limit int64, at string) (found int, diags string) {
	t.Helper()
	p, err := on(h)()
	resourcetest.Must(t, err)
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: schema.Provider.Body.EmptyValue()})
	config := schema.ListResourceTypes["posix_file"].Body.EmptyValue().AsValueMap()
	config["path"], config["recursive"] = cty.StringVal(at), cty.True
	req := provider.ListResourceRequest{TypeName: "posix_file", Config: cty.ObjectVal(config), Limit: limit}
	resp := p.ListResource(t.Context(), req)
	diags = fmt.Sprint(resp.Diagnostics)
	if resp.Results != nil {
		for r := range resp.Results {
			diags += fmt.Sprint(r.Diagnostics)
			if r.Identity != cty.NilVal && !r.Identity.IsNull() {
				found++
			}
		}
	}
	return found, diags
}

func TestListDiagnostics(t *testing.T) {
	t.Parallel()
	h := hostWith(t, nil)
	deep := "/long" + strings.Repeat("/"+strings.Repeat("x", 255), 15)
	_, err := host.MakeParents(t.Context(), h, deep+"/file", host.Attributes{})
	resourcetest.Must(t, err)
	resourcetest.WriteOn(t, h, deep+"/file", "")                      // the path of its directory is too long for a resource
	resourcetest.WriteOn(t, h, deep+"/"+strings.Repeat("x", 255), "") // its whole path is too long
	for _, tt := range []struct {
		limit int64
		path  string
		found int
		diags string
	}{
		{0, "/etc", 3, "2 objects in /etc on host web1: their names, or the targets of links, are not UTF-8"},
		{0, "/etc", 3, "1 object in /etc on host web1: their names have the form of a temporary file's name"},
		{0, "/long", 0, "2 objects in /long on host web1: their names have the form of a temporary file's name, .NAME.posix-tmp, which is reserved, or their paths are too long"},
		{1, "/etc", 1, ""},
		{0, "/gone", 0, "/gone does not exist on host web1"},
		{0, "/srv/link", 0, "is a symbolic link, which is not followed"},
		{0, "/etc/nginx/mime", 0, "is a regular file, not a directory"},
	} {
		found, diags := search(t, h, tt.limit, tt.path)
		if found != tt.found || !strings.Contains(diags, tt.diags) {
			t.Errorf("%s: %d results, diagnostics %q; want %d, %q", tt.path, found, diags, tt.found, tt.diags)
		}
	}
	var failing error
	h = hostWith(t, &failing)
	failing = errors.New("input/output error")
	if found, diags := search(t, h, 0, "/etc"); found != 0 || !strings.Contains(diags, "input/output error") {
		t.Errorf("%d results, diagnostics %q, want 0 and the input/output error", found, diags)
	}
}

func TestDataSource(t *testing.T) {
	t.Parallel()
	h := hostWith(t, nil)
	const read = "data \"posix_directory\" \"it\" {\n  path = %q\n  %s\n}\n"
	step := func(path, more string, checks ...resource.TestCheckFunc) resource.TestStep {
		return resource.TestStep{Config: fmt.Sprintf(read, path, more), Check: resource.ComposeTestCheckFunc(checks...)}
	}
	is := func(name, value string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("data.posix_directory.it", name, value)
	}
	fails := func(path, more, want string) resource.TestStep {
		return resource.TestStep{Config: fmt.Sprintf(read, path, more), ExpectError: resourcetest.WrappedText(want)}
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", on(h)),
		Steps: []resource.TestStep{
			step("/etc/nginx", "", is("host", "web1"), is("exists", "true"), is("entries.#", "4"),
				is("entries.0.name", "link"), is("entries.0.type", "symlink"), is("entries.0.target", "mime"),
				is("entries.1.name", "mime"), is("entries.1.type", "file"), is("entries.1.size", "5"), is("entries.1.mode", "0640"), is("entries.1.owner", "root"),
				is("entries.1.path", "/etc/nginx/mime"), is("entries.1.group", "root"),
				resource.TestMatchResourceAttr("data.posix_directory.it", "entries.1.modified", resourcetest.WrappedText("T")),
				resource.TestCheckNoResourceAttr("data.posix_directory.it", "entries.1.target"), resource.TestCheckNoResourceAttr("data.posix_directory.it", "entries.3.size"),
				is("entries.3.name", "sites"), is("entries.3.type", "directory"), is("entries.3.mode", "0755")),
			step("/etc", "recursive = true\n  pattern = \"sites/*.conf\"", is("entries.#", "0")),
			step("/etc", "recursive = true\n  pattern = \"nginx/**/*.conf\"", is("entries.#", "2"), is("entries.1.name", "nginx/sites/a.conf")),
			step("/gone", "must_exist = false", is("exists", "false"), is("entries.#", "0")),
			step("/", "max_entries = 2", is("entries.#", "2")),
			fails("/", "max_entries = 1", "has 2 entries, which is more than max_entries (1)"),
			fails("/gone", "", "/gone does not exist on host web1"),
			fails("/etc/nginx/link", "must_exist = false", "is a symbolic link, which is not followed"),
			fails("etc", "", "is not absolute"),
			fails("/etc", "pattern = \"[\"", "has a [ without a ]"),
			fails("/etc", "max_entries = 0", "max_entries"),
			{Config: resourcetest.ExampleFile(t, "data-sources/posix_directory/data-source.tf"), Check: func(s *terraform.State) error {
				want := map[string]any{"nginx.conf": "0640", "sites/a.conf": "0640"}
				if diff := cmp.Diff(want, s.RootModule().Outputs["modes"].Value); diff != "" {
					return errors.New(diff)
				}
				return nil
			}},
		},
	})
}
