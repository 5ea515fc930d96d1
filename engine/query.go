package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// defaultLimit is the limit of list blocks that set none.
const defaultLimit = 100

// QueryResult has the objects that one instance of a list block found.
type QueryResult struct {
	Addr addrs.AbsResourceInstance
	// IdentityVersion is the version of the identities.
	IdentityVersion int64
	Objects         []QueryObject
}

// QueryObject is an object that a list block found. Object is null if it was not
// requested or the provider did not return it.
type QueryObject struct {
	DisplayName      string
	Identity, Object cty.Value
}

// Query runs the list blocks of a configuration that was loaded with its query files,
// and returns their results sorted by address. With errors, it returns the results of
// the blocks that had none. Objects and data that list blocks refer to are planned;
// prior is not changed. Only Terraform has queries.
func (e *Engine) Query(ctx context.Context, config *configs.Config, prior *states.State, variables map[string]cty.Value) ([]QueryResult, tfdiags.Diagnostics) {
	if e.options.Flavor != Terraform {
		return nil, tfdiags.Diagnostics{}.Errorf("", "Queries are not supported", "OpenTofu has no list resources. Use Terraform 1.14 or a later version.")
	}
	w := e.newPlanWalk(ctx, config, prior, PlanOptions{Variables: variables})
	diags := w.run(func(b *builder) {
		b.keepOnly(func(v *vertex) bool {
			block, ok := b.blocks[v.name]
			return ok && block.Resource.Mode == addrs.ListResourceMode || strings.HasPrefix(v.name, "var.") // all variables must be set
		})
	})
	results := w.queried.items()
	slices.SortFunc(results, func(a, b QueryResult) int { return cmp.Compare(a.Addr.String(), b.Addr.String()) })
	return results, diags
}

// listArguments evaluates include_resource and limit, which are null if the block does
// not set them. They may be unknown during validation.
func (n *node) listArguments() (include, limit cty.Value, diags tfdiags.Diagnostics) {
	include, diags = n.listArgument("include_resource", n.block.List.IncludeResource, cty.Bool)
	limit, moreDiags := n.listArgument("limit", n.block.List.Limit, cty.Number)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() || limit.IsNull() || !limit.IsKnown() {
		return include, limit, diags
	}
	const summary = `Invalid "limit" argument`
	where := n.block.List.Limit.Range()
	switch whole, exact := limit.AsBigFloat().Int64(); {
	case exact != 0:
		diags = append(diags, errorAt(where, summary, "The limit must be a whole number.").WithAddress(n.text)...)
	case whole < 0:
		diags = append(diags, errorAt(where, "Invalid limit argument", "The limit must not be negative.").WithAddress(n.text)...)
	}
	return include, limit, diags
}

func (n *node) listArgument(name string, expr hcl.Expression, ty cty.Type) (cty.Value, tfdiags.Diagnostics) {
	if expr == nil {
		return cty.NullVal(ty), nil
	}
	v, diags := n.scope().expr(expr, ty)
	v, _ = v.Unmark()
	switch {
	case diags.HasErrors():
	case v.IsNull():
		diags = append(diags, errorAt(expr.Range(), `Invalid "`+name+`" argument`, "The value must not be null. Remove the argument for its default.")...)
	case !v.IsKnown() && n.op != validating:
		diags = append(diags, errorAt(expr.Range(), `Invalid "`+name+`" argument`, "The value is unknown. A query needs known values.")...)
	}
	return v, diags.WithAddress(n.text)
}

// validateList calls the provider to validate a list block.
func (n *node) validateList() tfdiags.Diagnostics {
	include, limit, diags := n.listArguments()
	return append(diags, n.validateWith(func(config cty.Value) diag.Diagnostics { return n.askValidateList(config, include, limit) })...)
}

func (n *node) askValidateList(config, include, limit cty.Value) diag.Diagnostics {
	return call(n.ctx, n.Engine, "ValidateListResourceConfig", n.text, n.provider.ValidateListResourceConfig,
		provider.ValidateListResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, Config: config, IncludeResourceObject: include, Limit: limit}).Diagnostics
}

// list runs an instance of a list block (docs/checks.md §17).
func (n *node) list() tfdiags.Diagnostics {
	found := n.provider.schema.managed[n.addr.Resource.Resource.Type]
	if found == nil || found.identity == cty.NilType {
		return n.errorf("Identity schema not found for resource type "+n.addr.Resource.Resource.Type, "The resource type of a list resource must have an identity.")
	}
	include, limit, diags := n.listArguments()
	config, moreDiags := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, moreDiags.WithAddress(n.text)...)
	if diags.HasErrors() {
		return diags
	}
	unmarked, _ := config.UnmarkDeep()
	if !unmarked.IsWhollyKnown() {
		return append(diags, n.errorf("config is not known", "The configuration of %s has values that are known only after apply.", n.text)...)
	}
	req := provider.ListResourceRequest{TypeName: n.addr.Resource.Resource.Type, Config: unmarked, Limit: defaultLimit}
	req.IncludeResourceObject = !include.IsNull() && include.True()
	if !limit.IsNull() {
		req.Limit, _ = limit.AsBigFloat().Int64()
	}
	diags = append(diags, n.providerDiags(n.askValidateList(unmarked, include, limit))...)
	if diags.HasErrors() {
		return diags
	}
	objects, moreDiags := n.listed(found, req)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return diags
	}
	data := make([]cty.Value, len(objects))
	for i, o := range objects {
		data[i] = cty.ObjectVal(map[string]cty.Value{
			"display_name": cty.StringVal(o.DisplayName), "identity": o.Identity, "state": visible(found.Body, o.Object, nil),
		})
	}
	n.objects.set(n.addr, cty.ObjectVal(map[string]cty.Value{"config": config, "data": cty.TupleVal(data)}))
	n.queried.add(QueryResult{Addr: n.addr, IdentityVersion: found.IdentityVersion, Objects: objects})
	return diags
}

// listed calls the provider and returns the listed objects, up to the limit or the first error.
// found is their type.
func (n *node) listed(found *typeSchema, req provider.ListResourceRequest) ([]QueryObject, tfdiags.Diagnostics) {
	var objects []QueryObject
	var diags tfdiags.Diagnostics
	// The results are read inside of the call, which reports its duration and panics.
	list := func(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
		resp := n.provider.ListResource(ctx, req)
		if resp.Results == nil {
			resp.Diagnostics = notStreamed(resp.Diagnostics, "ListResource", "results")
		}
		diags = append(diags, n.providerDiags(resp.Diagnostics)...)
		if diags.HasErrors() {
			return provider.ListResourceResponse{}
		}
		for result := range resp.Results {
			if int64(len(objects)) >= req.Limit {
				break
			}
			diags = append(diags, n.providerDiags(result.Diagnostics)...)
			if diags.HasErrors() {
				break
			}
			if result.Identity == cty.NilVal && len(diags) > 0 { // results without identity are ignored after a warning
				continue
			}
			object, moreDiags := n.resultObject(found, req.IncludeResourceObject, result)
			if diags = append(diags, moreDiags...); diags.HasErrors() {
				break
			}
			objects = append(objects, object)
		}
		return provider.ListResourceResponse{}
	}
	panicked := call(n.ctx, n.Engine, "ListResource", n.text, list, req)
	return objects, append(diags, n.providerDiags(panicked.Diagnostics)...)
}

// resultObject returns the object of a result, which must be of the listed type.
func (n *node) resultObject(found *typeSchema, include bool, result provider.ListResult) (QueryObject, tfdiags.Diagnostics) {
	o := QueryObject{DisplayName: result.DisplayName, Identity: result.Identity, Object: cty.NullVal(found.ty)}
	if include {
		o.Object = valueOrNull(result.ResourceObject, found.ty)
	}
	if o.Identity == cty.NilVal {
		return o, n.providerErrorf("missing identity data in ListResource event for "+n.addr.Resource.Resource.Type, "returned a result of %s without an identity.", n.text)
	}
	problem := cmp.Or(typeProblem(o.Identity, found.identity), typeProblem(o.Object, found.ty))
	if problem != "" {
		return o, n.providerErrorf("Provider produced invalid object", "returned a result of %s that is not of its type: %s.", n.text, problem)
	}
	return o, nil
}
