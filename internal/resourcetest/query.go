package resourcetest

import (
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Found is a result of a list resource.
type Found struct {
	Name     string    // the display name
	Identity cty.Value // for an import
	Object   cty.Value // NilVal if not requested
}

// Query runs the list blocks of a query file, such as [ExampleFile] returns for
// "list-resources/posix_user/list-resource.tfquery.hcl", and returns the results by
// label. It uses no engine, because OpenTofu does not support queries. Values must be
// constant.
func Query(t *testing.T, p func() (provider.Interface, error), query string) map[string][]Found {
	t.Helper()
	made, schema := configured(t, p, query)
	all := map[string][]Found{}
	for _, block := range blocks(t, query, "list") {
		found, known := schema.ListResourceTypes[block.Labels[0]]
		if !known {
			t.Fatalf("%s: unknown list resource %s", block.DefRange(), block.Labels[0])
		}
		req := provider.ListResourceRequest{TypeName: block.Labels[0], Config: config(t, block, found)}
		if include, set := block.Body.Attributes["include_resource"]; set {
			v, diags := include.Expr.Value(nil)
			req.IncludeResourceObject = !diags.HasErrors() && v.True()
		}
		if diags := made.ValidateListResourceConfig(t.Context(), provider.ValidateListResourceConfigRequest{TypeName: req.TypeName, Config: req.Config}).Diagnostics; diags.HasErrors() {
			t.Fatal(diags)
		}
		resp := made.ListResource(t.Context(), req)
		if resp.Diagnostics.HasErrors() {
			t.Fatal(resp.Diagnostics)
		}
		for r := range resp.Results {
			if r.Diagnostics.HasErrors() {
				t.Fatal(r.Diagnostics)
			}
			all[block.Labels[1]] = append(all[block.Labels[1]], Found{Name: r.DisplayName, Identity: r.Identity, Object: r.ResourceObject})
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
