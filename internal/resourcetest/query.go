package resourcetest

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// Found is a result of a list resource.
type Found struct {
	Name     string    // the display name
	Identity cty.Value // for an import
	Object   cty.Value // null if not requested
}

// Query runs the list blocks of a query file, such as the one that [ExampleFile] returns for
// "list-resources/posix_user/list-resource.tfquery.hcl", on the engine with the rules of
// Terraform, and returns the results by label.
func Query(t *testing.T, p func() (provider.Interface, error), query string) map[string][]Found {
	t.Helper()
	e, config := load(t, p, configs.Files{"test.tfquery.hcl": []byte(query)})
	results, problems := e.Query(t.Context(), config, states.NewState(), nil)
	if problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	all := map[string][]Found{}
	for _, r := range results {
		label := r.Addr.Resource.Resource.Name
		for _, o := range r.Objects {
			all[label] = append(all[label], Found{o.DisplayName, o.Identity, o.Object})
		}
	}
	return all
}

// load returns a configuration, and an engine that has the provider with the guard and the
// rules of Terraform.
func load(t *testing.T, p func() (provider.Interface, error), files configs.Files) (*engine.Engine, *configs.Config) {
	t.Helper()
	config, diags := configs.Load(files, ".", configs.Options{Terraform: true, Query: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return engine.New(engine.Options{Flavor: engine.Terraform, Providers: map[addrs.Provider]engine.Factory{
		config.ProviderFor("posix"): func(context.Context) (provider.Interface, error) {
			made, err := p()
			if err != nil {
				return nil, err
			}
			return guard.Wrap(made), nil
		},
	}}), config
}
