package resourcetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
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

// Query runs the list blocks of a query file, such as [ExampleFile] returns for
// "list-resources/posix_user/list-resource.tfquery.hcl", on the engine with the rules of
// Terraform, and returns the results by label.
func Query(t *testing.T, p func() (provider.Interface, error), query string) map[string][]Found {
	t.Helper()
	config, diags := configs.Load(configs.Files{"test.tfquery.hcl": []byte(query)}, ".", configs.Options{Terraform: true, Query: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e := engine.New(engine.Options{Flavor: engine.Terraform, Providers: map[addrs.Provider]engine.Factory{
		config.ProviderFor("posix"): func(context.Context) (provider.Interface, error) {
			made, err := p()
			if err != nil {
				return nil, err
			}
			return guard.Wrap(made), nil
		},
	}})
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

// Invoked is the output of an action.
type Invoked struct {
	Planned  string   // errors and warnings of validation and plan
	Progress []string // progress messages
	Failed   string   // the error, or ""
}

// Invoke plans and invokes the actions of a configuration, such as [ExampleFile]
// returns for "actions/posix_reboot/action.tf", and returns their output by label. An
// action whose plan fails is not invoked. It uses no engine. A provider block in the
// text configures the provider.
func Invoke(t *testing.T, p func() (provider.Interface, error), text string) map[string]Invoked {
	t.Helper()
	made, schema := configured(t, p, text)
	all := map[string]Invoked{}
	for _, block := range blocks(t, text, "action") {
		action, known := schema.Actions[block.Labels[0]]
		if !known {
			t.Fatalf("%s: unknown action %s", block.DefRange(), block.Labels[0])
		}
		name, values := block.Labels[0], config(t, block, action)
		if diags := made.ValidateActionConfig(t.Context(), provider.ValidateActionConfigRequest{ActionType: name, Config: values}).Diagnostics; diags.HasErrors() {
			all[block.Labels[1]] = Invoked{Planned: fmt.Sprint(diags)}
			continue
		}
		var result Invoked
		if diags := made.PlanAction(t.Context(), provider.PlanActionRequest{ActionType: name, Config: values}).Diagnostics; len(diags) > 0 {
			result.Planned = fmt.Sprint(diags)
			if diags.HasErrors() {
				all[block.Labels[1]] = result
				continue
			}
		}
		for event := range made.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: name, Config: values}).Events {
			switch event := event.(type) {
			case provider.ActionProgress:
				result.Progress = append(result.Progress, event.Message)
			case provider.ActionCompleted:
				if event.Diagnostics.HasErrors() {
					result.Failed = fmt.Sprint(event.Diagnostics)
				}
			}
		}
		all[block.Labels[1]] = result
	}
	return all
}

// configured returns a provider configured with the provider block of a text, or with an
// empty one.
func configured(t *testing.T, p func() (provider.Interface, error), text string) (provider.Interface, provider.GetProviderSchemaResponse) {
	t.Helper()
	made, err := p()
	if err != nil {
		t.Fatal(err)
	}
	made = guard.Wrap(made)
	schema := made.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	block := schema.Provider.Body.EmptyValue()
	for _, found := range parsed(t, text).Blocks {
		if found.Type == "provider" {
			var diags hcl.Diagnostics
			if block, diags = lang.DecodeBody(found.Body, schema.Provider.Body, nil); diags.HasErrors() {
				t.Fatal(diags)
			}
		}
	}
	if diags := made.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: block}).Diagnostics; diags.HasErrors() {
		t.Fatal(diags)
	}
	return made, schema
}

// blocks returns the blocks of a kind with a type and a label.
func blocks(t *testing.T, text, kind string) (found []*hclsyntax.Block) {
	t.Helper()
	for _, block := range parsed(t, text).Blocks {
		if block.Type == kind && len(block.Labels) == 2 {
			found = append(found, block)
		}
	}
	if len(found) == 0 {
		t.Fatalf("the text has no block %s with a type and a label", kind)
	}
	return found
}

func parsed(t *testing.T, text string) *hclsyntax.Body {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "text", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body.(*hclsyntax.Body) //nolint:forcetypeassert // as ParseConfig promises
}

// config returns the value of the config block in a block, or an empty configuration.
func config(t *testing.T, block *hclsyntax.Block, schema provider.Schema) cty.Value {
	t.Helper()
	for _, inner := range block.Body.Blocks {
		if inner.Type != "config" {
			continue
		}
		v, diags := lang.DecodeBody(inner.Body, schema.Body, nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return v
	}
	return schema.Body.EmptyValue()
}
